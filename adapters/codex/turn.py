"""One prompt of a Codex thread: what each update of its turn is worth to it.

The words of a turn come in several messages, with tools between them; a blank line parts them here. Words are told
piece by piece and again when their item is over: what had not been told in pieces is told then.
"""

from collections import Counter

from adapters.bounds import MAX_CHARS
from adapters.codex.failures import explained, failure_of_turn
from adapters.codex.items import (
    CompactionItem,
    EchoItem,
    MessageItem,
    ReasoningItem,
    UnknownItem,
    item_key,
)
from adapters.codex.program import CODEX
from adapters.codex.updates import (
    Alive,
    ErrorTold,
    ItemTold,
    MessageDelta,
    OutputDelta,
    PlanTold,
    ThoughtDelta,
    TurnBegun,
    TurnEnded,
    UnknownUpdate,
    UsageTold,
    What,
)
from adapters.contract import ProgressReported, UsageReported
from adapters.endings import Ending, PromptReply
from adapters.tools import ToolUpdate
from adapters.turn import Turn
from groupx.kernel.text import storable

OUTPUT_STEP_CHARS = 4_096
"""What a command prints is shown while it runs, all of it again each time: so not with each piece, but when it has
doubled or grown by this much."""

INTERRUPTS = 5
"""An interrupt can come before Codex knows of the turn that it has just named; it is repeated then, not for ever."""


class _Paragraphs:
    """Texts told in pieces, by who told them; a blank line between two of them."""

    def __init__(self) -> None:
        self._told_chars: Counter[object] = Counter()
        self._newest: object = None

    def piece(self, key: object, text: str) -> str:
        if not text:
            return ""
        self._told_chars[key] += len(text)
        before, self._newest = self._newest, key
        return text if before in (None, key) else f"\n\n{text}"

    def rest(self, key: object, whole: str) -> str:
        """What of the whole has not been told yet."""
        return self.piece(key, whole[self._told_chars[key] :])


class CodexTurn(Turn):
    def __init__(self, counts: Counter[str], *, session_is_proven: bool = True) -> None:
        super().__init__(counts, sign_in=CODEX.sign_in, session_is_proven=session_is_proven)
        self.native_id: str | None = None
        self.interrupts_left = INTERRUPTS
        self.is_to_interrupt = False
        """A cancel that Codex has not taken yet."""
        self._words = _Paragraphs()
        self._thoughts = _Paragraphs()
        self._output: dict[str, str] = {}
        self._output_shown: Counter[str] = Counter()
        self._error: dict[str, object] = {}
        """The newest that Codex will not try again after."""

    def told(self, what: What, usage: UsageReported | None = None, seconds_to_reset: float | None = None) -> None:
        """`usage` is what the session made of a UsageTold; `seconds_to_reset` is for an end by the account's limit."""
        self.begin(self.native_id)
        match what:
            case MessageDelta():
                self.say(self._words.piece(what.item_id, what.text))
            case ThoughtDelta():
                self.think(self._thoughts.piece((what.item_id, what.kind, what.part), what.text))
            case OutputDelta():
                self._print(item_key(what.item_id), what.text)
            case ItemTold():
                self._take_item(what)
            case PlanTold():
                self.report(ProgressReported("plan", {"entries": what.entries}))
            case UsageTold():
                self.use_up(usage)
            case ErrorTold(error, will_retry):
                if will_retry:
                    self.report(ProgressReported("retry", {"message": explained(error)}))
                else:
                    self._error = error
            case TurnEnded():
                self.end(self._ending(what, seconds_to_reset))
            case TurnBegun() | Alive():
                pass
            case UnknownUpdate():
                self.count("unknown_update")

    # ------------------------------------------------------------ inside
    def _take_item(self, told: ItemTold) -> None:
        match told.item:
            case MessageItem(item_id, text):
                if told.is_over:
                    self.say(self._words.rest(item_id, text))
            case ReasoningItem(item_id, parts, kind):
                if told.is_over:
                    for number, part in enumerate(parts):
                        self.think(self._thoughts.rest((item_id, kind, number), part))
            case ToolUpdate() as update:
                self.use_tool(update)
            case CompactionItem():
                if told.is_over:
                    self.report(ProgressReported("compaction"))
            case EchoItem():
                pass
            case UnknownItem(update):
                self.count("unknown_item")
                if update is not None:
                    self.use_tool(update)

    def _print(self, tool_call_id: str, text: str) -> None:
        printed, shown = self._output.get(tool_call_id, ""), self._output_shown[tool_call_id]
        if len(printed) >= MAX_CHARS:
            return
        printed = self._output[tool_call_id] = (printed + storable(text))[:MAX_CHARS]
        if len(printed) - shown < min(shown, OUTPUT_STEP_CHARS) and len(printed) < MAX_CHARS:
            return
        self._output_shown[tool_call_id] = len(printed)
        self.use_tool(ToolUpdate(tool_call_id=tool_call_id, name=None, status=None, details={"output": printed}))

    def _ending(self, ended: TurnEnded, seconds_to_reset: float | None) -> Ending:
        match ended.status:
            case "failed":
                return failure_of_turn(ended.error or self._error, seconds_to_reset)
            case "interrupted":
                return PromptReply(stop_reason="cancelled")
            case "completed":
                if not self._text.text.strip():
                    self.say(ended.text)
                return PromptReply(stop_reason="end_turn")
            case status:
                return PromptReply(stop_reason=status)
