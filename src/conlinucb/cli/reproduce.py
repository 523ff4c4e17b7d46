"""The command ``conlinucb reproduce``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conlinucb.cli.interrupt import until_interrupted


def reproduce(
    items: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ITEM...", help="1a 1b 1c 1d 2a 2b 2c 2d table1 theory crossed later ..."
        ),
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
    from conlinucb.cli.reproduction import Order, carry_out

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
    until_interrupted(lambda: carry_out(order, typer.echo))
