"""What Ctrl-C says during long work."""

from __future__ import annotations

from collections.abc import Callable

import typer


def until_interrupted(work: Callable[[], None]) -> None:
    """Run; when stopped, say that nothing finished is lost."""
    try:
        work()
    except KeyboardInterrupt:
        typer.echo(
            "Stopped. Nothing finished is lost: the same command goes on from here.", err=True
        )
        raise typer.Exit(130) from None
