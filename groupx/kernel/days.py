"""Days as people count them where they live: a time zone with its changes of the clock. Pure."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class LocalDays:
    """`zone` None is the system's."""

    zone: ZoneInfo | None = None

    def day_of(self, moment: datetime) -> date:
        """`moment` is aware, as everywhere."""
        return moment.astimezone(self.zone).date()

    def start_of(self, day: date) -> datetime:
        """Its first moment, in UTC. A midnight that the clock jumps over begins when the clock has jumped; of one that
        comes twice the first counts."""
        midnight = datetime.combine(day, time.min, self.zone)
        return midnight.astimezone(UTC)

    def end_of(self, moment: datetime) -> datetime:
        """When the day of this moment is over: the first moment of the next."""
        return self.start_of(self.day_of(moment) + ONE_DAY)
