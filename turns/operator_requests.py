"""What the assistant may ask of the room's turns and agents. The arguments of its tools are these shapes. Pure."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from groupx.kernel.config import AGENT_ID, MAX_MESSAGE_CHARACTERS
from groupx.kernel.shapes import OwnShape, Says, Text
from rooms.requests import CommandId, EventId
from turns.member_requests import WaitMs
from turns.requests import Supervision, Targets

Content = Annotated[Text, Says(maxLength=MAX_MESSAGE_CHARACTERS)]


def _agent(value: str) -> str:
    prefix, _, agent_id = value.partition(":")
    if prefix != "agent" or not AGENT_ID.fullmatch(agent_id):
        raise ValueError("must be agent:<id>")
    return value


class OperatorCommand(OwnShape):
    client_command_id: CommandId

    def canonical(self) -> dict[str, Any]:
        """What the receipt's hash covers: as sent, with the order of targets and observers left out."""
        sent = {name: value for name, value in self.wire().items() if name != "clientCommandId"}
        if "to" in sent:
            sent["to"] = sorted(sent["to"])
        if "supervision" in sent:
            sent["supervision"]["observers"] = sorted(sent["supervision"]["observers"])
        return sent


class OperatorSend(OperatorCommand):
    """A message that everybody reads. Without `to` it wakes nobody."""

    content: Content
    to: Targets | None = None
    reply_to_event_id: EventId | None = None
    forwarded_event_id: EventId | None = None
    supervision: Supervision | None = None

    @model_validator(mode="after")
    def _observers_need_workers(self) -> "OperatorSend":
        if self.supervision is not None and self.to is None:
            raise ValueError("supervision needs agents in “to” that work")
        return self


class WorkerDispatch(OperatorCommand):
    """Work for agents, without a message for everybody."""

    to: Targets
    content: Content
    reply_to_event_id: EventId | None = None
    supervision: Supervision | None = None


class WorkerAsk(WorkerDispatch):
    """How long a call waits is no part of the command: the same question may be waited for again, and otherwise."""

    timeout_ms: WaitMs | None = None
    cancel_on_timeout: bool = False

    def canonical(self) -> dict[str, Any]:
        sent = super().canonical()
        return {name: value for name, value in sent.items() if name not in ("timeoutMs", "cancelOnTimeout")}


class DispatchEvent(OperatorCommand):
    """A message of the room for other agents; its author stays its author."""

    forwarded_event_id: EventId
    to: Targets
    content: Annotated[
        Content | None, Field(description="What they shall do with it; without it they are to answer it.")
    ] = None
    supervision: Supervision | None = None


class TurnCancel(OperatorCommand):
    turn_id: Annotated[Text, Field(max_length=64)]


class TurnsCancel(OperatorCommand):
    """All open turns of some agents, of a conversation, or of these agents in that conversation."""

    to: Targets | None = None
    correlation_id: Annotated[Text, Field(max_length=64)] | None = None

    @model_validator(mode="after")
    def _names_something(self) -> "TurnsCancel":
        if self.to is None and self.correlation_id is None:
            raise ValueError("needs to, correlationId or both: whose turns shall end")
        return self


class AgentRestart(OperatorCommand):
    agent: Annotated[str, AfterValidator(_agent)]


class RosterRequest(OwnShape):
    pass


class SupervisionStatusRequest(OwnShape):
    task_event_id: EventId | None = None
    """A message or a dispatch with observers; without it the newest."""
