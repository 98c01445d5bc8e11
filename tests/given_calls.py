"""Histories in which agents call each other, made with the real actions (as tests/given.py, which has the rest)."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from rooms.actions.run_once import Receipt
from rooms.caller import web_caller
from tests import given
from turns import commands, member_commands
from turns.member import Member
from turns.member_requests import AskRequest, PublishRequest, SendRequest
from turns.queries.members import member_of
from turns.requests import GrantRequest
from turns.settlement import TurnOutcome
from turns.state import TurnStatus


def member(name: str, *, clock: Clock, content: str = "hello") -> Member:
    """An agent in a turn that a person's message started."""
    given.running_turn(name, clock=clock, content=content)
    return member_of(given.last_handle())


def a_call(*names: str, content: str = "hello", **more: object) -> dict:
    to = [f"agent:{name}" for name in names]
    return {"clientCommandId": given.command_id(), "to": to, "content": content, **more}


def sent(caller: Member, *names: str, clock: Clock, limits: Limits | None = None, **more: object) -> Receipt:
    request = SendRequest.model_validate(a_call(*names, **more))
    return member_commands.send(request, member=caller, limits=limits or Limits(), clock=clock)


def asked(caller: Member, *names: str, clock: Clock, limits: Limits | None = None, **more: object) -> Receipt:
    request = AskRequest.model_validate(a_call(*names, **more))
    return member_commands.ask(request, member=caller, limits=limits or Limits(), clock=clock)


def published(caller: Member, *, clock: Clock, content: str = "hello", **more: object) -> Receipt:
    request = PublishRequest.model_validate({"clientCommandId": given.command_id(), "content": content, **more})
    return member_commands.publish(request, member=caller, limits=Limits(), clock=clock)


def next_turn(name: str, *, clock: Clock) -> Member:
    """The agent's oldest waiting turn begins to run; gives the agent in it."""
    given.taken_up(name, clock=clock)
    return member_of(given.last_handle())


def ended(caller: Member, *, clock: Clock, status: TurnStatus = TurnStatus.COMPLETED) -> None:
    """Its turn is over."""
    name = caller.caller.actor.actor_id.removeprefix("agent:")
    given.end_turn(caller.turn.turn_id, name, TurnOutcome(status=status, text="done"), clock=clock)


def child_turn(caller: Member, name: str, *, clock: Clock, command: str = "send") -> Member:
    """`caller` sends to or asks `name`, whose turn for it runs then."""
    call = asked if command == "ask" else sent
    call(caller, name, clock=clock)
    return next_turn(name, clock=clock)


def granted(
    root: str,
    limit: str,
    *,
    clock: Clock,
    limits: Limits,
    command: str = "",
    stop: str | None = None,
    without_message: bool = False,
) -> dict:
    """A person lets agents go on past a limit of this root."""
    asked = {"rootCorrelationId": root, "limit": limit, "stoppedEventId": stop, "withoutMessage": without_message}
    request = GrantRequest.model_validate({"clientCommandId": command or given.command_id(), **asked})
    return commands.grant(request, caller=web_caller(), limits=limits, clock=clock).result
