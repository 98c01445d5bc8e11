"""What models read of the room by a tool: the public log in pages, with texts cut, and how turns stand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from groupx.kernel.clock import iso
from groupx.kernel.errors import ErrorCode, GroupXError, issue
from rooms.envelope import dump
from rooms.models import Event, EventQuerySet
from rooms.prepared import PreparedSelect
from rooms.queries import last_seq
from rooms.transactions import snapshot
from rooms.vocabulary import MAIN_ROOM, EventType
from turns.member import CallersTurn
from turns.member_answers import ReadEvent, ReadTurn, RoomRead
from turns.member_requests import ReadRequest
from turns.models import Turn
from turns.state import TurnStatus

USUALLY_READ = 50
TURNS_SHOWN = 48
TEXT_CHARS = 8_000
"""Of one event among others; one alone is given PAGE_CHARS."""
PAGE_CHARS = 60_000
"""An answer of this size ends early and says that there is more: clients cut what is much longer."""
NOT_READ = (EventType.TURN_REASONING_RECORDED.value, EventType.TOOL_PROGRESS_RECORDED.value)
_FETCHED_AT_ONCE = 50


def _page(events: EventQuerySet) -> Any:
    return events.values_list(
        "seq",
        "event_id",
        "type",
        "actor_id",
        "occurred_at",
        "correlation_id",
        "to",
        "reply_to_event_id",
        "forwarded_event_id",
        "causation_id",
        "shown_body",
    )[:_FETCHED_AT_ONCE]


def _newest(turns: QuerySet[Turn]) -> Any:
    return turns.order_by("-enqueue_seq").values_list(
        "turn_id", "target_id", "status", "source_event_id", "enqueue_seq", "error_code"
    )[:TURNS_SHOWN]


_TURNS_OF = PreparedSelect(  # by its messages, for which there is an index
    lambda correlation_id: _newest(Turn.objects.filter(source_event__correlation_id=correlation_id))
)
_OPEN = PreparedSelect(lambda: _newest(Turn.objects.filter(ended_at=None)))
_OPEN_TURNS = PreparedSelect(
    lambda target: Turn.objects.filter(target_id=target, ended_at=None).values_list("enqueue_seq")
)


class LogReader:
    """Pages of the log for a model: which events, and how much text of each, is the reader's kind."""

    def __init__(
        self, readable: Callable[[EventQuerySet], EventQuerySet], *, usual: int, text_chars: int = TEXT_CHARS
    ) -> None:
        self._usual, self._text_chars = usual, text_chars

        def events() -> EventQuerySet:
            return readable(Event.objects.with_shown_body().filter(room_id=MAIN_ROOM))

        self._later = PreparedSelect(lambda seq: _page(events().filter(seq__gt=seq).order_by("seq")))
        self._earlier = PreparedSelect(lambda seq: _page(events().filter(seq__lt=seq).order_by("-seq")))
        self._later_of = PreparedSelect(
            lambda seq, correlation_id: _page(
                events().filter(correlation_id=correlation_id, seq__gt=seq).order_by("seq"),
            )
        )
        self._earlier_of = PreparedSelect(
            lambda seq, correlation_id: _page(
                events().filter(correlation_id=correlation_id, seq__lt=seq).order_by("-seq"),
            )
        )

    def read(self, asked: ReadRequest, turns: Callable[[], list[ReadTurn]]) -> RoomRead:
        """The events after `after_seq`, or the newest without it, of the room or of one correlation; `turns` are read
        in the same moment, for a read without a correlation.

        Raises:
            GroupXError: NOT_FOUND for a correlation of which nothing is in the room.
        """
        limit = asked.limit or self._usual
        text_chars = self._text_chars if limit > 1 else PAGE_CHARS
        with snapshot():
            of = asked.correlation_id
            if of is not None and not Event.objects.filter(correlation_id=of, room_id=MAIN_ROOM).exists():
                raise GroupXError(
                    ErrorCode.NOT_FOUND,
                    f"Nothing in the room belongs to the correlation “{of}”.",
                    issues=[issue("correlationId", "no such correlation")],
                )
            end = last_seq()
            if asked.after_seq is None:
                events, has_more = _fitting(_rows(self._earlier, self._earlier_of, end + 1, of), limit, text_chars)
                events, has_more = events[::-1], False
            else:
                events, has_more = _fitting(_rows(self._later, self._later_of, asked.after_seq, of), limit, text_chars)
            read_through = events[-1]["seq"] if has_more else end  # whatever was asked for
            return {
                "events": events,
                "nextAfterSeq": read_through,
                "hasMore": has_more,
                "turns": turns_of(of) if of is not None else turns(),
            }


_OF_MEMBERS = LogReader(lambda events: events.exclude(type__in=NOT_READ), usual=USUALLY_READ)


def read_room(asked: ReadRequest, turn: CallersTurn) -> RoomRead:
    """For an agent in `turn`: the public log without reasoning and tool records.

    Raises:
        GroupXError: NOT_FOUND for a correlation of which nothing is in the room.
    """
    return _OF_MEMBERS.read(asked, lambda: turns_of(turn.root_correlation_id))


def _rows(
    of_room: PreparedSelect, of_correlation: PreparedSelect, seq: int, correlation_id: str | None
) -> Iterator[tuple[Any, ...]]:
    """From the side of `seq` on; fetched as they are taken."""
    while True:
        page = of_room.fetch_all(seq) if correlation_id is None else of_correlation.fetch_all(seq, correlation_id)
        yield from page
        if len(page) < _FETCHED_AT_ONCE:
            return
        seq = page[-1][0]


def _fitting(rows: Iterator[tuple[Any, ...]], limit: int, text_chars: int) -> tuple[list[ReadEvent], bool]:
    """The first of them, at least one, and whether there are others."""
    chosen: list[ReadEvent] = []
    chars_left = PAGE_CHARS
    for row in rows:
        event = _event(row, text_chars)
        chars_left -= len(dump(event["body"]))
        if chosen and (len(chosen) == limit or chars_left < 0):
            return chosen, True
        chosen.append(event)
    return chosen, False


def _event(row: tuple[Any, ...], most_chars: int) -> ReadEvent:
    seq, event_id, type_, actor_id, occurred_at, correlation_id, to, reply_to, forwarded, causation, body = row
    shown: ReadEvent = {
        "seq": seq,
        "eventId": event_id,
        "type": type_,
        "actorId": actor_id,
        "occurredAt": iso(occurred_at),
        "correlationId": correlation_id,
        "body": _cut(body, most_chars),
    }
    if to:
        shown["to"] = to
    if reply_to:
        shown["replyToEventId"] = reply_to
    if forwarded:
        shown["forwardedEventId"] = forwarded
    if causation:
        shown["causationId"] = causation
    return shown


def _cut(body: Mapping[str, Any], most_chars: int) -> dict[str, Any]:
    """Its texts cut; of a body cut before, the length of the whole is known."""
    found = dict(body)
    for name, text in body.items():
        if isinstance(text, str) and len(text) > most_chars:
            found |= {name: text[:most_chars], "truncated": True, "fullLength": body.get("fullLength", len(text))}
    return found


def turns_of(correlation_id: str) -> list[ReadTurn]:
    """How its turns stand, oldest first, the newest TURNS_SHOWN of them."""
    return _shown(_TURNS_OF.fetch_all(correlation_id))


def open_turns() -> list[ReadTurn]:
    """The same of all turns of the room that have not ended."""
    return _shown(_OPEN.fetch_all())


def _shown(found: Sequence[tuple[Any, ...]]) -> list[ReadTurn]:
    waiting = {target for _, target, status, *_ in found if status == TurnStatus.QUEUED}
    places = {target: [seq for (seq,) in _OPEN_TURNS.fetch_all(target)] for target in waiting}
    shown: list[ReadTurn] = []
    for turn_id, target, status, source, seq, error_code in reversed(found):
        turn: ReadTurn = {"turnId": turn_id, "target": target, "status": TurnStatus(status), "sourceEventId": source}
        if status == TurnStatus.QUEUED:
            turn["queuePosition"] = sum(1 for place in places[target] if place < seq)
        if error_code:
            turn["errorCode"] = error_code
        shown.append(turn)
    return shown
