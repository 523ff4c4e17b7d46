"""The command ``conlinucb people``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conlinucb.cli.interrupt import until_interrupted


def people(
    data: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATA...", help="listening, ratings.", show_default="both"),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(help="A log of your own: columns person, item and, unless implicit, value."),
    ] = None,
    tags: Annotated[
        Path | None, typer.Option(help="Its items' tags: columns item, tag, perhaps weight.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="What the log calls its columns, or their places from 0.",
            metavar="person=userId,item=movieId",
        ),
    ] = None,
    tag_columns: Annotated[
        str | None,
        typer.Option(help="The same of the tags.", metavar="item=movieId,tag=genres"),
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="What is between columns.", show_default="found out")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Of both files.", show_default="utf-8")
    ] = None,
    split: Annotated[
        str | None, typer.Option(help='What is between several tags in a cell, such as "|".')
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="movielens, hetrec-movielens or hetrec-lastfm: --log and --tags are "
            "files as published, or their folder."
        ),
    ] = None,
    implicit: Annotated[
        bool,
        typer.Option("--implicit", help="The log says what people met, not how they liked it."),
    ] = False,
    least: Annotated[
        int | None,
        typer.Option(
            help="Items that a tested person of your log has at least.",
            min=4,
            show_default="20 of an implicit log, else 40",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small: to look at, not to decide.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder.", show_default="results/people or results/quick")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of splits, halves, pools and chance.", min=0)] = 0,
) -> None:
    """Newcomers among real people: who recommends best in their first rounds.

    Plays the logged people of each data set with everybody, from chance to a ceiling that knows
    half of them, and writes one report. Goes on where it was stopped.
    """
    from conlinucb.cli.real_people import Order, carry_out, named_columns

    given = {
        "columns": columns and named_columns(columns),
        "tag_columns": tag_columns and named_columns(tag_columns),
        "separator": separator and separator.replace("\\t", "\t"),
        "encoding": encoding,
        "split": split,
        "format": format,
    }
    reading = {name: value for name, value in given.items() if value is not None}
    order = Order(
        data=tuple(data or ()),
        log=log,
        tags=tags,
        reading=reading,
        implicit=implicit,
        least=least,
        quick=quick,
        out=out or Path("results/quick" if quick else "results/people"),
        seed=seed,
    )
    until_interrupted(lambda: carry_out(order, typer.echo))
