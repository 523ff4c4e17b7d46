"""The commands ``conlinucb live``: experiments on a service's own traffic."""

from __future__ import annotations

import contextlib
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conlinucb.atomic import existing
from conlinucb.cli import tables
from conlinucb.cli.database import Config, Database, open_catalogues
from conlinucb.errors import InvalidInput
from conlinucb.progress import Progress

if TYPE_CHECKING:
    from conlinucb.service.experiments.experiments import Experiment, Experiments
    from conlinucb.service.schemas.experiments import ArmOutcome, LiveComparison

live_app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Experiments on live traffic: start, status, compare, promote, rollback.",
)
Catalogue = Annotated[str, typer.Argument(help="The catalogue's name.")]


@live_app.command()
def start(
    catalogue: Catalogue,
    file: Annotated[Path, typer.Argument(help="A .toml or .json file with arms and a seed.")],
    config: Config = None,
    database: Database = None,
) -> None:
    """Begin an experiment; running servers follow within half a second."""
    from pydantic import ValidationError

    experiments = _experiments(config, database)
    from conlinucb.service.schemas.experiments import ExperimentBody

    try:
        body = ExperimentBody.model_validate(_read(file))
    except ValidationError as error:
        first = error.errors()[0]
        where, said = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
        raise InvalidInput(": ".join(filter(None, (str(file), where, f"{said}.")))) from None
    _show(experiments.start(catalogue, body))


@live_app.command()
def status(catalogue: Catalogue, config: Config = None, database: Database = None) -> None:
    """The experiment that runs, or the last one."""
    _show(_experiments(config, database).latest(catalogue))


@live_app.command()
def compare(
    catalogue: Catalogue,
    arms: Annotated[
        list[str] | None, typer.Option("--arm", help="Only this one, and others named so.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help="reward-per-recommendation, likes or rated.")
    ] = "reward-per-recommendation",
    rounds: Annotated[
        str, typer.Option(help="Which of a person's recommendations in it count.")
    ] = "1-5",
    window_hours: Annotated[
        float, typer.Option(help="After so long a person counts as they are.", min=0.001)
    ] = 24.0,
    level: Annotated[float, typer.Option(help="Of the intervals.", min=0.5, max=0.9999)] = 0.95,
    experiment: Annotated[
        int | None, typer.Option(help="Another one than the last.", min=1)
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw an .svg, .png or .pdf file.")
    ] = None,
    config: Config = None,
    database: Database = None,
) -> None:
    """Which arm is better, with intervals that stay valid however often one looks."""
    storage, catalogues = open_catalogues(config, database)
    from conlinucb.service.experiments.compare import Asked
    from conlinucb.service.experiments.compare import compare as compared
    from conlinucb.service.experiments.experiments import Experiments
    from conlinucb.service.experiments.looks import metric_of, rounds_of

    found = Experiments(storage, catalogues).latest(catalogue, experiment)
    version = catalogues.serving(catalogue)
    asked = Asked(
        metric_of(metric),
        rounds_of(rounds),
        window_hours,
        1.0 - level,
        tuple(arms or ()),
    )
    people = storage.people.count(version.id)
    with contextlib.closing(Progress(people, what="people read", unit=1)) as bar:
        seen = compared(storage, version, found, asked, bar.add)
    _report(seen.report)
    if picture is not None:
        from conlinucb.report.draw_live import draw_live

        typer.echo(f"picture: {draw_live(seen, picture)}")


@live_app.command()
def promote(
    catalogue: Catalogue,
    arm: Annotated[str, typer.Argument(help="Whose agent is to serve everybody.")],
    config: Config = None,
    database: Database = None,
) -> None:
    """Serve everybody with an arm's agent; nothing that people taught is lost."""
    found = _experiments(config, database).promote(catalogue, arm)
    typer.echo(f"{catalogue} is served by the agent of {arm}; experiment {found.number} has ended")


@live_app.command()
def rollback(catalogue: Catalogue, config: Config = None, database: Database = None) -> None:
    """End the experiment that runs; or else take the last promotion back."""
    experiments = _experiments(config, database)
    found = experiments.rollback(catalogue)
    agent = json.dumps(experiments.own_agent(catalogue))
    typer.echo(f"experiment {found.number} has ended; {catalogue} is served by {agent}")


def _experiments(config: Path | None, database: str | None) -> Experiments:
    storage, catalogues = open_catalogues(config, database)
    from conlinucb.service.experiments.experiments import Experiments

    return Experiments(storage, catalogues)


def _read(file: Path) -> Any:
    try:
        text = existing(file).read_text(encoding="utf-8")
        return json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}.") from None


def _show(found: Experiment) -> None:
    state = "runs" if found.ended is None else "has ended"
    promoted = f", {found.promoted} was promoted" if found.promoted else ""
    typer.echo(f"experiment {found.number} {state}{promoted}; seed {found.seed}")
    heads = ("arm", "share", "agent")
    rows = [
        (
            each.name,
            "shadow" if each.shadow else f"{each.share:.0%}",
            "the catalogue's own" if each.agent is None else json.dumps(each.agent),
        )
        for each in found.arms
    ]
    tables.show(lambda: tables.made(heads, rows, numbers=(1,)), ("  ".join(row) for row in rows))


def _report(found: LiveComparison) -> None:
    first, last = found.rounds
    typer.echo(
        f"experiment {found.experiment}: {found.metric}, recommendations {first} to {last} of each "
        f"person"
    )
    heads = ("arm", "people", "waiting", "mean", "interval")
    rows = [_line(each) for each in found.arms]
    plain = ("  ".join(row) for row in rows)
    tables.show(lambda: tables.made(heads, rows, numbers=(1, 2, 3)), plain)
    for pair in found.pairs:
        typer.echo(pair.verdict)
    for shadow in found.shadows:
        same = "nothing yet" if shadow.same is None else f"{shadow.same:.0%} of the time"
        typer.echo(f"shadow {shadow.arm}: the same first in {shadow.decisions:,} decisions: {same}")
    for note in found.notes:
        typer.echo(f"note: {note}")


def _line(each: ArmOutcome) -> tuple[str, ...]:
    known = each.mean is not None
    mean = f"{each.mean:.4g}" if known else "-"
    interval = f"{each.low:.4g} to {each.high:.4g}" if known else "-"
    return each.arm, f"{each.people:,}", f"{each.waiting:,}", mean, interval
