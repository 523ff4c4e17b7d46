"""What ``conlinucb serve --check-config`` says: every setting, where it is from, what is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from conlinucb.cli import tables
from conlinucb.cli.database import has_key, open_database
from conlinucb.errors import ConlinucbError, InvalidInput

if TYPE_CHECKING:
    from conlinucb.service.config import ServiceConfig


def check_config(path: Path | None, given: Mapping[str, Any]) -> None:
    """Print the settings in effect and all that is wrong; exit code 1 where something is."""
    from conlinucb.service.config import read_with_origins

    try:
        config, origins = read_with_origins(path, given)
    except ConlinucbError as error:
        typer.echo(f"wrong: {error}")
        raise typer.Exit(1) from None
    rows = [
        (name, _shown(name, value), origins.get(name, "default"))
        for name, value in config.model_dump(mode="json").items()
    ]
    heads = ("setting", "value", "from")
    tables.show(lambda: tables.made(heads, rows), ("  ".join(row) for row in rows))
    wrong = list(dict.fromkeys(_wrong(config)))
    for each in wrong:
        typer.echo(f"wrong: {each}")
    if wrong:
        raise typer.Exit(1)
    typer.echo("The configuration can be used.")


def _shown(name: str, value: Any) -> str:
    """A value as text; no password is in it."""
    if name == "database":
        return _place(value)
    return value if isinstance(value, str) else json.dumps(value)


def _place(address: str) -> str:
    from conlinucb.service.storage.database import Database

    try:
        return Database(address).place
    except ConlinucbError:  # it may still hold a password
        return "(not an address)"


def _wrong(config: ServiceConfig) -> Iterator[str]:
    from conlinucb.service.config import key_from_environment

    try:
        stored = has_key(config)
        key = key_from_environment(config, stored=stored)
        typer.echo("key: set" if key or stored else "key: none, for this machine only")
    except ConlinucbError as error:
        yield str(error)
    try:
        typer.echo(f"database: {_database(config)}")
    except ConlinucbError as error:
        yield str(error)


def _database(config: ServiceConfig) -> str:
    """What the database is like; a file that is not there yet is not made."""
    from conlinucb.service.storage import migrate

    database = open_database(config)
    file = database.file
    try:
        if file is not None and not file.exists():
            if not os.access(file.resolve().parent, os.W_OK):
                raise InvalidInput(f"database: {file} cannot be made in {file.resolve().parent}.")
            return f"{file} will be made"
        found = migrate.current(database)
        if found is None:
            return "empty, will be made ready"
        migrate.require_current(database)
        return f"answers, at migration {found}"
    finally:
        database.close()
