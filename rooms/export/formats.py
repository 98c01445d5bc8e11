"""How an exported event looks, and what may be asked for (docs/protocol.md, "Export"). Pure.

jsonl has every event whole. Markdown has messages, dispatches, turns that ended badly, stops at limits, resets of the
context and what observers do; what others wrote stands in fences that nothing inside them can close, so no text of a
model can pass for a heading of ours.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from groupx.kernel.clock import iso
from groupx.kernel.errors import GroupXError
from groupx.kernel.problems import error_body
from groupx.kernel.shapes import FROM_DIGITS, parse_query
from rooms.envelope import Envelope, dump
from rooms.requests import MAX_SEQ, RoomQuery
from rooms.vocabulary import CONTEXT_TYPES, EventType

_BACKTICKS = re.compile(r"`+")
_MARKUP = re.compile(r"([\\`*_\[\]#|<>&~])")
_CONTROLS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}
"""Shown as their pictures: a terminal obeys them, and some are line ends."""
_ENDINGS = {
    EventType.TURN_FAILED.value: "failed",
    EventType.TURN_CANCELLED.value: "was cancelled",
    EventType.TURN_INTERRUPTED.value: "was interrupted",
}


class ExportFormat(StrEnum):
    JSONL = "jsonl"
    MARKDOWN = "md"

    @property
    def content_type(self) -> str:
        return "application/jsonl" if self is ExportFormat.JSONL else "text/markdown; charset=utf-8"


_LOOPS = frozenset({EventType.ROUTING_LOOP_STOPPED.value, EventType.ROUTING_LOOP_RELEASED.value})
_WATCHES = frozenset({EventType.SUPERVISION_PAIRED.value, EventType.SUPERVISION_STEERED.value})
MARKDOWN_TYPES = frozenset(
    {
        EventType.MESSAGE_CREATED.value,
        EventType.OPERATOR_DISPATCH.value,
        EventType.TURN_DISPATCHED.value,
        EventType.CONTEXT_RESET.value,
        *_ENDINGS,
        *_LOOPS,
        *_WATCHES,
    }
)
"""What Markdown shows; jsonl has every event."""


class ExportRequest(RoomQuery):
    format: Annotated[
        ExportFormat,
        Field(strict=False, description="One envelope a line, or Markdown to read."),
    ] = ExportFormat.JSONL
    after_seq: Annotated[
        int, Field(ge=0, le=MAX_SEQ, description="Events after this seq; 0 is from the start."), FROM_DIGITS
    ] = 0


def read_request(query_string: bytes) -> ExportRequest:
    """
    Raises:
        GroupXError: INVALID_ENVELOPE naming the parameter.
    """
    return parse_query(ExportRequest, query_string.decode("latin-1"))


def file_name(format: ExportFormat, after_seq: int, through_seq: int) -> str:
    """Tells what is inside; safe in a header and on every file system."""
    return f"groupx-{after_seq + 1}-{through_seq}.{format.value}" if through_seq > after_seq else f"groupx.{format}"


# ---------------------------------------------------------------- jsonl
def jsonl_line(envelope: Envelope) -> str:
    """One event, whole, as one line with its end."""
    return dump(envelope.wire()) + "\n"


# ---------------------------------------------------------------- Markdown
def markdown_head(title: str, after_seq: int, through_seq: int, now: datetime) -> str:
    which = f"Events {after_seq + 1} to {through_seq}" if through_seq > after_seq else "No events"
    return f"# {_plain(title)}\n\n{which}, exported {iso(now)}.\n"


def markdown_end(through_seq: int) -> str:
    """Without it an export is not complete."""
    return f"\n---\n\nEnd of the export, event {through_seq}.\n"


def markdown_entry(envelope: Envelope, names: Mapping[str, str]) -> str:
    """One event of MARKDOWN_TYPES with a blank line before it; `names` are actors' display names by id."""
    body = envelope.body
    who = _plain(envelope.actor.display_name)
    if envelope.type in CONTEXT_TYPES:
        receivers = ", ".join(_name(actor_id, names) for actor_id in envelope.to)
        verb = "gave work to" if envelope.type == EventType.OPERATOR_DISPATCH.value else "to"
        heading = f"{who} {verb} {receivers}" if receivers else who
        facts = [iso(envelope.occurred_at), envelope.event_id]
        facts += [f"reply to {envelope.reply_to_event_id}"] if envelope.reply_to_event_id else []
        return f"\n## {envelope.seq} · {heading}\n\n{' · '.join(facts)}\n\n{fenced(str(body.get('content', '')))}"
    if envelope.type in _LOOPS:
        return f"\n*{envelope.seq} · {iso(envelope.occurred_at)} · {who}: {_plain(str(body.get('message', '')))}*\n"
    if envelope.type in _WATCHES:
        return _of_observers(envelope, names)
    if envelope.type == EventType.CONTEXT_RESET.value:
        return f"\n*{envelope.seq} · {iso(envelope.occurred_at)} · {who} let the context of later turns begin here*\n"
    target = _name(str(body.get("targetActorId", "")), names)
    turn = body.get("turnId", "")
    if envelope.type == EventType.TURN_DISPATCHED.value:
        return f"\n*{envelope.seq} · {iso(envelope.occurred_at)} · dispatched to {target} · {turn}*\n"
    code = f" · {_plain(str(body['errorCode']))}" if body.get("errorCode") else ""
    ended = f"\n*{envelope.seq} · {iso(envelope.occurred_at)} · {target} {_ENDINGS[envelope.type]}{code} · {turn}*\n"
    texts = [str(body[name]) for name in ("message", "hint", "partialText") if body.get(name)]
    return ended + "".join(f"\n{fenced(text)}" for text in texts)


def _of_observers(envelope: Envelope, names: Mapping[str, str]) -> str:
    """Who watches whom, or who steered whom, why and out of which turn."""
    body = envelope.body
    begin = f"\n*{envelope.seq} · {iso(envelope.occurred_at)} · "
    if envelope.type == EventType.SUPERVISION_PAIRED.value:
        watchers, workers = (
            ", ".join(_name(str(turn.get("targetActorId", "")), names) for turn in body.get(part, ()))
            for part in ("watchers", "workers")
        )
        return f"{begin}{watchers} to watch {workers}*\n"
    did = "interrupted" if body.get("action") == "interrupt" else "nudged"
    target = _name(str(body.get("targetActorId", "")), names)
    reason = _plain(str(body.get("reason", "")))
    who = _plain(envelope.actor.display_name)
    return f"{begin}{who} {did} {target}: {reason} · {body.get('subjectTurnId', '')}*\n"


def fenced(text: str) -> str:
    """The text exactly, in a fence longer than any run of backticks in it."""
    runs = [len(run) for run in _BACKTICKS.findall(text)]
    fence = "`" * max(3, 1 + max(runs, default=0))
    shown = text.replace("\r\n", "\n").translate(_CONTROLS)
    return f"{fence}text\n{shown}{'' if shown.endswith('\n') else '\n'}{fence}\n"


def _name(actor_id: str, names: Mapping[str, str]) -> str:
    return _plain(names.get(actor_id, actor_id))


def _plain(text: str) -> str:
    """On one line, without any meaning as Markdown or HTML."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()).translate(_CONTROLS))


# ---------------------------------------------------------------- an export that fails on its way
def broken_off(format: ExportFormat, error: GroupXError) -> str:
    """The last line of an export that could not be read to its end."""
    if format is ExportFormat.JSONL:
        return dump(error_body(error)) + "\n"
    return f"\n---\n\nThe export breaks off here: {_plain(error.message)}\n"
