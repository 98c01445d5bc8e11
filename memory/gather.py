"""Rows to packet inputs: the impure half of packet.py. Reads the log, writes nothing."""

from typing import Any

from django.db.models import QuerySet

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.envelope import SHOWN_CHARS
from rooms.models import Actor, Event
from rooms.prepared import PreparedSelect
from rooms.transactions import snapshot
from rooms.vocabulary import CONTEXT_TYPES, MAIN_ROOM, EventType

from .gather_records import gather_records
from .packet import PacketInputs, WatchedTask
from .packet_text import PacketMessage
from .queries.summaries import context_floor, standing_summary
from .vocabulary import REPLY_CHAIN_LENGTH

PAGE = 50
_FIELDS = ("event_id", "seq", "actor_id", "source_kind", "to", "reply_to_event_id")


def _candidates(after_seq: Any, before_seq: Any, source_event_id: Any, own_id: Any) -> QuerySet[Event]:
    """What may be context between two seqs, without the message that is answered and the agent's own."""
    between = Event.objects.with_shown_body().filter(
        room_id=MAIN_ROOM, type__in=CONTEXT_TYPES, seq__gt=after_seq, seq__lt=before_seq
    )
    return between.exclude(event_id=source_event_id).exclude(actor_id=own_id)


_TARGET = PreparedSelect(
    lambda actor_id: Actor.objects.filter(actor_id=actor_id).values_list("display_name", "identity")
)


class _Messages:
    """The two reads of messages, with the body whole or as pages show it."""

    def __init__(self, body: str) -> None:
        fields = (*_FIELDS, body)
        shown = Event.objects.with_shown_body
        self.one = PreparedSelect(
            lambda event_id: shown().filter(event_id=event_id, type__in=CONTEXT_TYPES).values_list(*fields)
        )
        self.page = PreparedSelect(
            lambda after_seq, before_seq, source_event_id, own_id: (
                _candidates(after_seq, before_seq, source_event_id, own_id).order_by("-seq").values_list(*fields)[:PAGE]
            )
        )


_WHOLE, _CUT = _Messages("body"), _Messages("shown_body")
_BRIEF = PreparedSelect(
    lambda event_id: Event.objects.filter(event_id=event_id, type=EventType.SUPERVISION_BRIEF.value).values_list(
        *_FIELDS, "body"
    )
)


def gather_packet_inputs(
    *,
    target_id: str,
    source: str | PacketMessage,
    root_correlation_id: str,
    given_through_seq: int | None,
    through_seq: int,
    max_chars: int,
) -> PacketInputs:
    """What the packet of one turn is made of, as of `through_seq`.

    `source` is the message that is answered: its event id, or a draft that is in no log yet. `given_through_seq`: up to
    where the native session has been given the room. It already knows what this agent wrote itself, so the agent's own
    messages are left out; None for a session that was given nothing.
    """
    with snapshot():
        target_name, identity = _TARGET.fetch_all(target_id)[0]
        # A text that is cut for pages is longer than such a packet anyway; nothing is gained by loading all of it.
        messages = _CUT if max_chars <= SHOWN_CHARS else _WHOLE
        current, watched = (source, None) if isinstance(source, PacketMessage) else _source(messages, source)
        own_id = "" if given_through_seq is None else target_id
        begins_after = min(max(given_through_seq or 0, context_floor()), through_seq)
        summary = standing_summary(through_seq)
        if summary is not None and summary.through_seq <= begins_after:
            summary = None  # all that it stands for has been given, or it itself
        if summary is not None:
            begins_after = summary.through_seq
        delta, older = _delta(messages, own_id, current.event_id, begins_after, through_seq, max_chars)
        kept = gather_records(target_id, root_correlation_id, current.content, through_seq)
        return PacketInputs(
            room_id=MAIN_ROOM,
            target_id=target_id,
            target_name=target_name,
            identity=identity,
            after_seq=begins_after,
            through_seq=through_seq,
            delta=delta,
            older_in_room=older,
            reply_chain=_reply_chain(messages, current),
            current=current,
            max_chars=max_chars,
            watched=watched,
            summary=summary,
            core_memory=kept.core,
            dated_memory=kept.dated,
            pinned_memory=kept.pinned,
            relevant_memory=kept.relevant,
            self_identity=kept.identity_by_self,
            user_identity=kept.identity_by_user,
            observed_identity=kept.identity_observed,
            more_core_memory=kept.more_core,
            more_dated_memory=kept.more_dated,
            more_room_memory=kept.more_of_room,
            more_identity=kept.more_identity,
        )


def _delta(
    messages: _Messages,
    own_id: str,
    source_event_id: str,
    after_seq: int,
    through_seq: int,
    max_chars: int,
) -> tuple[list[PacketMessage], int]:
    """The newest messages behind `after_seq` that can possibly fit, oldest first, and how many older ones there are."""
    found: list[PacketMessage] = []
    chars, before = 0, through_seq + 1
    while chars < max_chars:
        page = messages.page.fetch_all(after_seq, before, source_event_id, own_id)
        found += [_message(row) for row in page]
        chars += sum(len(message.content) for message in found[-len(page) :]) if page else 0
        if len(page) < PAGE:
            return found[::-1], 0
        before = page[-1][1]
    return found[::-1], _candidates(after_seq, before, source_event_id, own_id).count()


def _reply_chain(messages: _Messages, current: PacketMessage) -> list[PacketMessage]:
    chain: list[PacketMessage] = []
    parent_id = current.reply_to
    while parent_id and len(chain) < REPLY_CHAIN_LENGTH:
        parent = _message_of(messages, parent_id)
        if parent is None:
            break
        chain.append(parent)
        parent_id = parent.reply_to
    return chain[::-1]


def _source(messages: _Messages, event_id: str) -> tuple[PacketMessage, WatchedTask | None]:
    current, watched = _message_of(messages, event_id), None
    if current is None:
        current, watched = _brief_of(messages, event_id)
    if current is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"The source message {event_id} is not in the log.")
    return current, watched


def _brief_of(messages: _Messages, event_id: str) -> tuple[PacketMessage | None, WatchedTask | None]:
    """What an observer's turn is given. Nobody else is: a brief is context of no turn but its own."""
    row = _BRIEF.fetch_first(event_id)
    if row is None:
        return None, None
    body = row[-1]
    task = _message_of(messages, body["taskEventId"])
    if task is None:
        return None, None
    turns = tuple((turn["turnId"], turn["targetActorId"]) for turn in body["workers"])
    watched = WatchedTask(event_id=task.event_id, author=task.author, content=task.content, turns=turns)
    return _message(row), watched


def _message_of(messages: _Messages, event_id: str) -> PacketMessage | None:
    """Only what may be context: a reply to a reasoning or tool record does not pull it in."""
    row = messages.one.fetch_first(event_id)
    return _message(row) if row else None


def _message(row: tuple) -> PacketMessage:
    event_id, seq, actor_id, source_kind, to, reply_to, body = row
    return PacketMessage(
        event_id=event_id,
        seq=seq,
        author=actor_id,
        source=source_kind,
        content=body.get("content", ""),
        to=tuple(to),
        reply_to=reply_to,
    )
