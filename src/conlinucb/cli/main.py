"""The command ``conlinucb``."""

from __future__ import annotations

import sys
from typing import Annotated

from conlinucb._version import __version__
from conlinucb.errors import ConlinucbError, MissingExtra

try:
    import rich  # noqa: F401  # typer alone would do without it
    import typer
except ModuleNotFoundError as error:
    raise SystemExit(str(MissingExtra("runner", "The command conlinucb"))) from error

from conlinucb.cli.bench import bench_app
from conlinucb.cli.data import data_app
from conlinucb.cli.db import db_app
from conlinucb.cli.doctor import doctor
from conlinucb.cli.keys import keys_app
from conlinucb.cli.live import live_app
from conlinucb.cli.log import log_app
from conlinucb.cli.messages import messages_shown
from conlinucb.cli.offline import offline
from conlinucb.cli.people import people
from conlinucb.cli.population import population_app
from conlinucb.cli.report import report
from conlinucb.cli.reproduce import reproduce
from conlinucb.cli.serve import serve
from conlinucb.cli.simulate import simulate

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Conversational contextual bandits."
)
app.add_typer(data_app, name="data")
app.add_typer(db_app, name="db")
app.add_typer(keys_app, name="keys")
app.add_typer(population_app, name="population")
app.add_typer(live_app, name="live")
app.add_typer(log_app, name="log")
app.add_typer(bench_app, name="bench")
for command in (serve, people, offline, reproduce, simulate, report, doctor):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say it and stop.")
    ] = False,
) -> None:
    """Conversational contextual bandits."""
    context.with_resource(messages_shown())


def main() -> None:
    """Run the command; an error of ours is a sentence, not a traceback."""
    try:
        app()
    except ConlinucbError as error:
        print(f"conlinucb: {error}", file=sys.stderr)
        raise SystemExit(2) from None
