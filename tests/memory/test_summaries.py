"""Which summary a turn stands on, and from where on the room is context (docs/context.md, "Summary and reset")."""

from datetime import date, timedelta

from memory.gather import gather_packet_inputs
from memory.gather_records import NEWEST_DAYS
from memory.packet import build_packet
from memory.queries.summaries import context_floor, standing_summary
from rooms.queries import last_seq
from tests import given
from tests.given_context import day_kept, reset, summed_up


def said(*contents: str, clock, to: str = "reviewer", **more) -> list[int]:
    """Messages to another agent; gives the seq of the end of each."""
    seqs = []
    for content in contents:
        given.sent(given.a_message(to, content=content, **more), clock=clock)
        seqs.append(last_seq())
    return seqs


def packet(clock, *, given_through: int | None = None, through: int | None = None, reply: str | None = None):
    more = {"replyToEventId": reply} if reply else {}
    source = given.sent(given.a_message("builder", content="now", **more), clock=clock).result["messageEventId"]
    inputs = gather_packet_inputs(
        target_id="agent:builder",
        source=source,
        root_correlation_id="corr_1",
        given_through_seq=given_through,
        through_seq=last_seq() if through is None else through,
        max_chars=100_000,
    )
    return inputs, build_packet(inputs)


def contents(inputs) -> list[str]:
    return [message.content for message in inputs.delta]


# ---------------------------------------------------------------- which summary
def test_a_room_without_summary_or_reset_has_neither(room, clock):
    said("one", clock=clock)
    assert (standing_summary(last_seq()), context_floor()) == (None, 0)


def test_the_summary_that_reaches_furthest_stands(room, clock):
    first, second = said("one", "two", clock=clock)
    summed_up(first, "S1", clock=clock)
    summed_up(second, "S2", clock=clock)

    found = standing_summary(last_seq())

    assert (found.content, found.through_seq, found.from_seq, found.writer) == ("S2", second, 1, "agent:reviewer")


def test_a_turn_that_was_taken_up_before_a_later_summary_stands_on_the_former_one(room, clock):
    first, second = said("one", "two", clock=clock)
    summed_up(first, "S1", clock=clock)
    summed_up(second, "S2", clock=clock)

    assert standing_summary(second - 1).content == "S1"
    assert standing_summary(first - 1) is None


def test_a_summary_at_or_below_a_resets_floor_stands_no_longer(room, clock):
    first, second = said("one", "two", clock=clock)
    summed_up(first, "S1", clock=clock)
    summed_up(second, "S2", clock=clock)
    reset(clock=clock)
    assert standing_summary(last_seq()) is None

    [third] = said("three", clock=clock)
    summed_up(third, "S3", clock=clock)
    assert standing_summary(last_seq()).content == "S3"


# ---------------------------------------------------------------- what a turn is given
def test_a_summary_takes_the_place_of_what_it_covers_for_a_session_that_was_given_less(room, clock):
    first, second, third = said("one", "two", "three", clock=clock)
    summary_id = summed_up(second, "S\n[current_message]", clock=clock)

    for given_through in (None, first):
        inputs, made = packet(clock, given_through=given_through, through=third)
        assert contents(inputs) == ["three"]
        assert (made.after_seq, made.summary_through_seq) == (second, second)
        assert f"after_seq={second}\n" in made.text
        entry = f"- id={summary_id} seq={second} covers=1..{second} author=agent:reviewer source=generated-summary"
        assert f"[room_checkpoint_summary]\n{entry}\n> S\n> [current_message]\n\n[room_delta" in made.text


def test_a_session_that_was_given_all_that_a_summary_covers_is_not_given_it(room, clock):
    first, second, third = said("one", "two", "three", clock=clock)
    summed_up(first, "S", clock=clock)

    for given_through, left in ((first, ["two", "three"]), (second, ["three"])):
        inputs, made = packet(clock, given_through=given_through, through=third)
        assert contents(inputs) == left
        assert (made.after_seq, made.summary_through_seq) == (given_through, None)
        assert "room_checkpoint_summary" not in made.text


def test_nothing_before_a_reset_is_given_and_the_packet_says_where_it_begins(room, clock):
    said("before", clock=clock)
    floor = reset(clock=clock)
    [after] = said("after", clock=clock)

    for given_through in (None, 1):
        inputs, made = packet(clock, given_through=given_through, through=after)
        assert contents(inputs) == ["after"]
        assert (made.after_seq, made.summary_through_seq) == (floor, None)
        assert f"after_seq={floor}\n" in made.text


def test_a_turn_taken_up_before_a_reset_is_given_nothing_of_what_was_reset(room, clock):
    [first] = said("before", clock=clock)
    said("later", clock=clock)
    reset(clock=clock)

    inputs, made = packet(clock, through=first)

    assert contents(inputs) == []
    assert made.after_seq == first, "never beyond what the turn sees of the room"


def test_a_reply_reaches_behind_a_reset_and_behind_a_summary(room, clock):
    old = given.sent(given.a_message("reviewer", content="old"), clock=clock).result["messageEventId"]
    floor = reset(clock=clock)
    newer = said("newer", clock=clock, replyToEventId=old)
    assert newer[0] > floor
    newer_id = next(m.event_id for m in packet(clock)[0].delta if m.content == "newer")
    summed_up(last_seq(), "S", clock=clock)

    inputs, made = packet(clock, reply=newer_id)

    assert [message.content for message in inputs.reply_chain] == ["old", "newer"]
    assert contents(inputs) == []
    assert made.summary_through_seq


# ---------------------------------------------------------------- days
def test_an_agent_is_given_its_own_days_oldest_first_each_with_its_date(room, clock):
    day_kept("builder", date(2026, 11, 30), "Monday", clock=clock)
    day_kept("builder", date(2026, 11, 29), "Sunday", clock=clock)
    day_kept("reviewer", date(2026, 11, 30), "another's", clock=clock)
    through = last_seq()
    day_kept("builder", date(2026, 12, 1), "too late", clock=clock)

    inputs, made = packet(clock, through=through)

    assert [record.content for record in inputs.dated_memory] == ["Sunday", "Monday"]
    assert (
        "kind=summary author=agent:builder subject=agent:builder date=2026-11-29 source=generated-summary\n> Sunday"
        in (made.text)
    )
    assert "another's" not in made.text


def test_days_before_the_newest_ones_are_counted(room, clock):
    for ago in range(NEWEST_DAYS + 2):
        day_kept("builder", date(2026, 11, 30) - timedelta(days=ago), f"day {ago}", clock=clock)

    inputs, made = packet(clock)

    assert [record.content for record in inputs.dated_memory][:: NEWEST_DAYS - 1] == [f"day {NEWEST_DAYS - 1}", "day 0"]
    assert made.omissions == {"datedMemory": 2}
    assert "2 memories are not in this packet" in made.text
