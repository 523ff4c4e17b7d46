"""Tables for people who watch a terminal, plain lines for files, pipes and grep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import typer
from rich import box
from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

HEAD_AND_FRAME = 8
"""Lines of a terminal to leave for what is around the rows of a table that grows."""


def watched() -> bool:
    """Whether what is printed goes to a terminal."""
    return sys.stdout.isatty()


def made(
    heads: Sequence[str], rows: Iterable[Sequence[str | Text]], *, numbers: Sequence[int] = ()
) -> Table:
    """A table; ``numbers`` are the columns that align at the right."""
    table = Table(
        box=box.SIMPLE_HEAD,
        header_style="bold",
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for at, head in enumerate(heads):
        side: Literal["left", "right"] = "right" if at in numbers else "left"
        table.add_column(Text(head), justify=side, overflow="fold")  # nothing is cut off
    for row in rows:
        table.add_row(*(each if isinstance(each, Text) else Text(each) for each in row))
    return table


def show(table: Callable[[], RenderableType], plain: Iterable[str]) -> None:
    """The table in a terminal, and the lines elsewhere."""
    if watched():
        Console().print(table())
        return
    for line in plain:
        typer.echo(line)


class Growing:
    """A table that gets a row at a time; where nobody watches, a line at a time."""

    def __init__(self, table: Callable[[Sequence[Any]], Table], line: Callable[[Any], str]) -> None:
        self.table, self.line, self.rows = table, line, list[Any]()
        self.live = Live(auto_refresh=False) if watched() else None

    def add(self, row: Any) -> None:
        """Show one more; of many, those that fit."""
        self.rows.append(row)
        if self.live is None:
            typer.echo(self.line(row))
            return
        room = max(self.live.console.height - HEAD_AND_FRAME, 1)
        self.live.start()
        self.live.update(self.table(self.rows[-room:]), refresh=True)

    def close(self) -> None:
        """Leave all rows on the screen."""
        if self.live is not None and self.rows:
            self.live.update(self.table(self.rows))
            self.live.stop()
