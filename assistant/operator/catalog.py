"""All tools of the assistant, in the order in which it sees them, and what it is told first (edge)."""

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
from assistant.operator.setup_tools import SETUP_READ, SETUP_SAVE
from turns.tools.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (
    CONTEXT_USAGE,
    CONTEXT_COMPACT,
    CONTEXT_RESET,
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
)

INSTRUCTIONS = (
    "You are the assistant of a GroupX room: you act in it for the person, who speaks with you beside it. What you "
    "answer is seen by the person alone; only these tools reach the room and its agents. Who you are is known."
)

ARGUMENT_WORDS = {
    "clientCommandId": "Any new text of yours. The same again does nothing again and gives the first result.",
    "correlationId": "As messages and results have it.",
    "scopeId": "Of that type: the id of an agent or a correlation.",
    "memoryId": "As memory_search gives it.",
    "identityId": "As identity_search gives it.",
}
"""Arguments that mean the same in each tool."""
