"""The command ``conlinucb offline``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conlinucb.cli import tables


def offline(
    log: Annotated[Path, typer.Argument(help="A .csv, .tsv or .parquet file of decisions.")],
    target: Annotated[
        str, typer.Option(help="Column with the target's probability of the logged action.")
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(help="What the file calls something: action=item, person=user, ..."),
    ] = None,
    clip: Annotated[float | None, typer.Option(help="Cut weights above this.")] = None,
    least: Annotated[float, typer.Option(help="Effective decisions an estimate needs.")] = 50.0,
    independent: Annotated[
        bool, typer.Option("--independent", help="Take one person's decisions for independent.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw an .svg, .png or .pdf file.")
    ] = None,
) -> None:
    """What another way to choose would have earned, from a log with propensities."""
    from conlinucb.offline import evaluate
    from conlinucb.offline.estimates import HEADS

    found = evaluate(
        log,
        target,
        columns=_columns(column or []),
        estimators=("replay", "ips", "snips", "clipped"),
        clip=clip,
        least_effective=least,
        clustered=not independent,
    )
    first, *lines = str(found).splitlines()
    typer.echo(first)
    tables.show(lambda: tables.made(HEADS, found.texts(), numbers=(1, 2, 3, 4)), lines)
    if picture is not None:
        from conlinucb.report import draw_offline

        typer.echo(f"picture: {draw_offline(found, picture)}")


def _columns(given: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    for name, equals, theirs in pairs:
        if not (name and equals and theirs):
            raise typer.BadParameter(f"say action=item for instance, got {name + equals!r}")
    return {name: theirs for name, _, theirs in pairs}
