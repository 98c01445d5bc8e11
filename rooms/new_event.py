"""An event that shall be appended: everything but its seq and time. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from groupx.kernel.ids import new_event_id

from .bodies import Body
from .envelope import ActorRef
from .vocabulary import SourceKind


@dataclass(frozen=True, kw_only=True)
class NewEvent:
    body: Body
    actor: ActorRef
    source_kind: SourceKind
    correlation_id: str
    root_correlation_id: str
    to: Sequence[str] = ()
    causation_id: str | None = None
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    idempotency_key: str | None = None
    event_id: str = field(default_factory=new_event_id)
