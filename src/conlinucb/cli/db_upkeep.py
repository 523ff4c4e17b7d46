"""The commands ``conlinucb db partition`` and ``db sweep``: large work on the tables themselves."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.cli.database import Config, Database, open_storage
from conlinucb.cli.forget import finish
from conlinucb.cli.interrupt import until_interrupted
from conlinucb.progress import Progress

if TYPE_CHECKING:
    from conlinucb.service.storage import Storage


def partition(config: Config = None, database: Database = None) -> None:
    """Move the events of a PostgreSQL database into parts, by person, while the service runs."""
    storage = open_storage(config, database)
    from conlinucb.service.storage.partitions import Partitioning

    work = Partitioning(storage.database)

    def move() -> None:
        waiting = work.waiting()
        if not waiting:
            typer.echo("all tables are in parts already")
        for layout in waiting:
            with contextlib.closing(Progress(None, what="batches copied", unit=1)) as bar:
                for _ in work.run(layout):
                    bar.add(1)
            typer.echo(f"{layout.table} is in parts")

    until_interrupted(move)
    storage.close()


def sweep(
    full: Annotated[
        bool, typer.Option(help="PostgreSQL: VACUUM FULL, which locks each table meanwhile.")
    ] = False,
    config: Config = None,
    database: Database = None,
) -> None:
    """Let deleted catalogues and people leave tables and files now, which otherwise happens by
    and by; exit code 1 where a reader bars it."""
    with contextlib.closing(open_storage(config, database)) as storage:
        until_interrupted(lambda: _sweep(storage, full=full))


def _sweep(storage: Storage, *, full: bool) -> None:
    people = 0
    with contextlib.closing(Progress(None, what="people removed", unit=1)) as bar:
        for catalogue in storage.removal.waiting():
            for gone in storage.removal.run(catalogue):
                people += gone
                bar.add(gone)
    left = len(storage.removal.waiting())
    typer.echo(f"{people} people removed" + (f", {left} left to others at work" * bool(left)))
    if full:
        storage.erasure.rewrite()
    finish(storage, all_marks=True)
    typer.echo("Nobody who was deleted is left: docs/operations.md says where that holds.")
