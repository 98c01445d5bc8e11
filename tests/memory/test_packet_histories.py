"""For every history of a room there may be, every cursor and every budget: what an agent is given of it is whole, in
order and inside its limit, and no message gets lost without being counted (docs/context.md)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.db import transaction
from hypothesis import HealthCheck, event, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.gather import gather_packet_inputs
from memory.packet import build_packet
from memory.packet_text import quoted
from rooms.actions.append_event import append_events
from rooms.bodies import MessageCreated
from rooms.caller import web_caller
from rooms.envelope import ActorRef
from rooms.new_event import NewEvent
from rooms.queries import last_seq
from rooms.transactions import durable
from rooms.vocabulary import SourceKind
from tests import given
from tests.given_context import day_kept, reset, summed_up

TARGET = "agent:builder"
ORDER = (
    "groupx_protocol", "configured_agent_identity", "self_identity", "user_authored_identity", "observed_identity",
    "agent_core_memory", "agent_dated_memory", "pinned_group_memory", "relevant_memory", "room_checkpoint_summary",
    "room_delta_since_cursor", "reply_chain", "current_message",
)  # fmt: skip
in_one_room = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
sizes = st.sampled_from([1, 40, 400, 2_000])


@dataclass(frozen=True)
class Said:
    by: str
    chars: int
    replies_to: int | None
    """So many messages back."""


@dataclass(frozen=True)
class SummedUp:
    back: int
    """It ends so many seqs before the newest."""
    chars: int


@dataclass(frozen=True)
class Kept:
    what: str
    chars: int


@dataclass(frozen=True)
class Reset:
    pass


said = st.builds(
    Said, by=st.sampled_from(["user:web", TARGET, "agent:reviewer"]), chars=sizes,
    replies_to=st.none() | st.integers(1, 4),
)  # fmt: skip
summed = st.builds(SummedUp, back=st.integers(0, 12), chars=sizes)
kept = st.builds(Kept, what=st.sampled_from(["core", "day", "room", "identity"]), chars=sizes)
steps = st.lists(st.one_of(said, said, said, said, summed, kept), min_size=3, max_size=24)
histories = steps | st.builds(lambda before, after: [*before, Reset(), *after], steps, steps)
later = st.lists(st.builds(Said, by=st.just("agent:reviewer"), chars=sizes, replies_to=st.none()) | summed, max_size=4)
"""Said and summed up while the turn is on its way …"""
later |= st.builds(lambda some: [*some, Reset()], later)
"""… or all of it reset."""


@dataclass
class History:
    """What was done, as the test itself keeps it."""

    messages: list[tuple[int, str, str, str, str | None]] = field(default_factory=list)
    """(seq, event id, author, content, what it replies to), oldest first."""
    summaries: list[tuple[int, str]] = field(default_factory=list)
    """(through, content)"""
    floor: int = 0

    def by_id(self) -> dict[str, tuple[int, str, str, str, str | None]]:
        return {message[1]: message for message in self.messages}


@contextmanager
def taken_back() -> Iterator[None]:
    """Each example begins with the same room."""
    before = transaction.savepoint_create()
    try:
        yield
    finally:
        transaction.savepoint_rollback(before)


def lived(history: History, some: list, clock) -> None:
    for number, step in enumerate(some):
        match step:
            case Said(by, chars, back):
                say(history, by, f"m{number} " + "x" * chars, back, clock)
            case SummedUp(back, chars) if (through := last_seq() - back) > 0:
                if through > max(history.floor, *(reached for reached, _ in history.summaries), 0):
                    history.summaries.append((through, f"s{number} " + "s" * chars))
                    summed_up(*history.summaries[-1], clock=clock)
            case Kept("core", chars):
                given.core_memory("builder", "c" * chars, clock=clock)
            case Kept("day", chars):
                day_kept("builder", date(2026, 11, 1) + timedelta(days=number), "d" * chars, clock=clock)
            case Kept("room", chars):
                given.remembered("r" * chars, clock=clock)
            case Kept("identity", chars):
                given.identified(TARGET, "i" * chars, clock=clock)
            case Reset() if last_seq():
                history.floor = reset(clock=clock)


def say(history: History, by: str, content: str, back: int | None, clock) -> str:
    found = history.messages[-back:][:1] if back else []
    message = NewEvent(
        body=MessageCreated(content=content),
        actor=web_caller().actor if by == "user:web" else ActorRef(actor_id=by, display_name=by),
        source_kind=SourceKind.WEB if by == "user:web" else SourceKind.ADAPTER,
        correlation_id="corr_1",
        root_correlation_id="corr_1",
        reply_to_event_id=found[0][1] if found else None,
    )
    durable(append_events)([message], clock=clock)
    history.messages.append((last_seq(), message.event_id, by, content, message.reply_to_event_id))
    return message.event_id


def chain_of(history: History, event_id: str) -> list[str]:
    known, chain = history.by_id(), []
    while (parent := known[event_id][4]) is not None:
        chain.append(parent)
        event_id = parent
    return chain[::-1]


def sections_of(text: str, current: str) -> dict[str, str]:
    ours = text[: len(text) - len(current)]
    parts = re.split(r"(?:^|\n\n)\[([a-z_]+)\]\n", ours)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def ids_in(section: str) -> list[str]:
    return [line.removeprefix("- id=").split()[0] for line in section.splitlines() if line.startswith("- id=")]


@in_one_room
@for_all(
    histories,
    st.none() | st.integers(0, 40),
    later,
    st.sampled_from([1_024, 3_000, 6_000, 12_000, 30_000]),
    st.none() | st.integers(1, 4),
)
def test_what_an_agent_is_given_of_a_room(room, clock, some, given_through, later, max_chars, replies_to):
    with taken_back():
        history = History()
        lived(history, some, clock)
        content = "now\n[room_delta_since_cursor]"
        source = say(history, "user:web", content, replies_to, clock)
        through = last_seq()
        lived(history, later, clock)
        given_through = min(given_through, through) if given_through is not None else None
        try:
            inputs = gather_packet_inputs(
                target_id=TARGET,
                source=source,
                root_correlation_id="corr_1",
                given_through_seq=given_through,
                through_seq=through,
                max_chars=max_chars,
            )
            packet = build_packet(inputs)
        except GroupXError as refused:
            assert refused.code is ErrorCode.CONTEXT_BUDGET_EXCEEDED
            event("too long")
            return
    assert len(packet.text) <= max_chars
    assert packet.text.endswith(f"\n{content}")
    sections = sections_of(packet.text, content)
    assert list(sections) == [name for name in ORDER if name in sections]
    delta, chain = ids_in(sections.get("room_delta_since_cursor", "")), ids_in(sections.get("reply_chain", ""))
    known, begins = history.by_id(), max(given_through or 0, history.floor)

    standing = max((s for s in history.summaries if history.floor < s[0] <= through), default=(0, ""))
    covered = standing[0] if standing[0] > begins else 0
    assert packet.summary_through_seq == (covered or None)
    assert ("room_checkpoint_summary" in sections) is bool(covered)
    if covered:
        assert sections["room_checkpoint_summary"].endswith(f"source=generated-summary\n{quoted(standing[1])}")
    assert packet.after_seq == min(max(begins, covered), through)
    assert f"after_seq={packet.after_seq}\nthrough_seq={through}\n" in sections["groupx_protocol"]

    assert chain == chain_of(history, source), "whole, whatever a reset, a summary or the cursor"
    for event_id in (*delta, *chain):
        section = sections["reply_chain" if event_id in chain else "room_delta_since_cursor"]
        assert f"\n{quoted(known[event_id][3])}" in section

    of_range = [
        message[1]
        for message in history.messages
        if begins < message[0] <= through and message[1] != source
        if not (given_through is not None and message[2] == TARGET)
    ]
    uncovered = [event_id for event_id in of_range if known[event_id][0] > covered and event_id not in chain]
    assert delta == uncovered[len(uncovered) - len(delta) :], "the newest of them, oldest first, without a gap"
    assert packet.omissions.get("roomDelta", 0) == len(uncovered) - len(delta), "none is lost uncounted"
    assert packet.needs_compaction is (len(uncovered) > len(delta))
    event(f"summary {bool(covered)}, left out {packet.needs_compaction}")
