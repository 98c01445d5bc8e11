"""Who is asking. Made by an edge from its channel, never from what was sent."""

from dataclasses import dataclass

from .envelope import ActorRef
from .vocabulary import SYSTEM_ACTOR, WEB_BINDING, WEB_USER, SourceKind

PERSON = ActorRef(actor_id=WEB_USER, display_name="You")
SYSTEM = ActorRef(actor_id=SYSTEM_ACTOR, display_name="GroupX")


@dataclass(frozen=True, kw_only=True)
class Caller:
    actor: ActorRef
    binding_id: str
    source_kind: SourceKind


def web_caller() -> Caller:
    """Whoever writes through REST on this machine."""
    return Caller(actor=PERSON, binding_id=WEB_BINDING, source_kind=SourceKind.WEB)
