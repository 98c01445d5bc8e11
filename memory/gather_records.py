"""Which records an agent is given in one turn, as of a seq: what counts then, in the order in which it matters.

On the way of every prompt: a few prepared reads along the indexes of active records. Words are looked for only where
the room keeps more than each turn is given anyway.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from rooms.prepared import PreparedSelect
from rooms.vocabulary import MAIN_ROOM, ActorKind

from .full_text import MEMORY, related_to
from .models import IdentityRecord, MemoryRecord
from .packet_text import PacketRecord
from .vocabulary import STANDING_KINDS, AgentMemoryType, MemoryScope, RecordSource, RecordStatus

MOST_OF_EACH = 100
"""Records that one section is chosen from."""
NEWEST_DAYS = 31
"""Of what an agent has kept of its days: each has up to 8,000 characters."""
NEWEST_OF_THE_ROOM = 20
"""Of what the room keeps besides instructions and constraints, every turn is given these, and of the others …"""
MOST_RELEVANT = 20
"""… those that the message has to do with."""
LOOKED_AT_CHARS = 8_000
"""Of the message, to find out what it is about."""
RANKED_AT_MOST = 100

_MEMORY_FIELDS = ("record_id", "seq", "kind", "author_id", "subject_id", "source_kind", "content", "pk")
_ACTIVE = RecordStatus.ACTIVE.value
_IS_STANDING = Q(kind__in=STANDING_KINDS)
_STANDING_FIRST = Case(When(_IS_STANDING, then=Value(0)), default=Value(1), output_field=IntegerField())


@dataclass(frozen=True, kw_only=True)
class GatheredRecords:
    """The sections' records (memory/packet.py), and how many more there are."""

    core: Sequence[PacketRecord] = ()
    dated: Sequence[PacketRecord] = ()
    pinned: Sequence[PacketRecord] = ()
    relevant: Sequence[PacketRecord] = ()
    identity_by_self: Sequence[PacketRecord] = ()
    identity_by_user: Sequence[PacketRecord] = ()
    identity_observed: Sequence[PacketRecord] = ()
    more_core: int = 0
    more_dated: int = 0
    more_of_room: int = 0
    more_identity: int = 0


def _active(scope: MemoryScope, scope_id: Any, through_seq: Any, *conditions: Q) -> QuerySet[Any]:
    rows = MemoryRecord.objects.filter(
        *conditions, status=_ACTIVE, scope_type=scope.value, scope_id=scope_id, seq__lte=through_seq
    )
    return rows.order_by("-pk")


def _core(agent_id: Any, through_seq: Any) -> QuerySet[Any]:
    return _active(MemoryScope.AGENT, agent_id, through_seq, Q(agent_memory_type=AgentMemoryType.CORE.value))


def _dated(agent_id: Any, through_seq: Any) -> QuerySet[Any]:
    return _active(MemoryScope.AGENT, agent_id, through_seq, Q(day__isnull=False))


def _identity(agent_id: Any, through_seq: Any) -> QuerySet[Any]:
    return IdentityRecord.objects.filter(status=_ACTIVE, subject_id=agent_id, seq__lte=through_seq)


_CORE = PreparedSelect(
    lambda agent_id, through_seq: (
        _core(agent_id, through_seq).order_by(_STANDING_FIRST, "-pk").values_list(*_MEMORY_FIELDS)[: MOST_OF_EACH + 1]
    )
)
_DATED = PreparedSelect(
    lambda agent_id, through_seq: (
        _dated(agent_id, through_seq).order_by("-day", "-pk").values_list(*_MEMORY_FIELDS, "day")[: NEWEST_DAYS + 1]
    )
)
_STANDING_OF_ROOM = PreparedSelect(
    lambda through_seq: _active(MemoryScope.ROOM, MAIN_ROOM, through_seq, _IS_STANDING).values_list(*_MEMORY_FIELDS)[
        : MOST_OF_EACH + 1
    ]
)
_NEWEST_OF_ROOM = PreparedSelect(
    lambda through_seq: _active(MemoryScope.ROOM, MAIN_ROOM, through_seq, ~_IS_STANDING).values_list(*_MEMORY_FIELDS)[
        : NEWEST_OF_THE_ROOM + 1
    ]
)
_OF_CONVERSATION = PreparedSelect(
    lambda root_id, through_seq: _active(MemoryScope.CORRELATION, root_id, through_seq).values_list(*_MEMORY_FIELDS)[
        :MOST_OF_EACH
    ]
)
_IDENTITY = PreparedSelect(
    lambda agent_id, through_seq: (
        _identity(agent_id, through_seq)
        .order_by(_STANDING_FIRST, "-pk")
        .values_list(*_MEMORY_FIELDS)[: MOST_OF_EACH + 1]
    )
)


_ANY_MEMORY = PreparedSelect(lambda: MemoryRecord.objects.filter(status=_ACTIVE).values_list("pk")[:1])
_COUNT_OF_ROOM = PreparedSelect(
    lambda through_seq: (
        _active(MemoryScope.ROOM, MAIN_ROOM, through_seq)
        .order_by()
        .values("scope_id")
        .annotate(records=Count("pk"))
        .values_list("records")
    )
)


def gather_records(target_id: str, root_correlation_id: str, message: str, through_seq: int) -> GatheredRecords:
    memory = GatheredRecords()
    if _ANY_MEMORY.fetch_first():  # most rooms keep nothing, and each read costs a tenth of a millisecond
        memory = _gather_memory(target_id, root_correlation_id, message, through_seq)
    identity = [_record(row) for row in _IDENTITY.fetch_all(target_id, through_seq)]
    known = identity[:MOST_OF_EACH]
    by_self = [record for record in known if record.author == target_id]
    by_agents = [record for record in known if record.author.startswith(f"{ActorKind.AGENT}:")]
    return replace(
        memory,
        identity_by_self=by_self,
        identity_by_user=[record for record in known if record not in by_agents],
        identity_observed=[record for record in by_agents if record not in by_self],
        more_identity=_identity(target_id, through_seq).count() - MOST_OF_EACH if len(identity) > MOST_OF_EACH else 0,
    )


def _gather_memory(target_id: str, root_correlation_id: str, message: str, through_seq: int) -> GatheredRecords:
    core = _CORE.fetch_all(target_id, through_seq)
    dated = _DATED.fetch_all(target_id, through_seq)
    standing = _STANDING_OF_ROOM.fetch_all(through_seq)
    newest = _NEWEST_OF_ROOM.fetch_all(through_seq)
    pinned = standing[:MOST_OF_EACH] + newest[:NEWEST_OF_THE_ROOM]
    relevant = _OF_CONVERSATION.fetch_all(root_correlation_id, through_seq)
    more_of_room = 0
    if len(standing) > MOST_OF_EACH or len(newest) > NEWEST_OF_THE_ROOM:
        found = _about(message, through_seq, {row[-1] for row in pinned})
        [(of_room,)] = _COUNT_OF_ROOM.fetch_all(through_seq)
        more_of_room = of_room - len(pinned) - len(found)
        relevant = relevant + found
    return GatheredRecords(
        core=[_record(row) for row in core[:MOST_OF_EACH]],
        dated=[_record(row) for row in reversed(dated[:NEWEST_DAYS])],
        pinned=[_record(row) for row in pinned],
        relevant=[_record(row) for row in relevant],
        more_core=_core(target_id, through_seq).count() - MOST_OF_EACH if len(core) > MOST_OF_EACH else 0,
        more_dated=_dated(target_id, through_seq).count() - NEWEST_DAYS if len(dated) > NEWEST_DAYS else 0,
        more_of_room=more_of_room,
    )


def _about(message: str, through_seq: int, but: set[int]) -> list[tuple[Any, ...]]:
    """What the room keeps besides, best first, that has words of the message."""
    best = [pk for pk in related_to(MEMORY, message[:LOOKED_AT_CHARS], RANKED_AT_MOST) if pk not in but]
    rows = _active(MemoryScope.ROOM, MAIN_ROOM, through_seq, Q(pk__in=best)).values_list(*_MEMORY_FIELDS)
    places = {pk: place for place, pk in enumerate(best)}
    return sorted(rows, key=lambda row: places[row[-1]])[:MOST_RELEVANT]


def _record(row: tuple[Any, ...]) -> PacketRecord:
    record_id, seq, kind, author, subject, source_kind, content, _pk, *day = row
    return PacketRecord(
        record_id=record_id,
        seq=seq,
        kind=kind,
        author=author,
        subject=subject,
        source_kind=RecordSource(source_kind),
        content=content,
        day=day[0].isoformat() if day else None,
    )
