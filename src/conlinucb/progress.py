"""A line that says how far long work is; silent where nobody watches."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    """What is done, its rate and the time left, on one line of a terminal."""

    def __init__(
        self,
        total: int | None,
        done: int = 0,
        *,
        what: str = "million user-rounds",
        shown: bool | None = None,
        to: TextIO | None = None,
    ) -> None:
        self.total, self.done, self.fresh, self.what = total, done, 0, what
        self.to = to or sys.stderr
        self.shown = self.to.isatty() if shown is None else shown
        self.start = self.last = time.monotonic()

    def skip(self, amount: int) -> None:
        """Count work that was done before."""
        self.done += amount

    def add(self, amount: int) -> None:
        """Count work done now, and redraw a few times a second."""
        self.done += amount
        self.fresh += amount
        now = time.monotonic()
        finished = self.total is not None and self.done >= self.total
        if self.shown and (now - self.last > 0.2 or finished):
            self.last = now
            self.to.write("\r" + self.line(now - self.start))
            self.to.flush()

    def line(self, seconds: float) -> str:
        """For example `` 40%  0.8 of 2.0 million user-rounds, 0.95 a second, 1 s left``."""
        rate = self.fresh / max(seconds, 1e-9)
        speed = f"{self.what}, {rate / 1e6:.2f} a second"
        if not self.total:
            return f"{self.done / 1e6:.1f} {speed}   "
        left = (self.total - self.done) / max(rate, 1e-9)
        return (
            f"{self.done / self.total:4.0%}  {self.done / 1e6:.1f} of {self.total / 1e6:.1f} "
            f"{speed}, {time_text(left)} left   "
        )

    def close(self) -> None:
        """Leave the line."""
        if self.shown and self.fresh:
            self.to.write("\n")


def time_text(seconds: float) -> str:
    """For example ``40 s``, ``12 min`` or ``1.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
