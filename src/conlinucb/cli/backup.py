"""The commands ``conlinucb db backup`` and ``conlinucb db restore``."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from conlinucb.cli.database import Config, Database, storage_of
from conlinucb.progress import Progress

File = Annotated[Path, typer.Argument(help="One file for the whole database.", show_default=False)]


def backup(file: File, config: Config = None, database: Database = None) -> None:
    """Write the database as it is now into one file, beside whoever uses it."""
    with contextlib.closing(storage_of(config, database)) as storage:
        storage.database.must_exist()
        from conlinucb.service.storage import backup as backups

        with contextlib.closing(Progress(None, what="rows written", unit=1)) as bar:
            made = backups.save(storage.database, file, bar.add)
    typer.echo(f"{made.rows:,} rows at migration {made.migration} -> {file}")


def restore(file: File, config: Config = None, database: Database = None) -> None:
    """Put a backup, of SQLite or PostgreSQL, into an empty database of either kind."""
    with contextlib.closing(storage_of(config, database)) as storage:
        from conlinucb.service.storage import backup as backups

        made = backups.read_manifest(file)
        with contextlib.closing(Progress(made.rows, what="rows restored", unit=1)) as bar:
            backups.restore(storage.database, file, bar.add)
        place = storage.database.place
    typer.echo(f"{file} -> {made.rows:,} rows in {place}")
