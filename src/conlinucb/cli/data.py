"""The commands ``conlinucb data``: fetch, check, show."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Group, RenderableType
from rich.text import Text

from conlinucb.cli import tables
from conlinucb.datasets import DATASETS, LOGGED, Interactions, files, load
from conlinucb.datasets.fetch import fetch as fetch_data
from conlinucb.errors import UnknownName, nearest
from conlinucb.numerics.validation import Indices
from conlinucb.report.pictures import pyplot

data_app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Fetch, check and look at data sets."
)
_WORDS = {
    "ok": "ok",
    "missing": "missing",
    "line ends": "same text, other line ends than published",
    "wrong sum": "WRONG SUM",
}
_LOADED = {"ml-latest-small": "ratings"}
"""How published files are loaded that are not called as their loader is."""
UNIT_BINS = 50
"""Up to this size a histogram has one bar a number; beyond it, bars get wider."""
Published = Annotated[
    str, typer.Argument(help="lastfm, movielens or ml-latest-small.", metavar="NAME")
]


@data_app.command()
def fetch(
    name: Published,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="A zip or folder that is already here.", metavar="PATH"),
    ] = None,
) -> None:
    """Download a published data set, check every file, and say where it is."""
    spec, there = files.published(name), files.complete(name)
    folder = fetch_data(name, source=source)
    typer.echo(f"{spec.title}: {'already complete, kept' if there else 'fetched and checked'}.")
    for label, text in (("licence", spec.licence), ("cite", spec.citation)):
        typer.echo(textwrap.fill(f"{label}: {text}", 88, subsequent_indent="  "))
    typer.echo(f"path: {folder}")


@data_app.command()
def check(
    name: Annotated[
        str | None,
        typer.Argument(
            help="lastfm, movielens or ml-latest-small; all if left out.", metavar="[NAME]"
        ),
    ] = None,
) -> None:
    """Compare the files with the published sums; exit code 1 when something is wrong."""
    names = list(files.PUBLISHED) if name is None else [name]
    wrong = [each for each in names if not _print_check(each)]
    for each in wrong:
        typer.echo(f"{each} cannot be used as published. Run: conlinucb data fetch {each}")
    if wrong:
        raise typer.Exit(1)


def _print_check(name: str) -> bool:
    """Print the table of one data set; whether nothing is wrong in it."""
    spec, states = files.published(name), files.check(name)
    typer.echo(f"{spec.title} in {files.cache_folder() / spec.folder}")
    tables.show(lambda: _check_table(states), (line for each in states for line in _lines(each)))
    return not any(each.wrong for each in states)


def _check_table(states: list[files.FileState]) -> RenderableType:
    """The table, and below it the sums that are wrong, which are too long for it."""
    heads = ("file", "", "state")
    table = tables.made(heads, ((each.file, _needed(each), _state(each)) for each in states))
    wrong = [each for each in states if each.state == "wrong sum"]
    return Group(table, *(Text("\n".join((f" {each.file}", *_sums(each)))) for each in wrong))


def _state(each: files.FileState) -> Text:
    colour = "red" if each.wrong else "green" if each.state == "ok" else "yellow"
    return Text(_WORDS[each.state], style=colour)


def _lines(each: files.FileState) -> Iterator[str]:
    """The same for a file or pipe."""
    yield f"  {each.file:34s}{_needed(each):8s}{_WORDS[each.state]}".rstrip()
    if each.state == "wrong sum":
        yield from _sums(each)


def _sums(each: files.FileState) -> tuple[str, str]:
    return f"    expected {each.expected}", f"    found    {each.found}"


def _needed(each: files.FileState) -> str:
    return "needed" if each.needed else ""


@data_app.command()
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="lastfm, movielens, synthetic, demo, listening or ratings.", metavar="NAME"
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the picture.")] = Path("results/data"),
) -> None:
    """Print how much a data set holds, and draw how arms and key-terms are spread."""
    data = _load(name)
    typer.echo(data.name)
    logged = isinstance(data, Interactions)
    facts = _logged_facts(data) if logged else _facts(data)
    tables.show(
        lambda: tables.made(("what", "number"), facts.items(), numbers=[1]),
        (f"  {label:34s}{value:>12s}" for label, value in facts.items()),
    )
    weights = data.weights if logged else data.catalog.weights
    size = f"{weights.shape[1]:,} key-terms" if logged else f"d = {data.catalog.d}"
    title = f"{data.name}: {weights.shape[0]:,} arms, {size}"
    picture = _draw(title, weights, out / f"{data.name}.png")
    typer.echo(f"written: {picture}")


def _load(name: str) -> Any:
    name = _LOADED.get(name, name)
    if name in LOGGED:
        return LOGGED[name]()
    if name not in DATASETS:
        known = nearest(name, (*DATASETS, *LOGGED))
        raise UnknownName(f"No data set is called {name!r}.{known}")
    return load(name)


def _facts(data: Any) -> dict[str, str]:
    """What ``show`` prints, line by line."""
    catalog = data.catalog
    arms, terms = len(catalog), len(catalog.term_ids)
    people = {} if data.thetas is None else {"users": len(data.thetas)}
    sizes = {"arms": arms, "key-terms": terms, "d": catalog.d}
    facts = {label: f"{count:,}" for label, count in (data.counts | people | sizes).items()}
    facts |= _spread_facts(catalog.weights)
    facts["rank of the arms"] = f"{np.linalg.matrix_rank(catalog.arms)}"
    facts["rank of the key-terms"] = f"{np.linalg.matrix_rank(catalog.terms)}"
    return facts


def _logged_facts(data: Interactions) -> dict[str, str]:
    """The same for logged people."""
    facts = {label: f"{count:,}" for label, count in data.counts.items()}
    facts["mean value"] = f"{data.values.mean():.3f}"
    facts |= _quantiles("items of a person", np.bincount(data.people))
    return (
        facts
        | _quantiles("people of an item", np.bincount(data.items))
        | _spread_facts(data.weights)
    )


def _spread_facts(weights: Any) -> dict[str, str]:
    per_term, per_arm = _spread(weights)
    facts = {"density of the weights": f"{per_term.sum() / (per_term.size * per_arm.size):.2%}"}
    facts |= _quantiles("arms of a key-term", per_term)
    return facts | _quantiles("key-terms of an arm", per_arm)


def _quantiles(label: str, counts: Indices) -> dict[str, str]:
    return {
        f"{label}, {quantile} %": f"{np.percentile(counts, quantile):,.0f}"
        for quantile in (0, 25, 50, 75, 100)
    }


def _spread(weights: Any) -> tuple[Indices, Indices]:
    """Number of arms of each key-term, and of key-terms of each arm."""
    arms, terms = weights.nonzero()
    rows, columns = weights.shape
    return np.bincount(terms, minlength=columns), np.bincount(arms, minlength=rows)


def _draw(title: str, weights: Any, path: Path) -> Path:
    """Histograms of arms per key-term and of key-terms per arm."""
    plots = pyplot()
    figure, panels = plots.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    labels = (("arms of a key-term", "key-terms"), ("key-terms of an arm", "arms"))
    for panel, sizes, (x, y) in zip(panels, _spread(weights), labels, strict=True):
        _bars(panel, sizes)
        panel.set_xlabel(x)
        panel.set_ylabel(y)
        panel.grid(alpha=0.3)
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plots.close(figure)
    return path


def _bars(panel: Any, sizes: Indices) -> None:
    edges = _edges(sizes)
    counts, _ = np.histogram(sizes, bins=[*edges, np.inf])
    lasts = [*(edge - 1 for edge in edges[1:]), int(sizes.max())]
    panel.bar(range(len(edges)), counts, width=0.95, color="#0072B2")
    labels = [f"{a}" if a == b else f"{a}\N{EN DASH}{b}" for a, b in zip(edges, lasts, strict=True)]
    step = -(-len(edges) // 12)
    turn = 45 if sizes.max() > UNIT_BINS else 0
    panel.set_xticks(range(0, len(edges), step), labels[::step], rotation=turn)


def _edges(sizes: Indices) -> list[int]:
    """First size of each bar: one bar a number where few suffice, else 0, 1, 2-3, 4-7 and on."""
    top = int(sizes.max())
    if top <= UNIT_BINS:
        return list(range(top + 1))
    return [0, *(2**power for power in range(top.bit_length()))]
