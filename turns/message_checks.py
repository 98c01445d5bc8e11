"""What every new message of the room is checked for, whoever writes it."""

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError, issue
from rooms.models import Event
from rooms.vocabulary import CONTEXT_TYPES, MAIN_ROOM


def check_size(content: str, limits: Limits) -> None:
    """
    Raises:
        GroupXError: MESSAGE_TOO_LARGE.
    """
    if len(content) > limits.message_characters:
        raise GroupXError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"The message has {len(content):,} characters; at most {limits.message_characters:,} are taken.",
            issues=[issue("content", f"at most {limits.message_characters} characters")],
        )


def check_reply(event_id: str | None) -> None:
    """
    Raises:
        GroupXError: NOT_FOUND for an event that is not in the room.
    """
    if event_id is not None and not Event.objects.filter(event_id=event_id, room_id=MAIN_ROOM).exists():
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            "The message that this one replies to is not in the room.",
            issues=[issue("replyToEventId", "no such event")],
        )


def check_forwarded(event_id: str | None) -> None:
    """Only what was said can be forwarded: messages, and work that was handed out.

    Raises:
        GroupXError: NOT_FOUND for anything else.
    """
    if (
        event_id is not None
        and not Event.objects.filter(event_id=event_id, room_id=MAIN_ROOM, type__in=CONTEXT_TYPES).exists()
    ):
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            "The message that shall be forwarded is not in the room.",
            issues=[issue("forwardedEventId", "no such message")],
        )
