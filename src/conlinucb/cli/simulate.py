"""The command ``conlinucb simulate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conlinucb.cli.interrupt import until_interrupted


def simulate(
    spec: Annotated[Path, typer.Argument(help="A TOML file: data, people and agents.")],
    out: Annotated[Path | None, typer.Option(help="Folder.", show_default="results/NAME")] = None,
    executor: Annotated[str, typer.Option(help="threads or ray.")] = "threads",
) -> None:
    """Run a comparison of your own and write its report and a text that cites it.

    Goes on where it was stopped.
    """
    from conlinucb.cli.reproduction import compare

    folder = out or Path("results") / spec.stem
    until_interrupted(lambda: compare(spec, folder, executor, typer.echo))
