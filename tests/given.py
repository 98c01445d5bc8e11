"""Histories, made with the real actions: a fixture cannot describe an impossible past."""

import itertools
from zoneinfo import ZoneInfo

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.days import LocalDays
from memory import commands as memory_commands
from memory.packet import ContextPacket
from memory.requests import RememberIdentity, RememberMemory, ReviseMemory
from rooms.actions.bind_session import BoundSession, NewSession, bind_session
from rooms.actions.run_once import Receipt
from rooms.bodies import UsageTold
from rooms.caller import Caller, web_caller
from rooms.envelope import ActorRef
from rooms.requests import Command
from rooms.vocabulary import SourceKind
from turns import commands, member_commands
from turns.actions.claim_turn import ClaimedTurn, claim_turn
from turns.actions.deliver_turn import mark_prompt_invoked, mark_started
from turns.actions.finish_turn import finish_turn
from turns.actions.recover_turns import take_lane
from turns.member import Member
from turns.member_requests import PublishRequest
from turns.models import TurnAttempt
from turns.queries.members import member_of
from turns.requests import SendMessage
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

_numbers = itertools.count(1)
_handles: list[str] = []


def agent(name: str) -> ActorRef:
    return ActorRef(actor_id=f"agent:{name}", display_name=name.title())


def command_id() -> str:
    return f"command-{next(_numbers)}"


def a_message(*names: str, content: str = "hello", **more: object) -> SendMessage:
    return SendMessage.model_validate(
        {"clientCommandId": command_id(), "to": [f"agent:{n}" for n in names], "content": content, **more}
    )


def sent(message: SendMessage, *, clock: Clock, limits: Limits | None = None) -> Receipt:
    return commands.send_message(message, caller=web_caller(), limits=limits or Limits(), clock=clock)


def queued_turn(name: str, *, clock: Clock, content: str = "hello", **more: object) -> str:
    """A person's message to one agent; gives the turn id."""
    return sent(a_message(name, content=content, **more), clock=clock).result["turns"][0]["turnId"]


def remembered(content: str = "a fact", *, clock: Clock, caller: Caller | None = None, **more: object) -> str:
    """Memory, by default the room's and of a person; gives its id."""
    asked = {"clientCommandId": command_id(), "kind": "fact", "content": content, **more}
    command = RememberMemory.model_validate(asked)
    return memory_commands.remember(command, caller=caller or web_caller(), clock=clock).result["memoryId"]


def core_memory(name: str, content: str, *, clock: Clock, caller: Caller | None = None, **more: object) -> str:
    scope = {"type": "agent", "id": f"agent:{name}"}
    return remembered(content, clock=clock, caller=caller, scope=scope, **more)


def superseded(memory_id: str, content: str, *, clock: Clock) -> str:
    command = ReviseMemory(client_command_id=command_id(), content=content)
    return memory_commands.supersede(memory_id, command, caller=web_caller(), clock=clock).result["memoryId"]


def retracted(memory_id: str, *, clock: Clock) -> None:
    memory_commands.retract(memory_id, Command(client_command_id=command_id()), caller=web_caller(), clock=clock)


def identified(subject: str, content: str, *, clock: Clock, caller: Caller | None = None, kind: str = "note") -> str:
    """A record of who somebody is; gives its id."""
    asked = {"clientCommandId": command_id(), "subjectActorId": subject, "kind": kind, "content": content}
    command = RememberIdentity.model_validate(asked)
    return memory_commands.remember_who(command, caller=caller or web_caller(), clock=clock).result["identityId"]


def an_agent_that_calls(name: str, *, clock: Clock) -> Caller:
    """As it is known by an open session of its own."""
    bound = a_session(name, clock=clock)
    who = ActorRef(actor_id=f"agent:{name}", display_name=name.title(), instance_id=bound.instance_id)
    return Caller(actor=who, binding_id=bound.binding_id, source_kind=SourceKind.MCP)


def cancelled(turn_id: str, *, clock: Clock) -> dict:
    command = Command(client_command_id=command_id())
    return commands.cancel(turn_id, command, caller=web_caller(), clock=clock).result


def retried(turn_id: str, *, clock: Clock) -> str:
    """A person's new try; gives its turn id."""
    command = Command(client_command_id=command_id())
    return commands.retry(turn_id, command, caller=web_caller(), limits=Limits(), clock=clock).result["turnId"]


def a_lane(name: str, token: str = "lane", *, clock: Clock) -> str:
    take_lane(f"agent:{name}", token, 1, clock=clock)
    return token


def last_handle() -> str:
    """What the newest session of `a_session` shows to the MCP server."""
    return _handles[-1]


def a_session(name: str, native_session_id: str = "native-1", *, clock: Clock) -> BoundSession:
    _handles.append(f"handle-{next(_numbers)}")
    return bind_session(
        agent(name),
        NewSession(
            handle=last_handle(),
            pid=1,
            process_started_at=1.0,
            native_session_id=native_session_id,
            cwd="/tmp",
            resumed=False,
            context_lost=False,
            agent_name="scripted",
            agent_version="1",
        ),
        clock=clock,
    )


def claimed_turn(name: str, *, clock: Clock, token: str = "lane", content: str = "hello") -> ClaimedTurn:
    """A turn that its lane has taken; nothing was sent."""
    a_lane(name, token, clock=clock)
    queued_turn(name, clock=clock, content=content)
    claimed = claim_turn(f"agent:{name}", token, clock=clock)
    assert isinstance(claimed, ClaimedTurn)
    return claimed


def taken_up(name: str, *, clock: Clock, token: str = "lane") -> ClaimedTurn:
    """The agent's oldest waiting turn, begun; its session is `last_handle`."""
    a_lane(name, token, clock=clock)
    claimed = claim_turn(f"agent:{name}", token, clock=clock)
    assert isinstance(claimed, ClaimedTurn)
    invoke_prompt(claimed, a_session(name, clock=clock), clock=clock, token=token)
    mark_started(claimed.attempt_id, token, agent(name), native_turn_id=None, clock=clock)
    return claimed


ANSWERED = TurnOutcome(status=TurnStatus.COMPLETED, text="the answer")


UTC_DAYS = LocalDays(ZoneInfo("UTC"))


def finished(
    claimed: ClaimedTurn,
    name: str,
    outcome: TurnOutcome = ANSWERED,
    *,
    token: str = "lane",
    days: LocalDays = UTC_DAYS,
    clock: Clock,
) -> TurnStatus:
    return finish_turn(claimed.attempt_id, token, agent(name), outcome, days=days, clock=clock)


def worked_off(name: str, outcome: TurnOutcome = ANSWERED, *, clock: Clock) -> ClaimedTurn:
    """Its oldest waiting turn, from begin to end."""
    claimed = taken_up(name, clock=clock)
    finished(claimed, name, outcome, clock=clock)
    return claimed


PACKET = ContextPacket(text="the packet", after_seq=0, summary_through_seq=None)


def invoke_prompt(
    claimed: ClaimedTurn, session: BoundSession, *, clock: Clock, token: str = "lane", packet: ContextPacket = PACKET
) -> None:
    mark_prompt_invoked(
        claimed.attempt_id,
        token,
        binding_id=session.binding_id,
        instance_id=session.instance_id,
        packet=packet,
        clock=clock,
    )


def running_turn(name: str, *, clock: Clock, token: str = "lane", content: str = "hello") -> ClaimedTurn:
    """A turn whose agent has the prompt."""
    queued_turn(name, clock=clock, content=content)
    return taken_up(name, clock=clock, token=token)


def ended_turn(
    name: str, status: TurnStatus, *, clock: Clock, text: str = "the answer", usage: UsageTold | None = None
) -> ClaimedTurn:
    claimed = running_turn(name, clock=clock)
    finished(claimed, name, TurnOutcome(status=status, text=text, usage=usage), clock=clock)
    return claimed


def completed_turn(name: str, *, clock: Clock, text: str = "the answer", usage: UsageTold | None = None) -> ClaimedTurn:
    return ended_turn(name, TurnStatus.COMPLETED, clock=clock, text=text, usage=usage)


def running(turn_id: str, name: str, *, clock: Clock) -> Member:
    """The agent takes up this turn, the oldest that waits for it; gives it as a caller of the room's tools."""
    assert taken_up(name, clock=clock).turn_id == turn_id
    return member_of(last_handle())


def end_turn(turn_id: str, name: str, outcome: TurnOutcome, *, clock: Clock, token: str = "lane") -> None:
    """A running turn of this agent ends so."""
    attempt = TurnAttempt.objects.filter(turn_id=turn_id).latest("number")
    finish_turn(attempt.attempt_id, token, agent(name), outcome, days=UTC_DAYS, clock=clock)


def published(member: Member, content: str, *, clock: Clock) -> dict:
    """What an agent says in its turn to nobody in particular."""
    request = PublishRequest(content=content, client_command_id=command_id())
    return member_commands.publish(request, member=member, limits=Limits(), clock=clock).result
