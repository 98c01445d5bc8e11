"""`publish` and `read`: talk among agents that are working, which wakes nobody (protocol sections 6.2 and 6.5)."""

import uuid

import pytest

from tests.agents_talk.talking_room import TOO_LONG, agents, call, say, task


def test_what_is_published_is_a_public_message_that_wakes_nobody(room):
    told = room.tell("ada", call("publish", content="half way, @ben and @all"), say("done"))

    published = told.result()
    assert published["correlationId"] == told.root
    event = room.event(published["messageEventId"])
    assert (event["actor"]["actorId"], event["to"]) == ("agent:ada", [])
    assert event["body"]["content"] == "half way, @ben and @all"
    assert (event["replyToEventId"], event["causationId"]) == (told.message_id, told.turn_id)
    assert event["provenance"]["sourceKind"] == "mcp"
    assert len(room.of_root(told.root, "turn.queued")) == 1


def test_what_is_published_may_answer_another_message(room):
    earlier = room.send("dan", content="earlier")
    room.until_turn(room.turn(earlier))
    told = room.tell("ada", call("publish", content="to that", replyToEventId=earlier["messageEventId"]))

    assert room.event(told.result()["messageEventId"])["replyToEventId"] == earlier["messageEventId"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "INVALID_ENVELOPE"),
        ({"content": "x", "to": ["agent:ben"]}, "INVALID_ENVELOPE"),
        ({"content": "x", "replyToEventId": "evt_nothing"}, "NOT_FOUND"),
        ({"content": TOO_LONG}, "MESSAGE_TOO_LARGE"),
    ],
    ids=["no content", "with targets", "unknown reply", "too long"],
)
def test_a_refused_publication_says_why_and_leaves_nothing_behind(room, arguments, code):
    told = room.tell("ada", call("publish", **arguments))

    assert told.problem()["code"] == code
    assert len(room.of_root(told.root, "message.created")) == 1


def test_two_agents_at_work_talk_by_publish_and_read_without_a_further_turn(room):
    asked, objected = uuid.uuid4().hex, uuid.uuid4().hex
    objector = task(
        {"wait": asked},
        call("read"),
        call("publish", content="I object"),
        {"write": str(room.folder / "ada" / objected)},
    )
    told = room.tell(
        "ada",
        call("send", to=agents("ben"), content=objector),
        call("publish", content="my plan"),
        {"write": str(room.folder / "ben" / asked)},
        {"wait": objected},
        call("read", correlationId="$1.correlationId"),
    )

    sent, _, read = told.results()
    said = [(e["actorId"], e["body"]["content"]) for e in read["events"] if e["type"] == "message.created"]
    assert said[-2:] == [("agent:ada", "my plan"), ("agent:ben", "I object")]
    assert [turn["turnId"] for turn in read["turns"]] == [told.turn_id, sent["turns"][0]["turnId"]]
    room.until_turn(sent["turns"][0]["turnId"])
    assert len(room.of_root(told.root, "turn.queued")) == 2


def test_reading_goes_on_after_a_seq_in_pages(room):
    told = room.tell(
        "ada",
        call("publish", content="one"),
        call("publish", content="two"),
        call("publish", content="three"),
        call("read", correlationId="$0.correlationId", afterSeq=0, limit=2),
        call("read", correlationId="$0.correlationId", afterSeq="$3.nextAfterSeq", limit=200),
    )

    *_, first, rest = told.results()
    seqs = [event["seq"] for event in first["events"] + rest["events"]]
    assert (len(first["events"]), first["hasMore"], rest["hasMore"]) == (2, True, False)
    assert seqs == sorted(set(seqs))
    contents = [e["body"]["content"] for e in first["events"] + rest["events"] if e["type"] == "message.created"]
    assert contents[1:] == ["one", "two", "three"]


def test_reading_shows_how_turns_stand(room):
    with room.busy("ben"):
        told = room.tell(
            "ada",
            say("I look"),
            call("send", to=agents("ben"), content="later"),
            call("read", correlationId="$0.correlationId"),
        )

        sent, read = told.results()
        assert {turn["turnId"]: turn["status"] for turn in read["turns"]} == {
            told.turn_id: "running",
            sent["turns"][0]["turnId"]: "queued",
        }
    room.until_turn(sent["turns"][0]["turnId"])


def test_thoughts_and_tools_are_not_read(room):
    tool = {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "look", "status": "pending"}
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"}
    thinker = task({"thought": "secretly"}, {"update": tool}, {"update": done}, say("aloud"))
    first = room.tell("ada", call("send", to=agents("ben"), content=thinker))
    room.until_turn(first.result()["turns"][0]["turnId"])
    recorded = {event["type"] for event in room.of_root(first.root)}
    assert {"turn.reasoning.recorded", "tool.progress.recorded"} <= recorded

    read = room.tell("ada", call("read", correlationId=first.root, limit=200)).result()

    assert not {event["type"] for event in read["events"]} & {"turn.reasoning.recorded", "tool.progress.recorded"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"limit": 201}, "INVALID_ENVELOPE"),
        ({"limit": 0}, "INVALID_ENVELOPE"),
        ({"correlationId": "corr_x"}, "NOT_FOUND"),
    ],
    ids=["too many", "none", "unknown"],
)
def test_what_cannot_be_read_is_refused(room, arguments, code):
    assert room.tell("ada", call("read", **arguments)).codes() == [code]


def test_reading_writes_nothing(room):
    with room.busy("dan"):
        before = len(room.events())
        told = room.tell("ada", call("read"), call("read", limit=200))
        told.results()

        own = [event for event in room.events()[before:] if event["rootCorrelationId"] != told.root]
        assert own == []
