"""Who is met: forty people of a kind, and on which catalogue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.svd import unit_rows
from conlinucb.numerics.validation import Floats
from conlinucb.people import LinearUsers, People
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.comparison.steady import SteadyPeople, tastes_of
from conlinucb.service.schemas import ComparisonBody

POOL = 50
BEST = 0.9
"""People with a random taste like an item that is better to them than this share of all."""
TOLD = 5
"""Topics of a person that are told."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """People, the catalogue they are met on, and what is known of them."""

    version: CatalogueVersion
    people: People
    likes: list[list[str]]
    """The topics that each person likes best."""
    dislikes: list[list[str]]
    liked_from: Floats
    """(people,): an item that is worth so much to them counts as liked."""


def steady(version: CatalogueVersion, order: ComparisonBody, count: int) -> Meeting:
    """People with a few topics of their own; half of the noise is how often they are mistaken."""
    catalog, scale = version.catalog, version.settings.range
    tastes = tastes_of(catalog, count, order.seed)
    people = SteadyPeople(
        catalog, tastes, range=scale, mistaken=min(order.noise, 1.0) / 2, pool_size=pool_of(catalog)
    )
    names = catalog.term_ids
    return Meeting(
        version,
        people,
        [[str(names[each]) for each in taste.likes] for taste in tastes],
        [[str(names[each]) for each in taste.dislikes] for taste in tastes],
        np.full(count, scale[1]),
    )


def random(version: CatalogueVersion, order: ComparisonBody, count: int) -> Meeting:
    """People whose taste is a random direction, as in the paper's simulations."""
    catalog = version.catalog
    thetas = unit_rows(np.random.default_rng(order.seed).standard_normal((count, catalog.d)))
    people = LinearUsers(
        thetas, noise=order.noise, term_noise=order.noise, pool_size=pool_of(catalog)
    )
    worth = catalog.arms[catalog.live_arms] @ thetas.T
    best = [[str(catalog.term_ids[each]) for each in _best(catalog, theta)] for theta in thetas]
    return Meeting(version, people, best, [[]] * count, np.quantile(worth, BEST, axis=0))


SIMULATED = {"steady": steady, "random": random}


def pool_of(catalog: Catalog) -> int:
    """Items of a round."""
    return min(POOL, int(catalog.live_arms.size))


def _best(catalog: Catalog, theta: Floats) -> list[int]:
    live = catalog.live_terms
    order = np.argsort(-(catalog.terms[live] @ theta), kind="stable")[:TOLD]
    return [int(each) for each in live[order]]
