"""All tools of the room, in the order in which agents see them, and what they are told first (edge)."""

from collections.abc import Sequence

from turns.requests import EVERYONE, MAX_TARGETS
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
from turns.tools.steer import STEER
from turns.tools.tool import AnyTool
from turns.tools.watch import WATCH

TOOLS: tuple[AnyTool, ...] = (
    SEND,
    PUBLISH,
    ASK,
    COLLECT,
    READ,
    WATCH,
    STEER,
    MEMORY_SEARCH,
    MEMORY_REMEMBER,
    CORE_MEMORY_REMEMBER,
    IDENTITY_READ,
    IDENTITY_REMEMBER,
)


def instructions(agents: Sequence[str]) -> str:
    """What a model is told of the server as a whole, where its CLI passes that on."""
    return (
        f"You are a member of a GroupX room, together with a person and these agents: {', '.join(agents)}. Your final "
        "answer is shown to everybody. Only these tools reach others while you work: to write a name in a text wakes "
        "nobody. Who you are is known."
    )


def argument_words(agents: Sequence[str]) -> dict[str, str]:
    """Arguments that mean the same in each tool."""
    return {
        "to": f"One to {MAX_TARGETS} of {', '.join(agents)}; or {EVERYONE}, alone: all but you.",
        "clientCommandId": "Any new text of yours. The same again does nothing again and gives the first result.",
        "replyToEventId": "The message that this answers; without it the one your turn answers.",
        "forwardedEventId": "A message to pass on; its author stays its author.",
        "supervision": "Agents that watch the new turns and may redirect them.",
        "messageEventId": "As ask gave it.",
        "correlationId": "As messages and results have it.",
        "scopeId": "Of that type: the id of an agent or a correlation.",
        "authorActorId": "Who remembered it.",
        "timeoutMs": "How long to wait at the most.",
        "cancelOnTimeout": "Stop the turns that have not ended by then.",
    }
