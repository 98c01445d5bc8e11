"""What the assistant sees of the room, and how it stops turns and restarts agents (edge)."""

from assistant.operator.room import OperatorCall
from rooms.transactions import in_db, in_reader
from turns import operator_commands
from turns.answers import CancelAccepted, RestartAccepted
from turns.member_answers import RoomRead
from turns.member_requests import ReadRequest
from turns.operator_answers import Roster, Supervisions, TurnsCancelled
from turns.operator_requests import AgentRestart, RosterRequest, SupervisionStatusRequest, TurnCancel, TurnsCancel
from turns.queries.operator_reading import read_for_operator, roster, supervision_status
from turns.tools.tool import Tool


async def _read(request: ReadRequest, call: OperatorCall) -> RoomRead:
    return await in_reader(read_for_operator, request)


async def _roster(request: RosterRequest, call: OperatorCall) -> Roster:
    return await in_reader(roster)


async def _cancel(request: TurnCancel, call: OperatorCall) -> CancelAccepted:
    return (await in_db(operator_commands.cancel, request, caller=call.caller, clock=call.room.clock)).result


async def _cancel_all(request: TurnsCancel, call: OperatorCall) -> TurnsCancelled:
    return (await in_db(operator_commands.cancel_all, request, caller=call.caller, clock=call.room.clock)).result


async def _restart(request: AgentRestart, call: OperatorCall) -> RestartAccepted:
    return (await in_db(operator_commands.restart, request, caller=call.caller, clock=call.room.clock)).result


async def _supervision(request: SupervisionStatusRequest, call: OperatorCall) -> Supervisions:
    return await in_reader(supervision_status, request)


READ = Tool(
    name="read",
    description=(
        "Reads what was said and done in the room and how turns stand; wakes nobody and changes nothing. Without "
        "afterSeq the newest events (20, at most 200), with it those after that seq; with correlationId only those of "
        "one conversation. Texts are cut to 2000 characters: read a single event (limit 1) for more of it."
    ),
    request=ReadRequest,
    answer=RoomRead,
    run=_read,
)
ROSTER = Tool(
    name="roster",
    description="Tells who is in the room, what each agent does now and how many turns wait for it; changes nothing.",
    request=RosterRequest,
    answer=Roster,
    run=_roster,
)
TURN_CANCEL = Tool(
    name="turn_cancel",
    description="Stops one turn: at once while it waits, soon while it runs. What it asked of others stops with it.",
    request=TurnCancel,
    answer=CancelAccepted,
    run=_cancel,
)
TURNS_CANCEL = Tool(
    name="turns_cancel",
    description=(
        "Stops all open turns of the agents in `to`, of one conversation (correlationId), or of these agents in it."
    ),
    request=TurnsCancel,
    answer=TurnsCancelled,
    run=_cancel_all,
)
AGENT_RESTART = Tool(
    name="agent_restart",
    description=(
        "Starts an agent's process anew; its session goes on where its CLI can resume it. A turn that runs is "
        "interrupted, those that wait stay in its queue."
    ),
    request=AgentRestart,
    answer=RestartAccepted,
    run=_restart,
)
SUPERVISION_STATUS = Tool(
    name="supervision_status",
    description=(
        "Tells which agents watch which turns and how often they steered; the newest pairings, or those of one task "
        "(taskEventId). Changes nothing."
    ),
    request=SupervisionStatusRequest,
    answer=Supervisions,
    run=_supervision,
)
