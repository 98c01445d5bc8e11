"""All tools of the room, in the order in which agents see them, and what they are told first (edge)."""

from turns.tools.ask import ASK
from turns.tools.collect import COLLECT
from turns.tools.memory_tools import (
    CORE_MEMORY_REMEMBER,
    IDENTITY_READ,
    IDENTITY_REMEMBER,
    MEMORY_REMEMBER,
    MEMORY_SEARCH,
)
from turns.tools.messages import PUBLISH, SEND
from turns.tools.read import READ
from turns.tools.tool import AnyTool

INSTRUCTIONS = (
    "You are a member of a GroupX room, together with a person and other agents. Your final answer is shown to "
    "everybody. Only these tools reach others while you work: to write a name in a text wakes nobody. Who you are is "
    "known. A clientCommandId is any new text of yours for each command; the same one again repeats nothing."
)
TOOLS: tuple[AnyTool, ...] = (
    SEND,
    PUBLISH,
    ASK,
    COLLECT,
    READ,
    MEMORY_SEARCH,
    MEMORY_REMEMBER,
    CORE_MEMORY_REMEMBER,
    IDENTITY_READ,
    IDENTITY_REMEMBER,
)
