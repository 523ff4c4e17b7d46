"""The commands ``conlinucb population``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.cli import tables
from conlinucb.cli.database import Config, Database, open_catalogues
from conlinucb.errors import InvalidInput

if TYPE_CHECKING:
    from conlinucb.service.catalogues.version import CatalogueVersion
    from conlinucb.service.storage import StoredPopulation

population_app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="What people are like in general, learned from the service's log: fit, show, use.",
)
Catalogue = Annotated[str, typer.Argument(help="The catalogue's name.")]


@population_app.command()
def fit(
    catalogue: Catalogue,
    use_it: Annotated[bool, typer.Option("--use", help="Start people from it at once.")] = False,
    random_weight: Annotated[
        float,
        typer.Option(help="What a reward of an item drawn at random counts.", min=1e-3, max=1e3),
    ] = 1.0,
    config: Config = None,
    database: Database = None,
) -> None:
    """Learn the next version from the log as it is now."""
    storage, catalogues = open_catalogues(config, database)
    from conlinucb.service.populations.learn import Learner

    found = Learner(storage, catalogues).learn(catalogue, use=use_it, random_weight=random_weight)
    _show([found], catalogues.serving(catalogue))


@population_app.command()
def show(catalogue: Catalogue, config: Config = None, database: Database = None) -> None:
    """List the versions, the oldest first."""
    storage, catalogues = open_catalogues(config, database)
    version = catalogues.serving(catalogue)
    _show(storage.populations.all(version.id), version)


@population_app.command()
def use(
    catalogue: Catalogue,
    number: Annotated[str, typer.Argument(help="A version's number, latest, or 0 for none.")],
    config: Config = None,
    database: Database = None,
) -> None:
    """Start people from another version, or an older one; a running service follows at once."""
    storage, catalogues = open_catalogues(config, database)
    version = catalogues.serving(catalogue)
    wanted = _number(number, [each.number for each in storage.populations.all(version.id)])
    catalogues.use_population(catalogue, wanted)
    typer.echo(f"{catalogue} uses {f'population {wanted}' if wanted else 'no population'}")


def _number(given: str, known: list[int]) -> int:
    if given == "latest" and known:
        return known[-1]
    if not given.isascii() or not given.isdigit():
        raise InvalidInput(f"Say one of {[*known, 0]} or latest, got {given!r}.")
    return int(given)


def _show(found: list[StoredPopulation], version: CatalogueVersion) -> None:
    if not found:
        typer.echo(f"{version.name} has no population")
        return
    heads = ("number", "people", "state", "summary")
    rows = [(str(each.number), str(each.people), _state(each, version), _summary(each))
            for each in found]  # fmt: skip
    tables.show(lambda: tables.made(heads, rows), ("  ".join(row) for row in rows))


def _state(stored: StoredPopulation, version: CatalogueVersion) -> str:
    if version.population is not None and version.population.number == stored.number:
        return "in use"
    return "usable" if stored.base == version.base else "of a version that was replaced"


def _summary(stored: StoredPopulation) -> str:
    facts = json.loads(stored.note).items()
    return ", ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in facts
        if isinstance(value, int | float | str)
    )
