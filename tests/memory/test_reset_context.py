"""The context begins anew (docs/context.md, "The gauge"): what changes, what stays, and races. Our contract."""

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.models import ContextFloor, Summary
from rooms.models import Event
from rooms.queries import last_seq
from tests import given
from tests.at_once import at_once

from .rooms_context import many, reset, said, summarised, usage


def resets() -> list[Event]:
    return list(Event.objects.filter(type="context.reset").order_by("seq"))


def test_what_was_said_before_counts_no_longer_and_stays_in_the_log(room, clock):
    said(*many(20), clock=clock)
    high_water = last_seq()

    done = reset(clock=clock)

    assert (done["reset"], done["resetThroughSeq"], done["throughSeq"]) == (True, high_water, high_water + 1)
    assert (done["estimatedCharacters"], done["uncompactedMessageCount"], done["compactable"]) == (0, 0, False)
    assert usage() == {key: value for key, value in done.items() if key != "reset"}
    assert Event.objects.filter(type="message.created").count() == 20
    [event] = resets()
    assert (event.actor_id, event.source_kind, event.body) == ("user:web", "web", {"resetThroughSeq": high_water})


def test_a_summary_ends_with_it_and_the_room_is_told_through_where_it_reached(room, clock):
    said("one", clock=clock)
    summary = summarised(clock=clock)
    said("two", clock=clock)

    done = reset(clock=clock)

    assert "summaryThroughSeq" not in done
    assert Summary.objects.get(pk=summary.pk).status == "superseded"
    assert resets()[0].body["supersededSummaryThroughSeq"] == summary.through_seq


def test_a_second_one_does_nothing_until_somebody_speaks_again(room, clock):
    said("one", clock=clock)
    first = reset(clock=clock)
    given.remembered(clock=clock)  # the room goes on, but nobody speaks

    second = reset(clock=clock)

    assert second["reset"] is False
    assert second["resetThroughSeq"] == first["resetThroughSeq"]
    assert len(resets()) == 1
    said("two", clock=clock)
    assert reset(clock=clock)["reset"] is True
    assert len(resets()) == 2


def test_in_a_room_where_nobody_has_spoken_there_is_nothing_to_reset(room, clock):
    done = reset(clock=clock)
    assert (done["reset"], "resetThroughSeq" in done, resets()) == (False, False, [])


def test_a_repeated_command_gets_the_same_answer_although_more_was_said(room, clock):
    said("one", clock=clock)
    first = reset(clock=clock, command_id="again")
    said("two", clock=clock)
    assert reset(clock=clock, command_id="again") == first
    assert len(resets()) == 1


def test_the_id_of_another_command_is_refused(room, clock):
    said("one", clock=clock)
    used = given.a_message("builder")
    given.sent(used, clock=clock)
    with pytest.raises(GroupXError) as refused:
        reset(clock=clock, command_id=used.client_command_id)
    assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT
    assert not ContextFloor.objects.exists()


def test_of_two_at_once_one_resets(live_room, clock):
    said("one", clock=clock)

    outcomes = at_once(lambda: reset(clock=clock), lambda: reset(clock=clock))

    assert sorted(outcome["reset"] for outcome in outcomes) == [False, True]
    assert len(resets()) == 1


def test_a_message_at_the_same_moment_stands_on_one_side_of_it(live_room, clock):
    said("before", clock=clock)

    done, _ = at_once(lambda: reset(clock=clock), lambda: said("meanwhile", clock=clock))

    meanwhile = Event.objects.filter(type="message.created").latest("seq")
    counted = usage()["uncompactedMessageCount"]
    assert counted == (1 if meanwhile.seq > done["resetThroughSeq"] else 0)
    assert meanwhile.seq != resets()[0].seq
