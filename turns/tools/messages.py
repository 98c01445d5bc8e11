"""`send` and `publish`: what an agent says to others while it is in a turn (edge)."""

from collections.abc import Mapping, Sequence

from rooms.transactions import in_db, in_reader
from turns import member_commands
from turns.answers import Published, QueuedTurn
from turns.member_answers import Sent, SentTurn
from turns.member_requests import PublishRequest, SendRequest
from turns.queries.resting import resting_agents
from turns.tools.tool import Tool, ToolCall


async def _send(request: SendRequest, call: ToolCall) -> Sent:
    receipt = await in_db(
        member_commands.send, request, member=call.member, limits=call.room.limits, clock=call.room.clock
    )
    accepted = receipt.result
    working, watching = accepted["turns"], accepted.get("watchTurns", [])
    resting = await in_reader(resting_agents, [turn["target"] for turn in [*working, *watching]])
    sent: Sent = {
        "messageEventId": accepted["messageEventId"],
        "correlationId": accepted["correlationId"],
        "turns": sent_turns(working, resting),
    }
    if watching:
        sent["watchTurns"] = sent_turns(watching, resting)
    return sent


def sent_turns(turns: Sequence[QueuedTurn], resting: Mapping[str, str]) -> list[SentTurn]:
    """`resting` is of now, also where the receipt is an old one."""
    return [_sent_turn(turn, resting) for turn in turns]


def _sent_turn(turn: QueuedTurn, resting: Mapping[str, str]) -> SentTurn:
    shown: SentTurn = {
        "target": turn["target"],
        "turnId": turn["turnId"],
        "status": turn["status"],
        "queuePosition": turn["queuePosition"],
    }
    if "activeTurnId" in turn:
        shown["activeTurnId"] = turn["activeTurnId"]
    if turn["target"] in resting:
        shown["note"] = resting[turn["target"]]
    return shown


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
    answer=Sent,
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
