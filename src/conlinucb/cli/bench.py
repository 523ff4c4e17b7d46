"""The command ``conlinucb bench``."""

from __future__ import annotations

import contextlib
import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from conlinucb.cli import tables
from conlinucb.errors import InvalidInput

bench_app = typer.Typer(add_completion=False, invoke_without_command=True)


@bench_app.callback()
def bench(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder for bench.json and bench.png.")] = Path(
        "results/bench"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rounds, no growth.")] = False,
) -> None:
    """Measure the engine on this machine against NumPy, in one run; or the service."""
    if context.invoked_subcommand is not None:
        return
    from conlinucb.bench import speed, summary

    if quick:
        typer.echo("quick run: fewer rounds, so compare nothing but orders of magnitude")
    rows: summary.Rows = {}
    for part, found in groupby(speed.measure(quick), key=lambda each: each[0]):
        rows[part] = list(_shown(part, (row for _, row in found)))
    typer.echo(summary.FOOTNOTE)
    for path in summary.write(rows, out):
        typer.echo(f"written: {path}")


def _shown(part: str, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Show each row of a part of the benchmark as soon as it is measured."""
    from conlinucb.bench import summary

    lines = {"machine": summary.machine, "paper": summary.paper, "shared": summary.shared}
    if part in lines:
        for row in rows:
            typer.echo(lines[part](row))
            yield row
        return
    growing, cells = _table(part)
    with contextlib.closing(growing):
        for row in rows:
            growing.add(cells(row))
            yield row


def _table(part: str) -> tuple[tables.Growing, Callable[[dict[str, Any]], list[str]]]:
    from conlinucb.bench import summary

    if part == "growth":
        heads, numbers = summary.GROWTH_HEADS, [1, 3, 4]
        line, cells = summary.growth_line, summary.growth_cells
    elif part == "later":
        heads, numbers = summary.LATER_HEADS, [1, 2]
        line, cells = summary.later_line, summary.later_cells
    else:
        heads, numbers = summary.ALGORITHM_HEADS, list(range(1, 9))
        line, cells = summary.algorithm_line, summary.algorithm_cells
        if not tables.watched():
            typer.echo(line(heads))
        heads = tuple(each.replace("user-rounds/s", "rounds a second") for each in heads)
    return tables.Growing(lambda rows: tables.made(heads, rows, numbers=numbers), line), cells


@bench_app.command("service")
def bench_service(
    out: Annotated[Path, typer.Option(help="Folder for service.json.")] = Path("results/bench"),
    quick: Annotated[bool, typer.Option("--quick", help="1,000 items only, seconds each.")] = False,
    postgres: Annotated[
        str | None,
        typer.Option(
            help="An empty PostgreSQL database to measure on.", show_default="one of its own"
        ),
    ] = None,
) -> None:
    """Measure the real server: whole conversations, both databases, against a bare insert."""
    service = _from_the_repository("service")

    rows = []
    for row in service.measure(quick, postgres):
        rows.append(row)
        typer.echo(service.line(row))
    typer.echo(service.FOOTNOTE)
    typer.echo(f"written: {service.write(rows, out)}")


@bench_app.command("page")
def bench_page(
    pictures: Annotated[
        Path | None, typer.Option(help="Take pictures of every page into this folder instead.")
    ] = None,
) -> None:
    """Measure the page in a real browser: its weight, and how soon it shows."""
    page = _from_the_repository("page")

    if pictures is not None:
        for path in page.take_pictures(pictures):
            typer.echo(f"written: {path}")
        return
    for row in page.measure():
        typer.echo(page.line(row))
    typer.echo(page.FOOTNOTE)


@bench_app.command("population")
def bench_population(
    people: Annotated[int, typer.Option(help="How many people.", min=10)] = 100_000,
    events: Annotated[int, typer.Option(help="Rewards of each.", min=2)] = 50,
    features: Annotated[int, typer.Option(help="Features of an arm, d.", min=1)] = 50,
    threads: Annotated[
        int | None, typer.Option(help="Threads.", show_default="all processors", min=1)
    ] = None,
    streamed: Annotated[
        bool, typer.Option("--streamed", help="From parquet parts, read again for every pass.")
    ] = False,
) -> None:
    """Measure how long a population takes to fit, and its peak memory."""
    from conlinucb.bench import population

    crowd = population.Crowd(people, events, features)
    with tempfile.TemporaryDirectory() as folder:
        feedback = crowd.write(Path(folder)) if streamed else crowd.table()
        typer.echo(population.line(population.measure(crowd, feedback, threads)))


def _from_the_repository(name: str) -> Any:
    """A benchmark that is not part of the installed package."""
    if not Path("benchmarks", f"{name}.py").is_file():
        raise InvalidInput(
            f"The benchmark {name!r} needs servers or a browser and is not installed with the "
            f"package: run it in a checkout of the repository."
        )
    sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(f"benchmarks.{name}")
