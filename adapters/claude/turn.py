"""One prompt of a Claude session: what its frames are worth."""

from collections import Counter

from adapters.claude.frames import (
    BlockBegins,
    ErrorMessage,
    Frame,
    Init,
    Limit,
    Message,
    MessageBegins,
    Nested,
    Other,
    PromptTold,
    Result,
    TextPiece,
    ThoughtPiece,
    ToolsTold,
    Unknown,
)
from adapters.claude.program import CLAUDE
from adapters.claude.streamed import Streamed
from adapters.contract import ProgressReported
from adapters.tools import ToolUpdate
from adapters.turn import Turn

BETWEEN_BLOCKS = "\n\n"


class ClaudeTurn(Turn):
    def __init__(self, counts: Counter[str], *, session_is_proven: bool = True) -> None:
        super().__init__(counts, sign_in=CLAUDE.sign_in, session_is_proven=session_is_proven)
        self._texts = Streamed()
        self._thoughts = Streamed()
        self._calls: set[str] = set()
        self._has_spoken = False
        self._block_is_new = False
        self.resets_at: float | None = None
        """When the account's limit that was hit is over, in seconds since the epoch."""
        self.context_used: int | None = None

    def take(self, frame: Frame) -> None:
        match frame:
            case MessageBegins(message_id):
                self._texts.begin(message_id)
                self._thoughts.begin(message_id)
                self.begin()
            case BlockBegins():
                self._block_is_new = True
                self.begin()
            case TextPiece(text):
                self._texts.piece(text)
                self._speak(text)
            case ThoughtPiece(text):
                self._thoughts.piece(text)
                self.think(text)
            case Message():
                self._take_message(frame)
            case ToolsTold(updates, inside):
                self.begin()
                if inside is None or inside in self._calls:
                    self._use(updates)
            case ProgressReported():
                self.report(frame)
            case Limit(resets_at):
                self.resets_at = resets_at
                self.begin()
            case Init() | PromptTold() | Nested() | ErrorMessage() | Result():
                self.begin()
            case Unknown():
                self.count("unknown_update")
            case Other():
                pass

    def answer(self, text: str) -> None:
        """The result's own words, where nothing else was said."""
        if not self._has_spoken:
            self._speak(text)

    def _take_message(self, message: Message) -> None:
        self.begin()
        self.context_used = message.context_used or self.context_used
        for thought in message.thoughts:
            self.think(self._thoughts.missing(message.message_id, thought))
        for text in message.texts:
            missing = self._texts.missing(message.message_id, text)
            self._block_is_new = self._block_is_new or missing == text
            self._speak(missing)
        self._use(message.tools)

    def _use(self, updates: list[ToolUpdate]) -> None:
        """What a former turn has left in the background goes on telling of its tools; those are not of this one."""
        for update in updates:
            if update.name is not None:
                self._calls.add(update.tool_call_id)
            if update.tool_call_id in self._calls:
                self.use_tool(update)

    def _speak(self, text: str) -> None:
        """Blocks of text, with tools between them, are set apart."""
        if not text:
            return
        if self._block_is_new and self._has_spoken:
            self.say(BETWEEN_BLOCKS)
        self._block_is_new, self._has_spoken = False, True
        self.say(text)
