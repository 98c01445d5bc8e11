"""README.md and README.zh-CN.md say the same: parts, commands, code words, links and tables cannot drift apart."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = ((ROOT / name).read_text() for name in ("README.md", "README.zh-CN.md"))


def headings(text: str) -> list[str]:
    return re.findall(r"^(#+) ", text, re.M)


def blocks(text: str) -> list[str]:
    """Indented code without its comments."""
    return [line.split("#")[0].strip() for line in re.findall(r"^    (\S.*)$", text, re.M)]


def parts(text: str) -> list[str]:
    """The text below each heading of the second level."""
    return re.split(r"^## .*$", text, flags=re.M)


def code(part: str) -> Counter[str]:
    return Counter(re.findall(r"`([^`\n]+)`", part))


def links(part: str) -> Counter[str]:
    """Where they lead, but for what each language has of its own."""
    own = {"README.md": "README", "README.zh-CN.md": "README", "docs/room.png": "room", "docs/room.zh-CN.png": "room"}
    return Counter(own.get(where, where) for where in re.findall(r"\]\(([^)]+)\)", part))


def rows(part: str) -> list[int]:
    """Cells of each row of tables, and items of each list."""
    return [line.count("|") for line in part.splitlines() if line.startswith(("|", "- ")) or re.match(r"\d\. ", line)]


def test_both_have_the_same_parts_and_commands():
    assert headings(CHINESE) == headings(ENGLISH)
    assert blocks(CHINESE) == blocks(ENGLISH) != []


def test_every_part_names_the_same_things():
    for english, chinese in zip(parts(ENGLISH), parts(CHINESE), strict=True):
        about = english.strip()[:60]
        assert code(chinese) == code(english), about
        assert links(chinese) == links(english), about
        assert rows(chinese) == rows(english), about


def test_each_names_the_other_at_its_top():
    assert "(README.zh-CN.md)" in ENGLISH[:100] and "(README.md)" in CHINESE[:100]
