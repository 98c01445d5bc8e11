"""All tools of the operator, in the order in which the assistant sees them, and what it is told first (edge)."""

from collections.abc import Sequence

from assistant.operator.context_tools import CONTEXT_COMPACT, CONTEXT_RESET, CONTEXT_USAGE
from assistant.operator.identity_tools import (
    IDENTITY_REMEMBER_FOR,
    IDENTITY_RETRACT,
    IDENTITY_SEARCH,
    IDENTITY_SUPERSEDE,
)
from assistant.operator.memory_tools import (
    AGENT_CORE_REMEMBER,
    MEMORY_REMEMBER,
    MEMORY_RETRACT,
    MEMORY_SEARCH,
    MEMORY_SUPERSEDE,
)
from assistant.operator.room_tools import (
    AGENT_RESTART,
    READ,
    ROSTER,
    SUPERVISION_STATUS,
    TURN_CANCEL,
    TURNS_CANCEL,
)
from assistant.operator.setup_tools import SETUP_READ, SETUP_SAVE
from assistant.operator.work_tools import DISPATCH_EVENT, SEND, WORKER_ASK, WORKER_DISPATCH
from turns.requests import EVERYONE, MAX_TARGETS
from turns.tools.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (
    SEND,
    READ,
    ROSTER,
    CONTEXT_USAGE,
    CONTEXT_COMPACT,
    CONTEXT_RESET,
    TURN_CANCEL,
    TURNS_CANCEL,
    AGENT_RESTART,
    MEMORY_SEARCH,
    MEMORY_REMEMBER,
    MEMORY_SUPERSEDE,
    MEMORY_RETRACT,
    AGENT_CORE_REMEMBER,
    IDENTITY_SEARCH,
    IDENTITY_REMEMBER_FOR,
    IDENTITY_SUPERSEDE,
    IDENTITY_RETRACT,
    SETUP_READ,
    SETUP_SAVE,
    WORKER_DISPATCH,
    WORKER_ASK,
    DISPATCH_EVENT,
    SUPERVISION_STATUS,
)


def instructions(agents: Sequence[str]) -> str:
    """What the brain is told of the server as a whole, where its CLI passes that on."""
    return (
        "You are the assistant of a person who works in a GroupX room together with these agents: "
        f"{', '.join(agents) or 'none yet'}. What you say to the person is between you two; these tools alone act in "
        "the room. worker_dispatch and worker_ask give agents work, send says something that everybody reads. To write "
        "a name in a text wakes nobody."
    )


def argument_words(agents: Sequence[str]) -> dict[str, str]:
    """Arguments that mean the same in each tool."""
    return {
        "to": f"One to {MAX_TARGETS} of {', '.join(agents)}; or {EVERYONE}, alone: all of them.",
        "clientCommandId": "Any new text of yours. The same again does nothing again and gives the first result.",
        "replyToEventId": "The message that this answers.",
        "forwardedEventId": "A message of the room to pass on; its author stays its author.",
        "supervision": "Agents that watch the new turns and may redirect them.",
        "correlationId": "As messages and results have it.",
        "agent": f"One of {', '.join(agents)}.",
        "taskEventId": "A message or a dispatch that has observers.",
        "timeoutMs": "How long to wait at the most.",
        "cancelOnTimeout": "Stop the turns that have not ended by then.",
    }
