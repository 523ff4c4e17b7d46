"""The commands ``conlinucb keys``."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.cli import tables
from conlinucb.cli.database import Config, Database, storage_of
from conlinucb.errors import InvalidInput

if TYPE_CHECKING:
    from conlinucb.service.storage import Storage, StoredKey

keys_app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Who may call the service: keys with scopes, made, listed, rotated, revoked.",
)
Name = Annotated[str, typer.Argument(help="The key's name.")]
_NAME = re.compile(r"[\w.@+-]{1,100}")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST = 36_500
SECOND = 1_000_000


@keys_app.command()
def make(
    name: Annotated[str, typer.Option(help="What it is called: whose it is, or what for.")],
    scope: Annotated[
        list[str], typer.Option(help="use, build or admin; several by saying it again.")
    ],
    catalogue: Annotated[
        str | None, typer.Option(help="The only catalogue it is for.", show_default="all")
    ] = None,
    days: Annotated[
        float | None, typer.Option(help="How long it opens.", show_default="for good")
    ] = None,
    config: Config = None,
    database: Database = None,
) -> None:
    """Make a key. It is shown now and never again: only its digest is kept."""
    _check(name, scope, days)
    storage = _open(config, database, create=True)
    from conlinucb.service.storage import now

    until = None if days is None else now() + int(days * _UNITS["d"] * SECOND)
    _show(storage.keys.make(name, set(scope), catalogue, until=until))
    storage.close()


@keys_app.command(name="list")
def list_(config: Config = None, database: Database = None) -> None:
    """List all keys: their names, scopes and state, not themselves."""
    storage = _open(config, database)
    found = storage.keys.all()
    storage.close()
    heads = ("name", "scopes", "catalogue", "made", "state")
    rows = [_row(each) for each in found]
    if not rows:
        typer.echo("there are no keys")
        return
    tables.show(lambda: tables.made(heads, rows), ("  ".join(row) for row in rows))


@keys_app.command()
def rotate(
    name: Name,
    overlap: Annotated[
        str, typer.Option(help="How long the old one goes on opening: 0, 90s, 30m, 24h, 7d.")
    ] = "24h",
    config: Config = None,
    database: Database = None,
) -> None:
    """Make another key in place of one, which ends after the overlap."""
    seconds = _seconds(overlap)
    storage = _open(config, database)
    _show(storage.keys.rotate(name, seconds * SECOND))
    storage.close()


@keys_app.command()
def revoke(name: Name, config: Config = None, database: Database = None) -> None:
    """End a key, and those it was rotated from; services follow within two seconds."""
    storage = _open(config, database)
    count = storage.keys.revoke(name)
    storage.close()
    typer.echo(f"{name}: {count} {'key' if count == 1 else 'keys'} revoked")


@keys_app.command()
def clear(config: Config = None, database: Database = None) -> None:
    """Forget keys that ended. Where none is left, the service is as if there never was one."""
    storage = _open(config, database)
    count = storage.keys.clear()
    storage.close()
    typer.echo(f"{count} {'key' if count == 1 else 'keys'} forgotten")


def _check(name: str, scopes: list[str], days: float | None) -> None:
    from conlinucb.service.http.scopes import SCOPES

    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"--name must be 1 to 100 letters, digits or any of . _ - @ +, got {name[:100]!r}."
        )
    for each in scopes:
        if each not in SCOPES:
            raise InvalidInput(f"--scope must be one of {', '.join(SCOPES)}, got {each!r}.")
    if days is not None and not 0 < days <= _LONGEST:
        raise InvalidInput(f"--days must be above 0 and at most {_LONGEST:,}, got {days}.")


def _seconds(text: str) -> int:
    """A length of time as one writes it.

    >>> _seconds("24h"), _seconds("0"), _seconds("7d")
    (86400, 0, 604800)
    """
    matched = re.fullmatch(r"(\d{1,5})([smhd])", text)
    if text == "0":
        return 0
    if matched is None:
        raise InvalidInput(f"--overlap must be such as 90s, 30m, 24h, 7d or 0, got {text[:50]!r}.")
    return int(matched[1]) * _UNITS[matched[2]]


def _show(key: str) -> None:
    typer.echo("This key is shown once; keep it where secrets are kept.", err=True)
    typer.echo(key)


def _row(key: StoredKey) -> tuple[str, ...]:
    from conlinucb.service.storage import now

    if key.revoked is not None:
        state = f"revoked {_day(key.revoked)}"
    elif key.until is not None:
        state = f"{'until' if key.is_live(now()) else 'ended'} {_day(key.until)}"
    else:
        state = "in use"
    scopes = ", ".join(sorted(key.scopes))
    return key.name, scopes, key.catalogue or "all", _day(key.at), state


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment / SECOND, UTC).strftime("%Y-%m-%d %H:%M")


def _open(config: Path | None, database: str | None, *, create: bool = False) -> Storage:
    storage = storage_of(config, database)
    from conlinucb.service.storage import migrate

    if storage.database.is_memory:
        raise InvalidInput("A database in memory ends with its process: no key lasts in it.")
    if not create:
        storage.database.must_exist()
    elif migrate.current(storage.database) is None:
        migrate.upgrade(storage.database)  # a key can be there before the first start
    migrate.require_current(storage.database)
    return storage
