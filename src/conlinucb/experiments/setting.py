"""One thing to run: an item's point under a protocol's variant, with everything decided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from conlinucb.agent.priors import Population
from conlinucb.agent.recipes import B
from conlinucb.agent.schedule import Linear, Logarithmic
from conlinucb.catalog.catalog import Catalog
from conlinucb.datasets import Dataset, load
from conlinucb.errors import InvalidInput
from conlinucb.experiments.algorithms import (
    ALGORITHMS,
    Parameters,
    authors_constants,
    built,
    is_prior,
    theory_constants,
)
from conlinucb.experiments.item import Item, Point
from conlinucb.experiments.later_algorithms import LATER
from conlinucb.experiments.logged import population_of
from conlinucb.experiments.protocols import Constants, Protocol, Variant
from conlinucb.experiments.slug import slug
from conlinucb.numerics.svd import unit_rows
from conlinucb.numerics.validation import Floats, seed_of, whole
from conlinucb.people import ClickUsers, Compares, LinearUsers, People
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.search import APART

KINDS = 5
"""How far the seed of kinds of people lies from that of the people."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large a run is; None is the item's own number."""

    runs: int = 10
    users: int | None = None
    rounds: int | None = None
    trials: int = 64
    """Points tried for each algorithm under ``fair``."""
    tuning_users: int = 50
    quick: bool = False

    def __post_init__(self) -> None:
        whole("runs", self.runs, low=1)
        whole("trials", self.trials, low=1)
        whole("tuning_users", self.tuning_users, low=1)
        for name in ("users", "rounds"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), low=1)


QUICK = Size(runs=2, users=40, rounds=1000, trials=8, tuning_users=20, quick=True)
"""Small enough to look at in a minute; too small to decide anything."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Everything that decides the numbers of one run."""

    item: Item
    protocol: Protocol
    point: Point
    variant: Variant
    size: Size
    seed: int

    @property
    def name(self) -> str:
        """For example ``pool 25, Eq. 8``."""
        return ", ".join(each for each in (self.point.label, self.variant.label) if each)

    @property
    def slug(self) -> str:
        """The name as a file may be called."""
        return slug(self.name or "base")

    @property
    def constants(self) -> Constants:
        """Where the agents' parameters come from."""
        return self.variant.constants

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the algorithms that take part."""
        more = self.item.extra if self.constants == "tuned" else ()
        varying = self.point.offered_size is not None
        names = (*self.item.agents, *more)
        fixed = [each for each in names if each not in LATER and ALGORITHMS[each].fixed_terms]
        return tuple(each for each in names if not (varying and each in fixed))

    @property
    def runs(self) -> int:
        """How often everything is repeated with other chance."""
        parts = (self.variant, self.point, self.item)
        limits = (self.size.runs, *(part.most_runs for part in parts))
        return min(each for each in limits if each is not None)

    @property
    def rounds(self) -> int:
        """How long each run is: never longer than the item's own."""
        asked = self.size.rounds
        return self.item.rounds if asked is None else min(asked, self.item.rounds)

    @property
    def schedule(self) -> B:
        """b(t)."""
        kind, value = self.point.schedule
        zero_based = self.protocol.zero_based and not self.as_in_theory
        if kind == "linear":
            return Linear(value, zero_based=zero_based)
        return Logarithmic(value, zero_based=zero_based)

    @property
    def as_in_theory(self) -> bool:
        """Whether the theory's assumptions come before what the protocol says."""
        return self.item.constants == "theory"

    @property
    def tunes(self) -> bool:
        """Whether parameters are searched for first."""
        return self.constants == "tuned"

    @property
    def scoring_seed(self) -> int:
        """The seed of everything that is reported."""
        return self.seed

    @property
    def tuning_seed(self) -> int:
        """The seed of the search; never that of the score."""
        return self.seed + APART

    @property
    def dataset(self) -> Dataset:
        """The catalogue, and the people of the data set."""
        options = dict(self.variant.options)
        if self.item.data == "synthetic":
            options["users"] = self._users_wanted()
        return _load(self.item.data, tuple(sorted(options.items())))

    def _users_wanted(self) -> int:
        return self.size.users or self.item.users

    def _tuning_users(self) -> int:
        return self.size.tuning_users if self.tunes else 0

    @property
    def tuned(self) -> tuple[str, ...]:
        """Names of the algorithms that have constants to search for."""
        return tuple(each for each in self.agents if not is_prior(each))

    def logged_thetas(self) -> Floats:
        """Tastes of the people whom a population is learned from; nobody else is among them."""
        if self.item.data == "synthetic":
            return self._more_thetas(self.item.logged, self.tuning_seed + 1)
        thetas = self._mixed(self.dataset.thetas)
        last = len(thetas) - self._tuning_users()
        return thetas[last - self.item.logged : last]

    @cached_property
    def population(self) -> Population:
        """Learned from what others were shown at random, not from their true tastes."""
        return population_of(
            self.dataset.catalog, self.people(self.logged_thetas()), self.tuning_seed + 2
        )

    def thetas(self) -> tuple[Floats, Floats]:
        """Tastes of the people who score and of those who tune; nobody is both."""
        thetas, tuning = self.dataset.thetas, self._tuning_users()
        assert thetas is not None
        if self.item.data == "synthetic":
            others = self._more_thetas(tuning, self.tuning_seed)
            return (
                self._of_kinds(thetas, self.scoring_seed),
                self._of_kinds(others, self.tuning_seed),
            )
        if self.tunes or self.item.logged or self._users_wanted() < len(thetas):
            thetas = self._mixed(thetas)
        there = len(thetas) - tuning - self.item.logged
        if there < 1:
            raise InvalidInput(
                f"{tuning} people to tune on leave none of {len(thetas) - self.item.logged} to "
                f"score on."
            )
        return thetas[: min(self._users_wanted(), there)], thetas[len(thetas) - tuning :]

    def _of_kinds(self, thetas: Floats, seed: int) -> Floats:
        """The same people with tastes of few kinds, by a tenth their own; kinds are the seed's."""
        if not self.item.kinds:
            return thetas
        kinds = self._more_thetas(self.item.kinds, seed + KINDS)
        return np.asarray(0.9 * kinds[np.arange(len(thetas)) % self.item.kinds] + 0.1 * thetas)

    def _mixed(self, thetas: Floats | None) -> Floats:
        """Real people are ordered by how much they did, so a part of them has to be mixed."""
        assert thetas is not None
        order = np.random.default_rng(int(seed_of(self.seed))).permutation(len(thetas))
        return np.asarray(thetas[order])

    def _more_thetas(self, count: int, seed: int) -> Floats:
        """Further tastes, drawn as the data set draws them."""
        rng = np.random.default_rng(int(seed_of(seed)))
        drawn = rng.standard_normal((count, self.dataset.catalog.d))
        return unit_rows(drawn) if self.variant.options["normalized"] else drawn

    def people(self, thetas: Floats) -> People:
        """People with these tastes, under this setting's chance."""
        noise, kind = self.point.noise, self.item.people
        met: dict[str, Any] = {"term_noise": noise}
        met |= {"pool_size": self.point.pool_size, "offered_size": self.point.offered_size}
        if kind in ("clicks", "logistic clicks"):
            link: Literal["clip", "logistic"] = "clip" if kind == "clicks" else "logistic"
            clicking = ClickUsers(thetas, link=link, **met)
            return Compares(clicking, noise=noise) if kind == "clicks" else clicking
        shared = self.protocol.shared_noise and not (self.as_in_theory or self.item.family)
        people = LinearUsers(thetas, noise=noise, shared_noise=shared, **met)
        return Compares(people, noise=noise, logistic=True) if kind == "duels" else people

    def parameters(self, name: str, tuned: dict[str, Parameters]) -> Parameters:
        """An algorithm's parameters."""
        if is_prior(name):
            return {"prior": self.population, "alpha": 1.0}
        if self.tunes:
            return tuned[name]
        if self.constants == "theory":
            return theory_constants(name)
        return authors_constants(name, self.item.data)

    @cached_property
    def catalog(self) -> Catalog:
        """The data set's, with other key-terms where the item makes its own."""
        if self.item.made is None:
            return self.dataset.catalog
        return self.item.made(self.dataset.catalog, self.schedule, self.rounds)

    def agent(self, name: str, parameters: Parameters) -> AnyAgent:
        """An algorithm on this setting's catalogue."""
        return built(name, self.catalog, parameters, self.schedule, self.rounds)


@lru_cache(maxsize=4)
def _load(name: str, options: tuple[tuple[str, Any], ...]) -> Dataset:
    return load(name, **dict(options))


def settings_of(item: Item, protocol: Protocol, size: Size, seed: int) -> list[Setting]:
    """All settings of an item under a protocol."""
    variants = protocol.variants(item.data)
    if item.readings is not None:
        variants = tuple(each for each in variants if each.label in item.readings)
    if protocol.name not in item.protocols:
        return []
    if item.constants == "theory":
        variants = _worlds_of_theory(variants)
    return [
        Setting(item=item, protocol=protocol, point=point, variant=variant, size=size, seed=seed)
        for variant in variants
        for point in item.points
    ]


def _worlds_of_theory(variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    """What differs once theta has length 1 and constants are the theory's: the graph."""
    graphs = list(dict.fromkeys(each.options["graph"] for each in variants))
    return tuple(
        Variant(
            f"{graph} graph" if len(graphs) > 1 else "",
            {"graph": graph, "normalized": True},
            "theory",
        )
        for graph in graphs
    )
