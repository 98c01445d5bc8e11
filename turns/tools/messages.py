"""`send` and `publish`: what an agent says to others while it is in a turn (edge)."""

from rooms.transactions import in_db
from turns import member_commands
from turns.answers import MessageAccepted, Published
from turns.member_requests import PublishRequest, SendRequest
from turns.tools.tool import Tool, ToolCall


async def _send(request: SendRequest, call: ToolCall) -> MessageAccepted:
    receipt = await in_db(
        member_commands.send, request, member=call.member, limits=call.room.limits, clock=call.room.clock
    )
    return receipt.result


async def _publish(request: PublishRequest, call: ToolCall) -> Published:
    receipt = await in_db(
        member_commands.publish, request, member=call.member, limits=call.room.limits, clock=call.room.clock
    )
    return receipt.result


SEND = Tool(
    name="send",
    description=(
        "Gives each agent in `to` a new turn with this message and returns at once; their answers appear in the room, "
        "not here. A busy agent takes it up after the turns before it. Everybody can read the message."
    ),
    request=SendRequest,
    answer=MessageAccepted,
    run=_send,
)
PUBLISH = Tool(
    name="publish",
    description=(
        "Says something to everybody and wakes nobody: others see it in their next turn, or when they read. For "
        "progress, objections and results, also to agents that are working right now."
    ),
    request=PublishRequest,
    answer=Published,
    run=_publish,
)
