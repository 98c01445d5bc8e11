"""How long to wait before something that died is started again. Pure; seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class BackOff:
    delays: tuple[float, ...]
    """After the first death, the second, …; the last one for all that follow."""
    well_after_seconds: float
    """Who ran this long was well: its next death counts as the first."""

    def after(self, deaths_in_a_row: int) -> float:
        return self.delays[min(deaths_in_a_row, len(self.delays)) - 1]

    def count(self, deaths_in_a_row: int, ran_seconds: float) -> int:
        """The deaths in a row, with the one that has just happened."""
        return 1 if ran_seconds >= self.well_after_seconds else deaths_in_a_row + 1


SERVE = BackOff(delays=(0.0, 0.5, 1.0, 2.0, 5.0), well_after_seconds=60.0)
"""At once: requests wait in the listener's queue meanwhile."""
LANE = BackOff(delays=(1.0, 2.0, 4.0, 8.0, 16.0, 30.0), well_after_seconds=60.0)
