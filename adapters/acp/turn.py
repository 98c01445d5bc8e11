"""One prompt of an ACP session: what its updates are worth."""

from collections import Counter

from adapters.acp.profiles import Profile
from adapters.acp.updates import (
    MessageChunk,
    OtherUpdate,
    PlanUpdate,
    ThoughtChunk,
    UnknownUpdate,
    Update,
    UsageUpdate,
    UserChunk,
)
from adapters.contract import ProgressReported, UsageReported
from adapters.endings import Ending, PromptReply
from adapters.tools import ToolUpdate
from adapters.turn import Turn


class AcpTurn(Turn):
    def __init__(self, profile: Profile, counts: Counter[str], *, session_is_proven: bool = True) -> None:
        super().__init__(
            counts, sign_in=profile.sign_in, session_is_proven=session_is_proven, late_text=profile.late_text
        )
        self._leaves_tools_open = profile.leaves_tools_open

    def updated(self, update: Update, usage: UsageReported | None = None) -> None:
        """`usage` is what the session has learned of it from this update."""
        if usage is not None:
            self.use_up(usage)
        if self._leaves_tools_open and isinstance(update, MessageChunk | ThoughtChunk):
            self.tools_are_over()
        match update:
            case MessageChunk():
                self.say(update.text)
            case ThoughtChunk():
                self.think(update.text)
            case ToolUpdate():
                self.use_tool(update)
            case PlanUpdate():
                self.report(ProgressReported("plan", {"entries": update.entries}))
            case UserChunk():
                self.begin()
            case UnknownUpdate():
                self.count("unknown_update")
            case UsageUpdate() | OtherUpdate():
                pass

    def end(self, ending: Ending) -> None:
        if self._leaves_tools_open and self.ending is None and isinstance(ending, PromptReply) and not self.cancel_sent:
            self.tools_are_over()
        super().end(ending)
