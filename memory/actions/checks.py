"""What a record may say of others is there: its scope, its subject, its source. Joins the caller's transaction."""

from groupx.kernel.errors import ErrorCode, GroupXError, invalid, issue
from memory.drafts import MemoryDraft
from memory.vocabulary import MAX_RECORD_CHARACTERS, MemoryScope
from rooms.caller import Caller
from rooms.models import Actor, Event
from rooms.vocabulary import MAIN_ROOM, ActorKind


def check_content(content: str) -> None:
    """
    Raises:
        GroupXError: MESSAGE_TOO_LARGE.
    """
    if len(content) > MAX_RECORD_CHARACTERS:
        raise GroupXError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"The content has {len(content):,} characters; at most {MAX_RECORD_CHARACTERS:,} are taken.",
            issues=[issue("content", f"at most {MAX_RECORD_CHARACTERS} characters")],
        )


def check_scope(draft: MemoryDraft, caller: Caller) -> None:
    """
    Raises:
        GroupXError: NOT_FOUND for another room or a correlation of which nothing is in it, UNKNOWN_ACTOR for no agent,
            INVALID_ENVELOPE for an agent's own memory that is about somebody else or is written by another agent.
    """
    match draft.scope_type:
        case MemoryScope.ROOM if draft.scope_id != MAIN_ROOM:
            raise _not_found(f"There is no room “{draft.scope_id}”.", draft.scope_field, "no such room")
        case MemoryScope.CORRELATION:
            if not Event.objects.filter(correlation_id=draft.scope_id, room_id=MAIN_ROOM).exists():
                raise _not_found(
                    f"Nothing in the room belongs to the correlation “{draft.scope_id}”.",
                    draft.scope_field,
                    "no such correlation",
                )
        case MemoryScope.AGENT:
            check_actor(draft.scope_id, draft.scope_field, (ActorKind.AGENT,))
            if draft.subject_id != draft.scope_id:
                raise invalid("An agent's own memory is about that agent.", "subjectActorId")
            if caller.actor.kind is ActorKind.AGENT and caller.actor.actor_id != draft.scope_id:
                raise invalid("An agent's own memory is written by itself or by a person.", draft.scope_field)


def check_actor(actor_id: str, path: str, kinds: tuple[ActorKind, ...] = (ActorKind.USER, ActorKind.AGENT)) -> None:
    """
    Raises:
        GroupXError: UNKNOWN_ACTOR for nobody of these kinds.
    """
    if not Actor.objects.filter(actor_id=actor_id, kind__in=[kind.value for kind in kinds]).exists():
        raise GroupXError(
            ErrorCode.UNKNOWN_ACTOR, f"Nobody in the room is called {actor_id}.", issues=[issue(path, "no such actor")]
        )


def check_source(event_id: str | None) -> None:
    """
    Raises:
        GroupXError: NOT_FOUND.
    """
    if event_id is not None and not Event.objects.filter(event_id=event_id, room_id=MAIN_ROOM).exists():
        raise _not_found("The event that it was learnt from is not in the room.", "sourceEventId", "no such event")


def _not_found(message: str, path: str, what: str) -> GroupXError:
    return GroupXError(ErrorCode.NOT_FOUND, message, issues=[issue(path, what)])
