"""What stands in an exported transcript, line by line, and what makes the whole of it one log. Pure.

A file is a log when its events are the first ones of one room, each exactly once: seqs 1, 2, 3 … without a hole.
Fields that this version does not know are left out, types that it does not know are kept.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, Field, ValidationError

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.shapes import VendorShape, refuse_unstorable
from rooms.requests import MAX_SEQ
from rooms.vocabulary import FORBIDDEN_TYPE_PREFIXES, MAIN_ROOM, SCHEMA, Durability, SourceKind

MAX_LINE_CHARACTERS = 200_000_000
"""More than the largest answer that is kept, escaped; a file that has no lines at all is not read into memory."""

Name = Annotated[str, Field(min_length=1, max_length=64)]
ActorId = Annotated[str, Field(pattern=r"^(user|agent|system):.+$", max_length=80)]


def _allowed(type_: str) -> str:
    if type_.startswith(FORBIDDEN_TYPE_PREFIXES):
        raise ValueError("is reserved and never stored")
    return type_


def _exactly(wanted: str) -> AfterValidator:
    def check(given: str) -> str:
        if given != wanted:
            raise ValueError(f"must be “{wanted}”")
        return given

    return AfterValidator(check)


class ExportedActor(VendorShape):
    actor_id: ActorId
    display_name: Annotated[str, Field(min_length=1, max_length=80)]
    instance_id: Name | None = None


class ExportedProvenance(VendorShape):
    source_kind: SourceKind


class ExportedEvent(VendorShape):
    schema_: Annotated[str, Field(alias="schema"), _exactly(SCHEMA)]
    event_id: Name
    seq: Annotated[int, Field(strict=True, ge=1, le=MAX_SEQ)]
    room_id: Annotated[str, _exactly(MAIN_ROOM)]
    type: Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_allowed)]
    actor: ExportedActor
    to: list[ActorId]
    correlation_id: Name
    root_correlation_id: Name
    causation_id: Name | None = None
    reply_to_event_id: Name | None = None
    forwarded_event_id: Name | None = None
    occurred_at: AwareDatetime
    durability: Annotated[str, _exactly(Durability.DURABLE.value)]
    body: dict[str, Any]
    provenance: ExportedProvenance


def read_events(lines: Iterable[str]) -> Iterator[ExportedEvent]:
    """The events of a transcript, in order.

    Raises:
        GroupXError: INVALID_ENVELOPE naming the line, the field and what is wrong with it: no event, not the next seq,
            an event that stands there twice, or an export that broke off.
    """
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        event = _read(number, line)
        if event.seq != number:
            raise _wrong(number, "seq", f"is {event.seq}, and {number} comes next: import an export from the start")
        if event.event_id in seen:
            raise _wrong(number, "eventId", f"stands there twice: {event.event_id}")
        seen.add(event.event_id)
        yield event


def _read(number: int, line: str) -> ExportedEvent:
    if len(line) > MAX_LINE_CHARACTERS:
        raise _wrong(number, "", "this is no transcript: the line is too long")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _wrong(number, "", "this is not JSON; an export has one event a line") from None
    if isinstance(value, dict) and "error" in value and "eventId" not in value:
        raise _wrong(number, "", "the export broke off here; export again")
    try:
        refuse_unstorable(value)
        return ExportedEvent.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        raise _wrong(number, path, first["msg"].removeprefix("Value error, ")) from None
    except GroupXError as error:
        raise _wrong(number, "", error.message) from None


def _wrong(number: int, path: str, what: str) -> GroupXError:
    where = f"Line {number}, {path}" if path else f"Line {number}"
    return GroupXError(ErrorCode.INVALID_ENVELOPE, f"{where}: {what.rstrip('.')}.", line=number)
