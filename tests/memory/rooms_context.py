"""Steps for tests of the room's context: messages, a summary, a reset."""

from collections.abc import Sequence

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.ids import new_summary_id
from memory import commands
from memory.context_answers import ContextUsage
from memory.models import Summary
from memory.queries.context_usage import context_usage
from rooms.caller import Caller, web_caller
from rooms.queries import last_seq
from rooms.requests import Command
from rooms.vocabulary import MAIN_ROOM
from tests import given

MAX_CHARACTERS = 256_000


def usage() -> ContextUsage:
    return context_usage(MAX_CHARACTERS)


def said(*contents: str, clock: Clock) -> None:
    for content in contents:
        given.sent(given.a_message("builder", content=content), clock=clock, limits=Limits(queue_per_agent=10_000))


def many(count: int) -> Sequence[str]:
    return [f"message {number}" for number in range(count)]


def reset(*, clock: Clock, command_id: str | None = None, caller: Caller | None = None) -> dict:
    command = Command(client_command_id=command_id or given.command_id())
    receipt = commands.begin_anew(command, caller=caller or web_caller(), max_characters=MAX_CHARACTERS, clock=clock)
    return receipt.result


def summarised(content: str = "What was said.", *, clock: Clock, through_seq: int | None = None) -> Summary:
    """A summary of everything, or up to a seq."""
    return Summary.objects.create(
        summary_id=new_summary_id(),
        room_id=MAIN_ROOM,
        writer_id="agent:builder",
        from_seq=1,
        through_seq=through_seq or last_seq(),
        content=content,
        created_at=clock.now(),
    )
