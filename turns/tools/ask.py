"""`ask`: a question to others, and their answers as what the call gives (edge)."""

from anyio import CancelScope

from rooms.transactions import in_db
from turns import member_commands
from turns.member_answers import Asked
from turns.member_requests import AskRequest
from turns.tools.asking import answers_to
from turns.tools.tool import Tool, ToolCall


async def _run(request: AskRequest, call: ToolCall) -> Asked:
    room = call.room
    with CancelScope(shield=True):  # if the client leaves now, it must be known what there is to cancel
        receipt = await in_db(member_commands.ask, request, member=call.member, limits=room.limits, clock=room.clock)
    return await answers_to(receipt.result, request, call, call.member.turn)


ASK = Tool(
    name="ask",
    description=(
        "Gives each agent in `to` a new turn with this question and waits for their answers (timeoutMs, at most 60000, "
        "usually 50000). If one of them has other turns to do first, or the time is over, state is pending: the turns "
        "go on, and collect gets their answers later. cancelOnTimeout stops them instead. Everybody can read it all."
    ),
    request=AskRequest,
    answer=Asked,
    run=_run,
)
