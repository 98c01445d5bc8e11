"""What the demo agent writes when it is asked outside any turn: a summary of the room, or what it remembers of a day.

Real agents understand what they read; this one keeps who said what, in few words, and leaves greetings out.
"""

import re

KINDS = ("[groupx_summary]", "[groupx_dated_memory]")
NOTHING_TO_KEEP = "GROUPX_NO_DATED_MEMORY"
QUOTE = "> "
LINE_CHARACTERS = 160
GREETING = re.compile(r"(?:hi|hello|hey|thanks?|test|ping|ok|你好|您好|嗨|谢谢|测试)(?:\s+\w+)?\W*", re.I)


def notes_of(prompt: str) -> str | None:
    """None for everything that is no such request."""
    kind = prompt.partition("\n")[0].strip()
    if kind not in KINDS:
        return None
    limit = int(re.findall(r"at most ([\d,]+) characters", prompt)[0].replace(",", ""))
    notes = [note for said_by, text in _quotes(prompt) for note in _noted(said_by, text)]
    if not notes:
        return NOTHING_TO_KEEP if kind == KINDS[1] else "Nothing but greetings so far."
    while len(notes) > 1 and sum(len(f"{QUOTE}{note}\n") for note in notes) > limit:  # it will be quoted in its turn
        del notes[0]  # what is oldest matters least
    return "\n".join(notes)[:limit]


def _quotes(prompt: str) -> list[tuple[str, list[str]]]:
    """(who said it, its lines) of everything that is quoted; nobody for what it wrote itself before."""
    found: list[tuple[str, list[str]]] = []
    author, is_going_on = "", False
    for line in prompt.splitlines():
        if line.startswith(QUOTE):
            if not is_going_on:
                found.append((author, []))
            found[-1][1].append(line.removeprefix(QUOTE))
        elif line.startswith("- "):
            named = re.search(r"\bauthor=(\S+)", line)
            author = named[1] if named else ""
        else:
            author = ""
        is_going_on = line.startswith(QUOTE)
    return found


def _noted(author: str, lines: list[str]) -> list[str]:
    """Its own earlier notes whole; of a message its first words."""
    if not author:
        return lines
    text = " ".join(" ".join(lines).split())
    if not text or GREETING.fullmatch(text):
        return []
    return [f"- {author}: {text if len(text) <= LINE_CHARACTERS else text[: LINE_CHARACTERS - 1].rstrip() + '…'}"]
