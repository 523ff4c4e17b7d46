"""The command ``conlinucb offline``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from conlinucb.cli import tables

WITHOUT_A_MODEL = ("replay", "ips", "snips", "clipped")
"""Estimators that a column of probabilities is enough for."""


def offline(
    log: Annotated[Path, typer.Argument(help="A .csv, .tsv or .parquet file of decisions.")],
    target: Annotated[
        str | None,
        typer.Option(help="Column with the target's probability of the logged action."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help='Or an agent, such as {"recipe": "linucb", "alpha": 0.5}, which meets every '
            "person's rows in order."
        ),
    ] = None,
    catalogue: Annotated[
        Path | None,
        typer.Option(help="The agent's .npz file; the log's own name with .npz by default."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="What the file calls something: action=item, person=user, ..."),
    ] = None,
    clip: Annotated[float | None, typer.Option(help="Cut weights above this.")] = None,
    least: Annotated[float, typer.Option(help="Effective decisions an estimate needs.")] = 50.0,
    independent: Annotated[
        bool, typer.Option("--independent", help="Take one person's decisions for independent.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw an .svg, .png or .pdf file.")
    ] = None,
) -> None:
    """What another way to choose would have earned, from a log with propensities."""
    from conlinucb.offline import ESTIMATORS, evaluate
    from conlinucb.offline.estimates import HEADS

    found = evaluate(
        log,
        _target(log, target, agent, catalogue),
        columns=_columns(column or []),
        estimators=ESTIMATORS if target is None else WITHOUT_A_MODEL,
        clip=clip,
        least_effective=least,
        clustered=not independent,
    )
    first, *lines = str(found).splitlines()
    typer.echo(first)
    tables.show(lambda: tables.made(HEADS, found.texts(), numbers=(1, 2, 3, 4)), lines)
    if picture is not None:
        from conlinucb.report import draw_offline

        typer.echo(f"picture: {draw_offline(found, picture)}")


def _target(log: Path, column: str | None, agent: str | None, catalogue: Path | None) -> Any:
    """What is to be evaluated: a column, or an agent on the log's catalogue."""
    if (column is None) == (agent is None):
        raise typer.BadParameter("say either --target COLUMN or --agent JSON")
    if column is not None or agent is None:
        return column
    from conlinucb.agent.spec import agent_of
    from conlinucb.catalog.catalog import Catalog

    try:
        given = json.loads(agent)
    except ValueError as error:
        raise typer.BadParameter(f"--agent is no JSON: {error}; got {agent[:80]!r}") from None
    return agent_of(given, Catalog.load(catalogue or log.with_suffix(".npz")), "--agent")


def _columns(given: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    for name, equals, theirs in pairs:
        if not (name and equals and theirs):
            raise typer.BadParameter(f"say action=item for instance, got {name + equals!r}")
    return {name: theirs for name, _, theirs in pairs}
