"""A room as Markdown. What members wrote stands in fences that nothing inside them can close."""

import re

from rooms.bus.folder import printable
from rooms.bus.message import Message

_BACKTICKS = re.compile(r"`+")
_MARKUP = re.compile(r"([\\`*_\[\]#|<>&~])")


def head(room: str) -> str:
    return f"# Room {_plain(room)}"


def section(message: Message) -> str:
    to = ", ".join(map(_plain, message.to)) or "all"
    facts = [message.time, message.id, message.kind, f"reply to {message.reply_to}" if message.reply_to else ""]
    lines = [
        f"\n## {message.seq} · {_plain(message.sender)} → {to}\n",
        " · ".join(_plain(fact) for fact in facts if fact),
        *([f"\nTags: {_plain(', '.join(message.tags))}"] if message.tags else []),
        *(f"\nFile: {_plain(file)}" for file in message.files),
    ]
    return "\n".join(lines) + (f"\n\n{fenced(message.text)}" if message.text else "")


def fenced(text: str) -> str:
    """The text in a fence longer than any run of backticks in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(text)), default=0))
    lines = "\n".join(map(printable, text.replace("\t", "    ").splitlines()))
    return f"{fence}text\n{lines}\n{fence}"


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", printable(text))
