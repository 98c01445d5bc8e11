"""The table: a line per row as it is measured, and one of differences to an earlier run. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench.figures import Row

NAME_WIDTH = 44
COLUMNS = (("p50", 9), ("p95", 9), ("unit", 5), ("per s", 8), ("CPU ms", 8), ("bare", 8), ("ratio", 7), ("CPU ×", 7))
OVER, BROKEN = "OVER", "BROKEN"
COMPARED = (("p50", "p50"), ("p95", "p95"), ("per_second", "per s"), ("cpu_ms", "CPU ms"), ("ratio", "ratio"))


def header() -> str:
    names = "".join(f"{name:>{width}}" for name, width in COLUMNS)
    line = f"{'':{NAME_WIDTH}}{names}   aim"
    return f"{line}\n{'-' * len(line)}"


def line(row: Row) -> str:
    figures = (row.p50, row.p95, row.unit, row.per_second, row.cpu_ms, row.bare_p50, row.ratio, row.cpu_ratio)
    cells = "".join(f"{shown(figure):>{width}}" for figure, (_, width) in zip(figures, COLUMNS, strict=True))
    aims = ", ".join(f"{OVER} {aim}" if aim in row.missed_aims else str(aim) for aim in row.aims)
    text = f"{row.name:{NAME_WIDTH}}{cells}   {aims}".rstrip()
    notes = [f"{'':4}{row.note}"] if row.note else []
    return "\n".join([text, *notes, *(f"{'':4}{BROKEN}: {fault}" for fault in row.faults)])


def shown(figure: float | str | None) -> str:
    """Three digits that mean something; a dash for nothing."""
    match figure:
        case None:
            return "–"
        case str():
            return figure
        case _ if figure >= 1000:
            return f"{figure:,.0f}"
        case _ if figure >= 100:
            return f"{figure:.0f}"
        case _ if figure >= 10:
            return f"{figure:.1f}"
        case _ if figure >= 0.1:
            return f"{figure:.2f}"
        case _:
            return f"{figure:.3f}"


def comparison(before: Sequence[Mapping[str, Any]], now: Sequence[Row]) -> list[str]:
    """Figures now divided by those of an earlier run, for rows that both have. Below 1.00 is less than before."""
    earlier = {row["name"]: row for row in before}
    heads = "".join(f"{head:>9}" for _, head in COMPARED)
    lines = [f"{'now / before':{NAME_WIDTH}}{heads}"]
    for row in now:
        if row.name in earlier:
            quotients = [_quotient(getattr(row, figure), earlier[row.name].get(figure)) for figure, _ in COMPARED]
            lines.append(f"{row.name:{NAME_WIDTH}}" + "".join(f"{shown(quotient):>9}" for quotient in quotients))
    return lines


def _quotient(now: float | None, before: float | None) -> float | None:
    return now / before if now is not None and before else None
