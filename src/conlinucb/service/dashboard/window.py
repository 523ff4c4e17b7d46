"""The time that is looked at, cut into days, or into hours where it is one day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

HOUR = 3_600_000_000
DAY = 24 * HOUR
MOST_DAYS = 366


@dataclass(frozen=True)
class Window:
    """Equal parts up to now, the last of them not over yet. Times are microseconds since 1970."""

    start: int
    width: int
    parts: int

    @classmethod
    def of(cls, days: int, now: int) -> Window:
        """So many days of UTC with today, or the last 24 hours for one day.

        >>> window = Window.of(2, 3 * DAY + 5 * HOUR)
        >>> window.part(2 * DAY - 1), window.part(2 * DAY), window.part(3 * DAY + 4 * HOUR)
        (None, 0, 1)
        """
        width, parts = (HOUR, 24) if days == 1 else (DAY, days)
        return cls((now // width - parts + 1) * width, width, parts)

    def part(self, at: int) -> int | None:
        """Which part a time is in; what a clock sets into the future is in none."""
        found = (at - self.start) // self.width
        return found if 0 <= found < self.parts else None

    def beginnings(self) -> list[str]:
        """When each part begins."""
        return [stamp(self.start + number * self.width) for number in range(self.parts)]


def stamp(at: int) -> str:
    """A time in UTC, as people and programs read it."""
    return datetime.fromtimestamp(at / 1e6, UTC).isoformat(timespec="seconds")
