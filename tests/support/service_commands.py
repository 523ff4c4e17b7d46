"""``conlinucb db`` and others in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.pool import Pool
from typer.testing import CliRunner

from conlinucb.cli.main import app as command_line
from conlinucb.service.storage import Person


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    code: int
    output: str
    error: BaseException | None
    """None where it only ended with its code."""

    @property
    def lines(self) -> list[str]:
        return self.output.splitlines()

    def of(self, person: Person) -> dict[str, str]:
        """What was reported of a person: what, and why."""
        start = f"person {person.name!r}: "
        found = (line.removeprefix(start) for line in self.lines if line.startswith(start))
        return dict(cast(tuple[str, str], tuple(each.split(": ", 1))) for each in found)


def command(name: str, url: str) -> Done:
    """Run ``conlinucb db NAME`` in this process."""
    return run(["db", name], url)


def run(words: Sequence[str], url: str) -> Done:
    """Run ``conlinucb WORDS`` on a database, in this process."""
    return bare(*words, "--database", url)


def bare(*words: str) -> Done:
    """Run ``conlinucb WORDS`` in this process."""
    connections: list[Any] = []
    ours = threading.get_ident()

    def note(connection: Any, record: Any) -> None:
        if threading.get_ident() == ours:  # not those of a service in this process
            connections.append(connection)

    sa.event.listen(Pool, "connect", note)
    result = CliRunner().invoke(command_line, words)
    sa.event.remove(Pool, "connect", note)
    for connection in connections:  # a command leaves them to the end of its process
        connection.close()
    error = None if isinstance(result.exception, SystemExit) else result.exception
    return Done(result.exit_code, result.output, error)
