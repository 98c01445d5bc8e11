"""`steer`: an observer redirects the worker that it watches (edge)."""

from rooms.transactions import in_db
from turns import member_commands
from turns.answers import Steered
from turns.supervision_requests import SteerRequest
from turns.tools.tool import Tool, ToolCall


async def _run(request: SteerRequest, call: ToolCall) -> Steered:
    receipt = await in_db(
        member_commands.steer, request, member=call.member, limits=call.room.limits, clock=call.room.clock
    )
    return receipt.result


STEER = Tool(
    name="steer",
    description=(
        "For observers, in the turn that made them one: gives the worker you watch a new turn with your guidance, "
        "after its present turn (nudge) or instead of it (interrupt cancels that turn whole). Everybody can read the "
        "guidance and your reason. It approves nothing, and cannot stop a single tool call."
    ),
    request=SteerRequest,
    answer=Steered,
    run=_run,
)
