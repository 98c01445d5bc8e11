"""Who is asking. Made by an edge from its channel, never from what was sent."""

from dataclasses import dataclass

from .envelope import ActorRef
from .vocabulary import (
    ASSISTANT_USER,
    OPERATOR_BINDING,
    SYSTEM_ACTOR,
    WEB_BINDING,
    WEB_USER,
    SourceKind,
)

PERSON = ActorRef(actor_id=WEB_USER, display_name="You")
ASSISTANT_NAME = "Assistant"
"""Where the configuration has no other."""
SYSTEM = ActorRef(actor_id=SYSTEM_ACTOR, display_name="GroupX")


@dataclass(frozen=True, kw_only=True)
class Caller:
    actor: ActorRef
    binding_id: str
    source_kind: SourceKind


def web_caller() -> Caller:
    """Whoever writes through REST on this machine."""
    return Caller(actor=PERSON, binding_id=WEB_BINDING, source_kind=SourceKind.WEB)


def operator_caller(name: str = ASSISTANT_NAME) -> Caller:
    """The room's assistant, whatever it does by the operator's tools; `name` as configured."""
    actor = ActorRef(actor_id=ASSISTANT_USER, display_name=name)
    return Caller(actor=actor, binding_id=OPERATOR_BINDING, source_kind=SourceKind.OPERATOR)
