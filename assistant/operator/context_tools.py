"""The assistant's tools of the room's context: how much there is of it, sum it up, begin it anew (edge)."""

import json
from functools import partial
from typing import Literal, NotRequired

from assistant.operator.room import OperatorCall
from groupx.kernel.shapes import OwnShape
from memory import commands
from memory.context_answers import ContextResetDone, ContextUsage
from memory.queries.context_usage import context_usage
from rooms.command_names import CommandName
from rooms.requests import Once
from rooms.transactions import in_db, in_reader
from turns.tools.answer_wait import USUAL_WAIT_MS
from turns.tools.tool import Tool
from turns.tools.waiting import waited_for

IT_GOES_ON = (
    "It goes on. Call again with the same clientCommandId to hear of its end; a new one would do the same work."
)


class Nothing(OwnShape):
    """No arguments."""


class Compaction(ContextUsage):
    """As the context is now."""

    state: Literal["done", "pending"]
    compacted: NotRequired[bool]
    """When it is done: false where there was nothing to sum up."""
    note: NotRequired[str]


async def _usage(request: Nothing, call: OperatorCall) -> ContextUsage:
    return await in_reader(context_usage, call.room.limits.context_characters)


async def _compact(request: Once, call: OperatorCall) -> Compaction:
    compacting = call.room.compactions.answer(request, caller=call.caller, name=CommandName.OPERATOR_CONTEXT_COMPACT)
    answer = await waited_for(compacting, call, seconds=USUAL_WAIT_MS / 1000, doing=lambda: "Summing the room up.")
    if answer is not None:
        return {"state": "done", **json.loads(answer)}
    usage = await in_reader(context_usage, call.room.limits.context_characters)
    return {"state": "pending", **usage, "note": IT_GOES_ON}


async def _reset(request: Once, call: OperatorCall) -> ContextResetDone:
    begin_anew = partial(
        commands.begin_anew,
        max_characters=call.room.limits.context_characters,
        name=CommandName.OPERATOR_CONTEXT_RESET,
    )
    receipt = await in_db(begin_anew, request, caller=call.caller, clock=call.room.clock)
    return receipt.result


CONTEXT_USAGE = Tool(
    name="context_usage",
    description=(
        "Tells how much of the room the next turn of an agent that knows nothing of it would be given, in characters; "
        "an estimate, never tokens. Changes nothing."
    ),
    request=Nothing,
    answer=ContextUsage,
    run=_usage,
)
CONTEXT_COMPACT = Tool(
    name="context_compact",
    description=(
        "Has the older messages of the room summed up now, by one of its agents; the newest 12 stay as they are, and "
        "the transcript stays whole. Waits up to 50 seconds; state is pending when it takes longer."
    ),
    request=Once,
    answer=Compaction,
    run=_compact,
)
CONTEXT_RESET = Tool(
    name="context_reset",
    description=(
        "Begins the room's context anew: later turns are given only what comes from now on. The transcript, memory and "
        "identity stay. It cannot be undone: only when the person wants it."
    ),
    request=Once,
    answer=ContextResetDone,
    run=_reset,
)
