"""A bar that says how far long work is; silent where nobody watches."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

from conlinucb.errors import MissingExtra

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

REDRAW = 0.2
"""Least seconds between two drawings."""


class Progress:
    """What is done, its rate and the time left, on one line of a terminal or notebook.

    ``shown`` is None for "where a terminal is watched and rich is installed". ``unit`` is how much
    counts as one ``what``.
    """

    def __init__(
        self,
        total: int | None,
        done: int = 0,
        *,
        what: str = "million user-rounds",
        unit: int = 10**6,
        shown: bool | None = None,
        to: TextIO | None = None,
    ) -> None:
        self.total, self.done, self.fresh, self.what, self.unit = total, done, 0, what, unit
        self.bar = _bar(shown, to)
        self.shown = self.bar is not None
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
        if now - self.last > REDRAW or finished:
            self.last = now
            self._draw(now)

    def line(self, seconds: float) -> str:
        """For example `` 40%  0.8 of 2.0 million user-rounds, 0.95 a second, 1 s left``."""
        rate = self.fresh / max(seconds, 1e-9)
        speed = f"{self.what}, {rate / self.unit:,.2f} a second"
        if not self.total:
            return f"{self._count(self.done)} {speed}"
        left = (self.total - self.done) / max(rate, 1e-9)
        return (
            f"{self.done / self.total:4.0%}  {self._count(self.done)} of "
            f"{self._count(self.total)} {speed}, {time_text(left)} left"
        )

    def close(self) -> None:
        """Leave the line as it is now."""
        if self.bar is not None and self.fresh:
            self._draw(time.monotonic())
            self.bar.stop()
        self.bar = None

    def _count(self, amount: int) -> str:
        return f"{amount:,}" if self.unit == 1 else f"{amount / self.unit:,.1f}"

    def _draw(self, now: float) -> None:
        if self.bar is None:
            return
        told = self.line(now - self.start)
        (task,) = self.bar.task_ids
        self.bar.update(task, total=self.total, completed=self.done, description=told)
        self.bar.start()
        self.bar.refresh()


def _bar(shown: bool | None, to: TextIO | None) -> Bar | None:
    """A bar, or None where there is nobody to see it, or no rich to draw it."""
    if not ((to or sys.stderr).isatty() if shown is None else shown):
        return None
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar
    except ModuleNotFoundError:
        if shown:
            raise MissingExtra("runner", "A progress bar") from None
        return None
    bar = Bar(
        BarColumn(None),
        TextColumn("{task.description}", markup=False),
        console=Console(file=to, stderr=to is None),
        auto_refresh=False,  # no thread: whoever adds draws
        redirect_stdout=sys.stdout.isatty(),  # what is printed to a file meanwhile stays there
        expand=True,
    )
    bar.add_task("", total=None)
    return bar


def time_text(seconds: float) -> str:
    """For example ``40 s``, ``12 min`` or ``1.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
