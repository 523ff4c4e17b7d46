"""The command ``conlinucb db forget``."""

from __future__ import annotations

import contextlib
import re
import time
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.cli.database import Config, Database, open_storage
from conlinucb.cli.interrupt import until_interrupted
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.progress import Progress

if TYPE_CHECKING:
    from conlinucb.service.storage import Storage

HOURS = {"h": 1, "d": 24, "w": 24 * 7}
WAIT = 60.0
"""Seconds to wait for readers who are in the way of the files."""


def forget(
    older_than: Annotated[
        str,
        typer.Option(
            help="Hours, days or weeks since the last event, such as 36h, 400d or 52w.",
            show_default=False,
        ),
    ],
    catalogue: Annotated[str | None, typer.Option(help="Only about this one.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Count them, delete nobody.")] = False,
    config: Config = None,
    database: Database = None,
) -> None:
    """Delete everyone who has not been heard of for so long, with all that is kept of them."""
    hours = hours_of(older_than)
    with contextlib.closing(open_storage(config, database)) as storage:
        wanted = _id_of(storage, catalogue)
        until_interrupted(lambda: _forget(storage, hours, wanted, dry=dry_run))


def hours_of(text: str) -> int:
    """A span of time in hours.

    >>> hours_of("400d")
    9600
    """
    found = re.fullmatch(r"([1-9][0-9]{0,5})([hdw])", text)
    if found is None:
        raise InvalidInput(f"--older-than must be such as 36h, 400d or 52w, got {text!r}.")
    return int(found[1]) * HOURS[found[2]]


def _forget(storage: Storage, hours: int, catalogue: int | None, *, dry: bool) -> None:
    from conlinucb.service.storage import now
    from conlinucb.service.storage.retention import Retention

    retention = Retention(storage.database, storage.erasure)
    looked = gone = 0
    total = retention.count(catalogue)
    try:
        with contextlib.closing(Progress(total, what="people looked at", unit=1)) as bar:
            before = now() - hours * 3_600_000_000
            for each in retention.forget(before, catalogue, dry=dry):
                looked, gone = looked + each.people, gone + each.gone
                bar.add(each.people)
    finally:
        what = "would be forgotten" if dry else "forgotten"
        typer.echo(f"{gone:,} of {looked:,} people {what}")
    if gone and not dry:
        finish(storage)


def finish(storage: Storage, *, all_marks: bool = False) -> None:
    """Let who was deleted leave the files, too, or say that a reader is in the way."""
    end = time.monotonic() + WAIT
    while not storage.erasure.finish(WAIT, all_marks=all_marks):
        if time.monotonic() > end:
            typer.echo(
                "There is no row of them any more, but someone is reading who began before: they "
                "leave the files with: conlinucb db sweep (a running service does it by itself)",
                err=True,
            )
            raise typer.Exit(1)
        time.sleep(0.5)


def _id_of(storage: Storage, name: str | None) -> int | None:
    if name is None:
        return None
    entries = {each.name: each.id for each in storage.catalogue_log.entries()}
    if name not in entries:
        raise UnknownName(f"There is no catalogue {name!r}.{nearest(name, entries)}")
    return entries[name]
