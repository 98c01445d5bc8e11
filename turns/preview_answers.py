"""What agents would be given for a message that is not sent yet (docs/protocol.md, "Messages"). Pure."""

from typing import NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER
from groupx.kernel.errors import ErrorCode
from turns.answers import SummaryGiven


@with_config(ANSWER)
class PreviewProblem(TypedDict):
    code: ErrorCode
    message: str


@with_config(ANSWER)
class AgentPreview(SummaryGiven):
    actorId: str
    text: str | None
    """Null where it cannot be made: then there is a problem."""
    characters: int | None
    omissions: dict[str, int]
    """What is left out for length, by section."""
    needsCompaction: bool
    """The room would be summed up before this agent is given anything."""
    problem: NotRequired[PreviewProblem]


@with_config(ANSWER)
class Preview(TypedDict):
    agents: list[AgentPreview]
    """In the order of `to`; of @all in that of the roster."""
