"""The command ``conlinucb log export``."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from conlinucb.cli.database import Config, Database, open_catalogues
from conlinucb.errors import InvalidInput
from conlinucb.progress import Progress

log_app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="The service's log of decisions: export."
)


@log_app.callback()
def _several() -> None:
    """The service's log of decisions."""


@log_app.command()
def export(
    catalogue: Annotated[str, typer.Argument(help="The catalogue's name.")],
    out: Annotated[Path, typer.Option(help="A .parquet file, or a folder for CATALOGUE.parquet.")],
    since: Annotated[
        str | None,
        typer.Option(help="Judge decisions from this day or time on; UTC unless it says."),
    ] = None,
    experiment: Annotated[
        int | None, typer.Option(help="Judge the decisions of this experiment only.", min=1)
    ] = None,
    unrewarded: Annotated[
        float | None,
        typer.Option(help="What an item without a reward is worth; the range's lowest by default."),
    ] = None,
    with_ids: Annotated[
        bool, typer.Option("--with-ids", help="Leave people's ids as they are.")
    ] = False,
    config: Config = None,
    database: Database = None,
) -> None:
    """Write the whole log as parquet, and the catalogue beside it, for offline evaluation.

    A row for each item shown, with its reward, and for what else was said; people's ids are
    replaced by a keyed hash.
    """
    storage, catalogues = open_catalogues(config, database)
    from conlinucb.service.experiments.experiments import Experiments
    from conlinucb.service.experiments.log_file import write_log
    from conlinucb.service.experiments.log_rows import LogRows

    version, path = catalogues.serving(catalogue), _path(out, catalogue)
    if experiment is not None:
        Experiments(storage, catalogues).latest(catalogue, experiment)  # there must be such a one
    low = version.settings.range[0] if unrewarded is None else unrewarded
    rows = LogRows(storage, catalogues, version, low, _time(since), experiment)
    people = storage.people.count(version.id)
    with contextlib.closing(Progress(people, what="people written", unit=1)) as bar:
        counts = write_log(path, rows, with_ids=with_ids, seen=bar.add)
    beside = path.with_suffix(".npz")
    rows.catalog.save(beside)
    listed = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    typer.echo(f"{path}: {people:,} people; rows: {listed or 'none'}")
    typer.echo(f"{beside}: the catalogue, for --agent of conlinucb offline")
    for text, count in _left(rows):
        if count:
            typer.echo(f"{count:,} {text}")


def _left(rows: object) -> list[tuple[str, int]]:
    from conlinucb.service.experiments.log_rows import LogRows

    assert isinstance(rows, LogRows)
    left = rows.left
    return [
        (
            "recommendations are no decisions: how likely they were is not known",
            left.without_chance,
        ),
        ("recommendations are no decisions: their pool is not known", left.without_pool),
        ("rows are left out: the catalogue does not have what they are about", left.without_item),
    ]


def _path(out: Path, catalogue: str) -> Path:
    if out.suffix == ".parquet":
        path = out
    elif "/" in catalogue or catalogue.startswith("."):
        raise InvalidInput(f"{catalogue!r} is no name of a file: say --out NAME.parquet.")
    else:
        path = out / f"{catalogue}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _time(given: str | None) -> int:
    """Microseconds since 1970."""
    if given is None:
        return 0
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise InvalidInput(f"--since must be such as 2027-01-31, got {given!r}.") from None
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1e6)
