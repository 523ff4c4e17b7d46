"""The command ``conlinucb``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from conlinucb._version import __version__
from conlinucb.errors import ConlinucbError, MissingExtra

try:
    import typer
except ModuleNotFoundError as error:
    raise SystemExit(str(MissingExtra("runner", "The command conlinucb"))) from error

from conlinucb.datasets.commands import data_app

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Conversational contextual bandits."
)
app.add_typer(data_app, name="data")


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


@app.command()
def bench(
    out: Annotated[Path, typer.Option(help="Folder for bench.json and bench.png.")] = Path(
        "results/bench"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rounds, no growth.")] = False,
) -> None:
    """Measure the engine on this machine against NumPy, in one run."""
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


def main() -> None:
    """Run the command; an error of ours is a sentence, not a traceback."""
    try:
        app()
    except ConlinucbError as error:
        print(f"conlinucb: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
