"""The command ``conlinucb``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from conlinucb._version import __version__
from conlinucb.errors import ConlinucbError, MissingExtra

try:
    import typer
except ModuleNotFoundError as error:
    raise SystemExit(str(MissingExtra("runner", "The command conlinucb"))) from error

from conlinucb.datasets.commands import data_app
from conlinucb.service.commands import db_app, serve

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Conversational contextual bandits."
)
app.add_typer(data_app, name="data")
app.add_typer(db_app, name="db")
app.command()(serve)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say it and stop.")
    ] = False,
) -> None:
    """Conversational contextual bandits."""


bench_app = typer.Typer(add_completion=False, invoke_without_command=True)
app.add_typer(bench_app, name="bench")


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
    from conlinucb.bench import report, speed

    rows: report.Rows = {}
    if quick:
        typer.echo("quick run: fewer rounds, so compare nothing but orders of magnitude")
    for part, row in speed.measure(quick):
        rows.setdefault(part, []).append(row)
        typer.echo(report.line(part, row))
    typer.echo(report.FOOTNOTE)
    for path in report.write(rows, out):
        typer.echo(f"written: {path}")


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
    from conlinucb.bench import service

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
    from conlinucb.bench import page

    if pictures is not None:
        for path in page.take_pictures(pictures):
            typer.echo(f"written: {path}")
        return
    for row in page.measure():
        typer.echo(page.line(row))
    typer.echo(page.FOOTNOTE)


@app.command()
def reproduce(
    items: Annotated[
        list[str] | None,
        typer.Argument(metavar="ITEM...", help="1a 1b 1c 1d 2a 2b 2c 2d table1 theory crossed ..."),
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="authors, paper or fair; may be given several times.", show_default="authors"
        ),
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Repeats with other chance.", show_default="10")
    ] = None,
    users: Annotated[
        int | None, typer.Option(help="People.", show_default="the item's own")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="At most so many rounds.", show_default="the item's own")
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Points tried for each algorithm under fair.", show_default="64"),
    ] = None,
    tuning_users: Annotated[
        int | None, typer.Option(help="People to tune on under fair.", show_default="50")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small: to look at, not to decide.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder.", show_default="results/reproduce or results/quick")
    ] = None,
    executor: Annotated[str, typer.Option(help="threads or ray.")] = "threads",
    seed: Annotated[
        int, typer.Option(help="Of chance and of the search; the data stay the same.")
    ] = 0,
) -> None:
    """Run the paper's figures and tables and write one report. Goes on where it was stopped."""
    from conlinucb.reproduction import Order, carry_out

    order = Order(
        items=tuple(items or ()),
        protocols=tuple(protocol or ("authors",)),
        asked={
            "runs": runs,
            "users": users,
            "rounds": rounds,
            "trials": trials,
            "tuning_users": tuning_users,
        },
        quick=quick,
        out=out or Path("results/quick" if quick else "results/reproduce"),
        executor=executor,
        seed=seed,
    )
    _until_interrupted(lambda: carry_out(order, typer.echo))


@app.command()
def simulate(
    spec: Annotated[Path, typer.Argument(help="A TOML file: data, people and agents.")],
    out: Annotated[Path | None, typer.Option(help="Folder.", show_default="results/NAME")] = None,
    executor: Annotated[str, typer.Option(help="threads or ray.")] = "threads",
) -> None:
    """Run a comparison of your own and write the same report. Goes on where it was stopped."""
    from conlinucb.reproduction import compare

    folder = out or Path("results") / spec.stem
    _until_interrupted(lambda: compare(spec, folder, executor, typer.echo))


@app.command()
def report(
    out: Annotated[Path, typer.Argument(help="Folder of a reproduction.")],
    docs: Annotated[
        Path | None, typer.Option(help="Also write a page for each item there.")
    ] = None,
) -> None:
    """Write the report of finished runs again."""
    from conlinucb.report import write, write_docs

    typer.echo(f"report: {write(out)}")
    for path in write_docs(out, docs) if docs else ():
        typer.echo(f"written: {path}")


def _until_interrupted(work: Callable[[], None]) -> None:
    try:
        work()
    except KeyboardInterrupt:
        typer.echo(
            "Stopped. Nothing finished is lost: the same command goes on from here.", err=True
        )
        raise typer.Exit(130) from None


def main() -> None:
    """Run the command; an error of ours is a sentence, not a traceback."""
    try:
        app()
    except ConlinucbError as error:
        print(f"conlinucb: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
