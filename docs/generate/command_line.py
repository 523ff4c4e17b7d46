"""The command line, from the commands themselves."""

from __future__ import annotations

import re

import typer
from typer.cli import get_docs_for_click

from conlinucb.cli.main import app

HEAD = "# Command line\n\nEvery command says the same with `--help`.\n\n"


def page() -> str:
    """All commands and their options, as ``--help`` has them."""
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="conlinucb")
    text = get_docs_for_click(obj=command, ctx=context, name="conlinucb")
    return HEAD + re.sub(r"^#", "##", text, flags=re.MULTILINE)
