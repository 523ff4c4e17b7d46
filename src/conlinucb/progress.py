"""A bar that says how far long work is; silent where nobody watches."""

from __future__ import annotations

import importlib
import sys
import time
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol, TextIO

from conlinucb.errors import MissingExtra

REDRAW = 0.2
"""Least seconds between two drawings."""
WAIT = 0.5
"""Seconds before a bar that nobody asked for comes up in a notebook: short cells stay clean."""
CELLS = 20
"""Width of a bar of letters."""


class Bar(Protocol):
    """What draws how far the work is, over what it drew before."""

    def draw(self, done: int, total: int | None, line: str) -> None:
        """Draw the bar, where there is a total, and the line beside it."""
        ...

    def stop(self) -> None:
        """Leave it as it is."""
        ...


class Progress:
    """What is done, its rate and the time left, on one line of a terminal or notebook.

    ``shown`` is None for "in a notebook, or where a terminal is watched and rich is installed".
    ``unit`` is how much counts as one ``what``.
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
        self.wait = WAIT if shown is None and isinstance(self.bar, NotebookBar) else 0.0
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
        total = max(self.total, self.done)  # a search may do more than was foreseen
        left = (total - self.done) / max(rate, 1e-9)
        return (
            f"{self.done / total:4.0%}  {self._count(self.done)} of "
            f"{self._count(total)} {speed}, {time_text(left)} left"
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
        if self.bar is not None and now - self.start >= self.wait:
            self.bar.draw(self.done, self.total, self.line(now - self.start))


def in_notebook() -> bool:
    """Whether what is displayed goes under a notebook's cell: a Jupyter kernel runs this."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


@dataclass(frozen=True)
class Drawn:
    """A bar and its line, as HTML or, where a notebook is read as text, as letters."""

    done: int
    total: int | None
    line: str

    def __repr__(self) -> str:
        if not self.total:
            return self.line
        full = CELLS * self.done // self.total
        return f"[{'#' * full}{'.' * (CELLS - full)}] {self.line}"

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.done}" max="{self.total}"></progress> ' if self.total else ""
        return f"<div>{bar}<code>{escape(self.line)}</code></div>"


class NotebookBar:
    """A bar under a notebook's cell; needs nothing but the notebook itself."""

    def __init__(self) -> None:
        self._place: Any = None

    def draw(self, done: int, total: int | None, line: str) -> None:
        """The first time under the cell, then in the same place."""
        drawn = Drawn(done, total, line)
        if self._place is None:
            display = importlib.import_module("IPython.display").display
            self._place = display(drawn, display_id=True)
        else:
            self._place.update(drawn)

    def stop(self) -> None:
        """Nothing is to be put back."""


class TerminalBar:
    """A bar on one line of a terminal, or the last line in a file."""

    def __init__(self, to: TextIO | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            BarColumn(None),
            TextColumn("{task.description}", markup=False),
            console=Console(file=to, stderr=to is None),
            auto_refresh=False,  # no thread: whoever adds draws
            redirect_stdout=sys.stdout.isatty(),  # what is printed to a file meanwhile stays there
            expand=True,
        )
        self._task = self._bar.add_task("", total=None)

    def draw(self, done: int, total: int | None, line: str) -> None:
        """Over the line before."""
        self._bar.update(self._task, total=total, completed=done, description=line)
        self._bar.start()
        self._bar.refresh()

    def stop(self) -> None:
        """Give the cursor back."""
        self._bar.stop()


def _bar(shown: bool | None, to: TextIO | None) -> Bar | None:
    """A bar, or None where there is nobody to see it, or no rich to draw it."""
    if shown is False:
        return None
    if to is None and in_notebook():
        return NotebookBar()
    if shown is None and not (to or sys.stderr).isatty():
        return None
    try:
        return TerminalBar(to)
    except ModuleNotFoundError:
        if shown:
            raise MissingExtra("runner", "A progress bar") from None
        return None


def time_text(seconds: float) -> str:
    """For example ``40 s``, ``12 min`` or ``1.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
