"""From each row a person gets to what it belongs to (our contract: docs/admin.md, "Tables")."""

from django.test import Client

from groupx.kernel.config import GroupXConfig
from memory.models import RollupSource, RollupState, Summary
from rooms.models import Actor, Event
from rooms.vocabulary import EventType
from tests.admin.addresses import address
from turns.models import AttemptPacket, Turn, TurnAttempt
from turns.state import TurnStatus


def test_a_turn_can_be_followed_from_its_event_to_what_the_agent_was_given(
    history: GroupXConfig, person: Client
) -> None:
    turn = Turn.objects.filter(status=TurnStatus.COMPLETED).get()
    attempt = turn.attempts.get()
    steps = [
        (address(Event, "change", turn.source_event_id), address(Turn, "change", turn.pk)),
        (address(Turn, "change", turn.pk), address(TurnAttempt, "change", attempt.pk)),
        (address(TurnAttempt, "change", attempt.pk), address(AttemptPacket, "change", attempt.pk)),
        (address(AttemptPacket, "change", attempt.pk), address(TurnAttempt, "change", attempt.pk)),
        (address(TurnAttempt, "change", attempt.pk), address(Turn, "change", turn.pk)),
        (address(Turn, "change", turn.pk), address(Event, "change", turn.source_event_id)),
    ]
    for page, link in steps:
        assert f'href="{link}"' in person.get(page).content.decode(), f"{page} → {link}"
    packet = person.get(address(AttemptPacket, "change", attempt.pk)).content.decode()
    assert "the packet" in packet
    for model, pk in ((type(attempt.binding), attempt.binding_id), (type(attempt.instance), attempt.instance_id)):
        assert f'href="{address(model, "change", pk)}"' in packet


def test_what_was_left_out_of_a_packet_is_said_in_words_beside_its_attempt(
    history: GroupXConfig, person: Client
) -> None:
    attempt = TurnAttempt.objects.filter(turn__status=TurnStatus.COMPLETED).latest("prepared_at")
    omitted = {"roomDelta": 1_200, "coreMemory": 1, "datedMemory": 2, "roomMemory": 3, "identity": 1, "later": 7}
    AttemptPacket.objects.filter(attempt=attempt).update(omissions=omitted)
    TurnAttempt.objects.filter(pk=attempt.pk).update(summary_through_seq=3, context_through_seq=6)
    page = person.get(address(TurnAttempt, "change", attempt.pk)).content.decode()
    packet = person.get(address(AttemptPacket, "change", attempt.pk)).content.decode()
    words = (
        "1200 messages of the room, 1 core memory, 2 days of its dated memory, 3 memories of the room, "
        "1 record of identity, 7 of later"
    )
    assert words in page and words in packet
    assert f'href="{address(Summary, "change", Summary.objects.get(through_seq=3).pk)}"' in page


def test_dated_memory_can_be_followed_to_its_messages_and_a_summary_to_what_it_stands_for(
    history: GroupXConfig, person: Client
) -> None:
    source, state, summary = RollupSource.objects.get(), RollupState.objects.get(), Summary.objects.get(through_seq=6)
    said = Event.objects.filter(type=EventType.MESSAGE_CREATED, seq__lte=6).order_by("-seq")
    steps = [
        (RollupSource, source, [(Event, source.source_event_id), (Event, source.response_event_id)]),
        (RollupSource, source, [(RollupState, state.pk), (Actor, source.actor_id)]),
        (RollupState, state, [(RollupSource, source.pk)]),
        (Summary, summary, [(Summary, summary.supersedes_id), (Actor, summary.writer_id)]),
        (Summary, summary, [(Event, event.pk) for event in said]),
    ]
    for model, row, links in steps:
        page = person.get(address(model, "change", row.pk)).content.decode()
        for target, pk in links:
            assert f'href="{address(target, "change", pk)}"' in page, f"{row} → {pk}"
    listed = address(Event, "changelist") + f"?seq__gte={summary.from_seq}&seq__lte={summary.through_seq}"
    assert person.get(listed).context["cl"].result_count == 6
