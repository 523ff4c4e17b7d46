"""The command ``conlinucb people``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from conlinucb.cli.interrupt import until_interrupted

Data = Annotated[
    list[str] | None,
    typer.Argument(metavar="DATA...", help="listening, ratings.", show_default="both"),
]
Log = Annotated[
    Path | None,
    typer.Option(help="A log of your own: columns person, item and, unless implicit, value."),
]
Tags = Annotated[
    Path | None, typer.Option(help="Its items' tags: columns item, tag, perhaps weight.")
]
Columns = Annotated[
    str | None,
    typer.Option(
        help="What the log calls its columns, or their places from 0.",
        metavar="person=userId,item=movieId",
    ),
]
TagColumns = Annotated[
    str | None,
    typer.Option(help="The same of the tags.", metavar="item=movieId,tag=genres"),
]
Separator = Annotated[
    str | None, typer.Option(help="What is between columns.", show_default="found out")
]
Encoding = Annotated[str | None, typer.Option(help="Of both files.", show_default="utf-8")]
NoHeader = Annotated[
    bool,
    typer.Option("--no-header", help="The first line is a row in both files: name places."),
]
Split = Annotated[
    str | None, typer.Option(help='What is between several tags in a cell, such as "|".')
]
Format = Annotated[
    str | None,
    typer.Option(
        help="movielens, hetrec-movielens or hetrec-lastfm: --log and --tags are "
        "files as published, or their folder."
    ),
]
Range = Annotated[
    tuple[float, float] | None,
    typer.Option(
        help="What the log's values may be.",
        metavar="LOW HIGH",
        show_default="the least and the largest",
    ),
]
Implicit = Annotated[
    bool,
    typer.Option("--implicit", help="The log says what people met, not how they liked it."),
]
Least = Annotated[
    int | None,
    typer.Option(
        help="Items that a tested person of your log has at least.",
        min=4,
        show_default="20 of an implicit log, else 40",
    ),
]
Ways = Annotated[
    bool, typer.Option("--ways", help="Compare ways of asking, each with as many questions.")
]
Rhythm = Annotated[
    list[str] | None,
    typer.Option(
        help="With --ways: 3-first, 10-first, each-round or after-favourite; may be given several "
        "times.",
        show_default="all",
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Small: to look at, not to decide.")]
Out = Annotated[
    Path | None, typer.Option(help="Folder.", show_default="results/people or results/quick")
]
Seed = Annotated[int, typer.Option(help="Of splits, halves, pools and chance.", min=0)]


def people(
    data: Data = None,
    log: Log = None,
    tags: Tags = None,
    columns: Columns = None,
    tag_columns: TagColumns = None,
    separator: Separator = None,
    encoding: Encoding = None,
    no_header: NoHeader = False,
    split: Split = None,
    format: Format = None,
    range: Range = None,
    implicit: Implicit = False,
    least: Least = None,
    ways: Ways = False,
    rhythm: Rhythm = None,
    quick: Quick = False,
    out: Out = None,
    seed: Seed = 0,
) -> None:
    """Newcomers among real people: who recommends best in their first rounds.

    Plays the logged people of each data set with everybody, from chance to a ceiling that knows
    half of them, and writes one report. Goes on where it was stopped.
    """
    from conlinucb.cli.real_people import Order, carry_out, named_columns

    given: dict[str, Any] = {
        "columns": columns and named_columns(columns),
        "tag_columns": tag_columns and named_columns(tag_columns),
        "separator": separator and separator.replace("\\t", "\t"),
        "encoding": encoding,
        "header": False if no_header else None,
        "split": split,
        "format": format,
        "range": range,
    }
    order = Order(
        data=tuple(data or ()),
        log=log,
        tags=tags,
        reading={name: value for name, value in given.items() if value is not None},
        implicit=implicit,
        least=least,
        ways=ways,
        rhythms=tuple(rhythm or ()),
        quick=quick,
        out=out or Path("results/quick" if quick else "results/people"),
        seed=seed,
    )
    until_interrupted(lambda: carry_out(order, typer.echo))
