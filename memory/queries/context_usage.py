"""How much of the room a turn would be given that knows nothing of it yet. Counted in characters, never in tokens.

An open page asks this after each message, of a room that may have a hundred thousand of them. What was said between two
seqs never changes, so this process keeps the sum from where the context begins and adds what is new.
"""

from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, Sum, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Length, Replace

from groupx.kernel.clock import iso
from groupx.kernel.ids import new_event_id
from memory.compaction_plan import VERBATIM_MESSAGES
from memory.context_answers import ContextUsage
from memory.models import Summary
from memory.packet_text import BETWEEN_PARTS, QUOTE, PacketMessage, StandingSummary, head, section, summary_entry
from memory.queries.summaries import context_floor, standing_summary
from memory.vocabulary import SOFT_SHARE
from rooms.models import Event
from rooms.prepared import PreparedSelect
from rooms.queries import epoch, last_seq
from rooms.transactions import snapshot
from rooms.vocabulary import CONTEXT_TYPES, MAIN_ROOM, EventType

_HEADING_CHARACTERS = len(f"[room_delta_since_cursor]{BETWEEN_PARTS}")
_ENTRY_CHARACTERS = len(
    f"\n{head(PacketMessage(event_id=new_event_id(), seq=0, author='', source='', content=''))}\n{QUOTE}"
)
"""Of an entry, without its author, source, text and all digits of its seq but one."""
_REPLY_CHARACTERS = len(f" reply_to={new_event_id()}")


def _quoted_length(text: Any) -> Length:
    return Length(Replace(text, Value("\n"), Value(f"\n{QUOTE}")))


_WRITTEN_AT = PreparedSelect(lambda summary_id: Summary.objects.filter(summary_id=summary_id).values_list("created_at"))
_RESET_AT = PreparedSelect(
    lambda: (
        Event.objects.filter(room_id=MAIN_ROOM, type=EventType.CONTEXT_RESET.value)
        .order_by("-seq")
        .values_list("occurred_at")[:1]
    )
)
_SAID = PreparedSelect(
    lambda after_seq, through_seq: (
        Event.objects.filter(room_id=MAIN_ROOM, type__in=CONTEXT_TYPES, seq__gt=after_seq, seq__lte=through_seq)
        .order_by()
        .values("room_id")
        .annotate(
            messages=Count("pk"),
            replies=Count("reply_to_event_id"),
            texts=Sum(Coalesce(_quoted_length(KT("body__content")), 0)),
            # the targets as JSON are about as long as in an entry
            heads=Sum(Length("actor_id") + Length("source_kind") + Length("to")),
        )
        .values_list("messages", "replies", "texts", "heads")
    )
)


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What was said behind one seq, up to another."""

    epoch: str
    after_seq: int
    through_seq: int
    messages: int = 0
    characters: int = 0

    @property
    def as_section(self) -> int:
        return self.characters + _HEADING_CHARACTERS if self.messages else 0


_kept: _Said | None = None
"""The newest sum of this process."""


def context_usage(max_characters: int, room_id: str = MAIN_ROOM) -> ContextUsage:
    """As of one moment. Joins a transaction where one is open, and then counts what that has written.

    Raises:
        GroupXError: NOT_FOUND if there is no such room.
    """
    with snapshot():
        through_seq = last_seq(room_id)
        floor = context_floor()
        summary = standing_summary(through_seq)
        said = _said(summary.through_seq if summary else floor, through_seq)
        written = _WRITTEN_AT.fetch_first(summary.summary_id) if summary else None
        reset = _RESET_AT.fetch_first() if floor else None
    characters = said.as_section + (_as_section(summary) if summary else 0)
    trigger = int(max_characters * SOFT_SHARE)
    usage: ContextUsage = {
        "roomId": room_id,
        "throughSeq": through_seq,
        "estimatedCharacters": characters,
        "maxCharacters": max_characters,
        "compactionTriggerCharacters": trigger,
        "utilizationPercent": round(100 * characters / max_characters, 1),
        "uncompactedMessageCount": said.messages,
        "compactable": said.messages > VERBATIM_MESSAGES or (said.messages > 0 and characters > trigger),
    }
    if summary and written:
        usage["summaryThroughSeq"], usage["summaryCreatedAt"] = summary.through_seq, iso(written[0])
    if reset:
        usage["resetThroughSeq"], usage["resetAt"] = floor, iso(reset[0])
    return usage


def _as_section(summary: StandingSummary) -> int:
    return len(section("room_checkpoint_summary", [summary_entry(summary)])) + len(BETWEEN_PARTS)


def _said(after_seq: int, through_seq: int) -> _Said:
    global _kept
    log = epoch()
    known = _kept
    if known is None or (known.epoch, known.after_seq) != (log, after_seq) or known.through_seq > through_seq:
        known = _Said(epoch=log, after_seq=after_seq, through_seq=after_seq)
    said = _with_the_rest(known, through_seq)
    if not connection.in_atomic_block:  # else it may still be undone, and other events get these seqs
        _kept = said
    return said


def _with_the_rest(known: _Said, through_seq: int) -> _Said:
    found = _SAID.fetch_first(known.through_seq, through_seq) if known.through_seq < through_seq else None
    messages, replies, texts, heads = found or (0, 0, 0, 0)
    digits = messages * (len(str(through_seq)) - 1)
    return _Said(
        epoch=known.epoch,
        after_seq=known.after_seq,
        through_seq=through_seq,
        messages=known.messages + messages,
        characters=known.characters
        + messages * _ENTRY_CHARACTERS
        + replies * _REPLY_CHARACTERS
        + digits
        + texts
        + heads,
    )
