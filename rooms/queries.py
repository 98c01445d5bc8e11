"""Reads of the log. Everything comes back as frozen envelopes; nothing here writes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from groupx.kernel.errors import ErrorCode, GroupXError

from .envelope import ActorRef, Envelope, dump
from .models import Event, Room, SessionBinding, Store
from .prepared import PreparedSelect
from .vocabulary import MAIN_ROOM, SourceKind

_FIELDS = (
    "event_id", "seq", "room_id", "type", "actor_id", "actor_name", "instance_id", "to", "correlation_id",
    "root_correlation_id", "causation_id", "reply_to_event_id", "forwarded_event_id", "source_kind", "occurred_at",
    "body",
)  # fmt: skip
_SHOWN_FIELDS = (*_FIELDS[:-1], "shown_body")

_LAST_SEQ = PreparedSelect(lambda room_id: Room.objects.filter(room_id=room_id).values_list("last_seq"))


def last_seq(room_id: str = MAIN_ROOM) -> int:
    """
    Raises:
        GroupXError: NOT_FOUND if there is no such room.
    """
    found = _LAST_SEQ.fetch_first(room_id)
    if found is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no room “{room_id}”.")
    return int(found[0])


def room_title(room_id: str = MAIN_ROOM) -> str | None:
    """None if there is no such room."""
    return Room.objects.filter(room_id=room_id).values_list("title", flat=True).first()


def epoch() -> str:
    return Store.objects.values_list("epoch", flat=True).get(id=1)


def events_after(seq: int, limit: int, room_id: str = MAIN_ROOM) -> list[Envelope]:
    """Oldest first, long texts cut."""
    return _envelopes(_beyond("seq__gt", "seq", limit).fetch_all(room_id, seq))


def events_before(seq: int, limit: int, room_id: str = MAIN_ROOM) -> list[Envelope]:
    """Newest first, long texts cut."""
    return _envelopes(_beyond("seq__lt", "-seq", limit).fetch_all(room_id, seq))


def events_between(after_seq: int, through_seq: int, room_id: str = MAIN_ROOM) -> Iterator[Envelope]:
    """Oldest first, whole, fetched one by one: whoever stops early has read no more than it took."""
    events = Event.objects.filter(room_id=room_id, seq__gt=after_seq, seq__lte=through_seq)
    return _envelopes_of(events.order_by("seq").values_list(*_FIELDS).iterator(chunk_size=1))


def one_event_json(event_id: str) -> str:
    """One event whole, as JSON. Its body is passed on as it is stored: a text of megabytes should not be copied often.

    Raises:
        GroupXError: NOT_FOUND.
    """
    rows = Event.objects.annotate(raw_body=Cast("body", TextField())).filter(event_id=event_id)
    row = rows.values_list(*_FIELDS[:-1], "raw_body").first()
    if row is None:
        raise _no_event(event_id)
    [envelope] = _envelopes([(*row[:-1], {})])
    before, _, after = dump(envelope.wire() | {"body": None}).partition('"body":null')
    return f'{before}"body":{row[-1]}{after}'


_OPEN_BINDING = PreparedSelect(
    lambda hashed: SessionBinding.objects.filter(handle_hash=hashed, closed_at=None).values_list("binding_id")
)


@dataclass(frozen=True, kw_only=True)
class FormerSession:
    native_session_id: str
    cwd: str
    is_resumable: bool


def newest_native_session(actor_id: str) -> FormerSession | None:
    """The agent's last session, to be resumed where it may be."""
    fields = ("native_session_id", "cwd", "is_resumable")
    found = (
        SessionBinding.objects.filter(actor_id=actor_id)
        .exclude(native_session_id="")
        .order_by("-opened_seq", "-opened_at")
        .values(*fields)
        .first()
    )
    return FormerSession(**found) if found else None


@lru_cache(maxsize=16)
def _beyond(side: str, order: str, limit: int) -> PreparedSelect:
    return PreparedSelect(
        lambda room_id, seq: (
            Event.objects.with_shown_body()
            .filter(room_id=room_id, **{side: seq})
            .order_by(order)
            .values_list(*_SHOWN_FIELDS)[:limit]
        )
    )


def _no_event(event_id: str) -> GroupXError:
    return GroupXError(ErrorCode.NOT_FOUND, f"There is no event “{event_id}”.")


def _envelopes(rows: Iterable[tuple[Any, ...]]) -> list[Envelope]:
    return list(_envelopes_of(rows))


def _envelopes_of(rows: Iterable[tuple[Any, ...]]) -> Iterator[Envelope]:
    """`rows` of _FIELDS."""
    for (
        event_id, seq, room_id, type_, actor_id, actor_name, instance_id, to, correlation_id,
        root_correlation_id, causation_id, reply_to_event_id, forwarded_event_id, source_kind, occurred_at, body,
    ) in rows:  # fmt: skip
        yield Envelope(
            event_id=event_id,
            seq=seq,
            room_id=room_id,
            type=type_,
            actor=ActorRef(actor_id=actor_id, display_name=actor_name, instance_id=instance_id),
            to=tuple(to),
            correlation_id=correlation_id,
            root_correlation_id=root_correlation_id,
            causation_id=causation_id,
            reply_to_event_id=reply_to_event_id,
            forwarded_event_id=forwarded_event_id,
            source_kind=SourceKind(source_kind),
            body=body,
            occurred_at=occurred_at,
        )
