"""Bars for the start page's charts: numbers in, places in a drawing out. Knows no words and no page."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, GAP = 480.0, 96.0, 3.0
LEAST = 2.0
"""Nothing that was counted is too small to be seen."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    x: str
    y: str
    width: str
    height: str
    part: int
    """Which of the stacked parts it is, from the ground up."""


def stacked_bars(columns: Sequence[Sequence[int]]) -> list[Bar]:
    """One column beside the other, the parts of each on top of one another, the tallest as high as the drawing."""
    tallest = max((sum(parts) for parts in columns), default=0)
    step = WIDTH / max(len(columns), 1)
    bars = []
    for index, parts in enumerate(columns):
        ground = HEIGHT
        for part, count in enumerate(parts):
            if count:
                height = max(LEAST, HEIGHT * count / tallest)
                ground -= height
                bars.append(_bar(index * step + GAP / 2, ground, step - GAP, height, part))
    return bars


def lying_width(count: int, most: int) -> str:
    """Of a bar that lies, in a drawing of WIDTH."""
    return _number(max(LEAST, WIDTH * count / most)) if most else "0"


def _bar(x: float, y: float, width: float, height: float, part: int) -> Bar:
    return Bar(x=_number(x), y=_number(max(0.0, y)), width=_number(width), height=_number(height), part=part)


def _number(value: float) -> str:
    """As SVG reads it, whatever the page's language."""
    return f"{value:.1f}"
