"""What is shown of each real CLI, in the order of the table in docs/drivers.md."""

from enum import StrEnum


class Capability(StrEnum):
    """A live test says by `@pytest.mark.capability(…)` which one it shows."""

    STREAM = "stream"
    REASONING = "reasoning"
    TOOLS = "tools"
    UNRESTRICTED = "unrestricted"
    CANCEL = "cancel"
    RESUME = "resume"
    ERRORS = "errors"
    ASKS = "asks"
    WAITS = "waits"
    NEW_SERVER = "new_server"
    REMEMBERS = "remembers"
    SUMS_UP = "sums_up"
    DAYS = "days"
    ASSISTS = "assists"


TITLES = {
    Capability.STREAM: "answer streams",
    Capability.REASONING: "thoughts",
    Capability.TOOLS: "own tool, shown folded",
    Capability.UNRESTRICTED: "writes without a question",
    Capability.CANCEL: "cancel, then used again",
    Capability.RESUME: "resumed in a new process",
    Capability.ERRORS: "a model's error fails the turn",
    Capability.ASKS: "asks another agent by the room's `ask`, uses the answer",
    Capability.WAITS: "waits 15 s for an answer",
    Capability.NEW_SERVER: "the room's tools, after a restart of the room's server",
    Capability.REMEMBERS: "keeps core memory by the room's tool, has it in its next packet",
    Capability.SUMS_UP: "writes the room's summary, in a short session without the room's tools",
    Capability.DAYS: "writes its own day, in another one",
    Capability.ASSISTS: "is the assistant's brain: gives agents work, asks them and uses the answer",
}
