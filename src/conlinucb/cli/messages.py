"""What the library logs, as lines on stderr while a command runs."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import typer

LOGGER = logging.getLogger("conlinucb")


class Messages(logging.Handler):
    """Writes to whatever stderr is at that moment: under a progress bar it is another."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say it in a line."""
        typer.echo(self.format(record), err=True)


@contextlib.contextmanager
def messages_shown() -> Iterator[None]:
    """Show notes, warnings and errors of the library."""
    handler, before = Messages(), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.setLevel(before)
        LOGGER.removeHandler(handler)
