"""The commands ``conlinucb db``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.cli import tables
from conlinucb.cli.backup import backup, restore
from conlinucb.cli.database import Config, Database, open_storage, storage_of
from conlinucb.cli.db_upkeep import partition, sweep
from conlinucb.cli.forget import forget
from conlinucb.cli.interrupt import until_interrupted
from conlinucb.progress import Progress

if TYPE_CHECKING:
    from conlinucb.service.conversations.audit import Checked, Checker

db_app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="The service's database: upgrade, check, back up, restore, forget, sweep, partition.",
)
for command in (backup, restore, forget, sweep, partition):
    db_app.command()(command)


@db_app.command()
def upgrade(config: Config = None, database: Database = None) -> None:
    """Run the migrations that are missing; an empty database becomes usable."""
    storage = storage_of(config, database)
    from conlinucb.service.storage import migrate

    before = migrate.current(storage.database)
    migrate.upgrade(storage.database)
    now = migrate.current(storage.database)
    storage.close()
    typer.echo(f"{storage.database.place}: {before or 'empty'} -> {now}")


@db_app.command()
def check(
    config: Config = None,
    database: Database = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew, not where a check was interrupted.")
    ] = False,
) -> None:
    """Fold every log and compare it with the snapshots; exit code 1 where something is wrong.

    An interrupted check goes on where it was.
    """
    until_interrupted(lambda: _check(_checker(config, database, restart=restart)))


def _check(checker: Checker) -> None:
    place = checker.place
    if checker.resumed:
        typer.echo(f"going on with a check that was interrupted after {place.people} people")
    checker.catalogues()
    for _ in _watched(checker.people(), checker.count(), "people checked", place.people):
        pass
    rows = [(where, each.what, each.reason) for where, each in checker.findings()]
    if rows:
        heads = ("where", "what", "why")
        tables.show(lambda: tables.made(heads, rows), (": ".join(row) for row in rows))
    if place.unsealed:
        typer.echo(f"{place.unsealed} events were written by an older version, without a seal")
    found = checker.found()
    typer.echo(f"{place.people} people, {place.events} events, {found} findings")
    if found:
        raise typer.Exit(1)


@db_app.command()
def rebuild(config: Config = None, database: Database = None) -> None:
    """Throw away all snapshots and make them anew from the log."""
    checker = _checker(config, database)
    checker.catalogues()
    done = sum(1 for _ in _watched(checker.rebuild(), checker.count(), "people rebuilt"))
    typer.echo(f"{done} people rebuilt")


def _watched(steps: Iterable[Checked], total: int, what: str, done: int = 0) -> Iterator[Checked]:
    with contextlib.closing(Progress(total, done, what=what, unit=1)) as bar:
        for each in steps:
            yield each
            bar.add(1)


def _checker(config: Path | None, database: str | None, *, restart: bool = True) -> Checker:
    storage = open_storage(config, database)
    from conlinucb.service.conversations.audit import Checker

    return Checker(storage, restart=restart)
