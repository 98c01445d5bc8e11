"""The order of things: seqs as committed, each lane first in first out (protocol section 8.3)."""

from tests.agents_talk.talking_room import agents, call, say, task
from tests.running_room import do


def test_a_lane_takes_turns_in_the_order_in_which_they_were_queued_whoever_sent_them(room):
    by_ada, by_dan = task(say("a"), nonce="order-1"), task(say("d"), nonce="order-2")
    with room.busy("ben"):
        room.tell("ada", call("send", to=agents("ben"), content=by_ada)).results()
        room.tell("dan", call("send", to=agents("ben"), content=by_dan)).results()
        last = room.send("ben", content=do(n="order-3", steps=[say("a person")]))
    room.until_turn(room.turn(last))

    prompted = [row["n"] for row in room.prompts("ben") if str(row.get("n")).startswith("order-")]
    assert prompted == ["order-1", "order-2", "order-3"]


def test_the_log_has_every_seq_once_and_a_message_before_its_turns(room):
    told = room.tell("ada", call("send", to=["@all"], content=task(say("here"))))
    sent = told.result()
    for turn in sent["turns"]:
        room.until_turn(turn["turnId"])

    events = room.events()
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    message = room.event(sent["messageEventId"])
    queued = [event["seq"] for event in room.of_root(told.root, "turn.queued")[1:]]
    assert queued == [message["seq"] + 1, message["seq"] + 2, message["seq"] + 3]
