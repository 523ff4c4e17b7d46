"""The command ``conlinucb report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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
