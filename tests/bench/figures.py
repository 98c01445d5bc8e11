"""What was measured: samples, rows of the table, aims. Pure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

LEAST_CPU_SECONDS = 0.1


def percentile(values: Sequence[float], percent: float) -> float | None:
    """With linear interpolation between neighbours; None for no values."""
    if not values:
        return None
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@dataclass
class Sample:
    """One kind of work: how long each piece took, and what the room's processes spent on all of them."""

    took_ms: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def p50(self) -> float | None:
        return percentile(self.took_ms, 50)

    @property
    def p95(self) -> float | None:
        return percentile(self.took_ms, 95)

    @property
    def per_second(self) -> float | None:
        return len(self.took_ms) / self.seconds if self.seconds else None

    @property
    def cpu_ms(self) -> float | None:
        """Of one piece."""
        return self.cpu_ms_of(len(self.took_ms))

    def cpu_ms_of(self, pieces: int) -> float | None:
        """All of it over so many pieces; None when it is too little for a clock that counts hundredths."""
        return self.cpu_seconds * 1000 / pieces if pieces and self.cpu_seconds >= LEAST_CPU_SECONDS else None


@dataclass(frozen=True, kw_only=True)
class Aim:
    """A bound of one figure of a row: `p50`, `p95`, `per_second`, `ratio` or `cpu_ratio`."""

    figure: str
    at_most: float | None = None
    at_least: float | None = None

    def is_met_by(self, row: "Row") -> bool:
        """A row without that figure does not meet it."""
        value = getattr(row, self.figure)
        return (
            value is not None
            and (self.at_most is None or value <= self.at_most)
            and (self.at_least is None or value >= self.at_least)
        )

    def __str__(self) -> str:
        sign, bound = ("≤", self.at_most) if self.at_most is not None else ("≥", self.at_least)
        return f"{self.figure} {sign} {bound:g}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table. `name` stays the same between versions: runs are compared by it."""

    name: str
    unit: str = "ms"
    p50: float | None = None
    """The median; of what is measured once, the value."""
    p95: float | None = None
    per_second: float | None = None
    cpu_ms: float | None = None
    """CPU time of the room's processes, its agents left out, for one piece of the work."""
    bare_p50: float | None = None
    """The bare view, measured in between."""
    bare_cpu_ms: float | None = None
    note: str = ""
    aims: tuple[Aim, ...] = ()
    faults: tuple[str, ...] = ()
    """Promises of the room that did not hold: something lost, out of order, never answered."""

    @property
    def ratio(self) -> float | None:
        return self.p50 / self.bare_p50 if self.p50 is not None and self.bare_p50 else None

    @property
    def cpu_ratio(self) -> float | None:
        return self.cpu_ms / self.bare_cpu_ms if self.cpu_ms is not None and self.bare_cpu_ms else None

    @property
    def missed_aims(self) -> tuple[Aim, ...]:
        return tuple(aim for aim in self.aims if not aim.is_met_by(self))

    def wire(self) -> dict[str, Any]:
        """As it is kept in a file, with what is derived."""
        derived = {"ratio": self.ratio, "cpu_ratio": self.cpu_ratio, "missed_aims": [str(a) for a in self.missed_aims]}
        return {**asdict(self), "aims": [str(aim) for aim in self.aims], **derived}


def row(name: str, sample: Sample, bare: Sample | None = None, **more: Any) -> Row:
    """A row of a sample beside its yardstick."""
    bare = bare or Sample()
    figures = {
        "p50": sample.p50,
        "p95": sample.p95,
        "per_second": sample.per_second,
        "cpu_ms": sample.cpu_ms,
        "bare_p50": bare.p50,
        "bare_cpu_ms": bare.cpu_ms,
    }
    return Row(name=name, **{**figures, **more})


def lost(missing: int, expected: int, what: str) -> tuple[str, ...]:
    """A fault, when there is one."""
    return (f"{missing} of {expected} {what} missing",) if missing else ()


def exit_code(rows: Sequence[Row], *, is_strict: bool) -> int:
    """1 when a promise was broken, or something could not be measured; when strict also for a missed aim."""
    return int(any(row.faults or (is_strict and row.missed_aims) for row in rows))
