"""What every new message of the room is checked for, whoever writes it, and what only an agent's is."""

from collections.abc import Sequence

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError, issue
from rooms.models import Event
from rooms.vocabulary import CONTEXT_TYPES, MAIN_ROOM
from turns.chain import check_chain, check_cycle, check_limits, waiting_links
from turns.member import CallersTurn
from turns.queries.chain import links_of, use_of_root
from turns.queries.waits import open_observers_of
from turns.state import CommandType


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


def check_call(
    turn: CallersTurn, targets: Sequence[str], command_type: CommandType, limits: Limits, observers: Sequence[str] = ()
) -> None:
    """Whether an agent in `turn` may start one turn for each of `targets`, and one for each of their `observers`, for
    whom nobody waits.

    Raises:
        GroupXError: STORE_CONFLICT for a chain that is not whole; CAUSAL_CYCLE.
        LimitReached: HOP_LIMIT_REACHED, ROOT_TURN_LIMIT_REACHED.
    """
    links = links_of(turn)
    check_chain(turn, links)
    if command_type is CommandType.ASK:
        watching = open_observers_of(link.turn_id for link in waiting_links(links))
        check_cycle(command_type, targets, links, watching)
    called = [*targets, *observers]
    check_limits(called, hop=turn.hop_count + 1, use=use_of_root(turn.root_correlation_id), limits=limits)
