"""simulate tells the same story as ask, hear, recommend and learn by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies import strategy_of
from conlinucb.numerics.linalg import REFRESH_EVERY
from support.runs import (
    WITHOUT_GROUPS,
    Floats,
    assert_as_by_hand,
    by_hand,
    same_traces,
    some_agents,
    some_people,
)
from support.worlds import small_catalog

SEED = 11
LOGARITHMIC = cl.Logarithmic(5)
ALGORITHMS = (
    "linucb",
    "arm_con",
    *(f"{recipe} {name}" for recipe in ("conucb", "conlinucb") for name in WITHOUT_GROUPS),
)


@dataclass(frozen=True)
class Setting:
    """A catalogue and how people and rounds are drawn; ``arms`` says what the arms are like."""

    d: int
    arms: str = "unit"
    removed: bool = False
    theory: bool = False
    offered: int | None = None
    shared: bool = False
    schedule: Callable[[int], float] = LOGARITHMIC
    pool: int = 8

    def catalog(self) -> cl.Catalog:
        rng = np.random.default_rng([self.d, 5])
        n, k = 30 + 2 * self.d, 10 + self.d
        weights = np.where(rng.random((n, k)) < 0.2, rng.uniform(0.1, 1.0, (n, k)), 0.0)
        weights[rng.integers(8, n, size=k), np.arange(k)] += 0.5
        weights[:, 0] = np.arange(n) < 3  # the term that loses all of its arms
        catalog = cl.Catalog(self._features(rng.normal(size=(n, self.d))), weights)
        return catalog.remove_arms([0, 1, 2, 6]) if self.removed else catalog

    def _features(self, x: Floats) -> Floats:
        if self.arms == "equal":  # twins in threes, so that ties are everywhere
            return np.repeat(np.sign(x), 3, axis=0)[: len(x)]
        return x / np.linalg.norm(x, axis=1, keepdims=True) if self.arms == "unit" else x

    def people(self, users: int = 2) -> cl.LinearUsers:
        return some_people(
            users,
            self.d,
            pool_size=self.pool,
            offered_size=self.offered,
            shared_noise=self.shared,
            noise=0.2,
            term_noise=0.3,
        )

    def agent(self, algorithm: str, catalog: cl.Catalog) -> cl.Agent:
        recipe, _, strategy = algorithm.partition(" ")
        alpha = cl.TheoryAlpha(delta=0.1) if self.theory else 0.3
        options: dict[str, Any] = {"alpha": alpha}
        if recipe != "linucb":
            options["schedule"] = self.schedule
        if recipe == "conucb":
            options |= {"mix": 0.35, "term_beta": 0.6, "term_alpha": alpha}
        else:
            options["beta"] = 0.4
        if strategy:
            options["strategy"] = strategy
        return getattr(cl, recipe)(catalog, **options)  # type: ignore[no-any-return]


SETTINGS = (
    Setting(1, pool=30),
    Setting(1, arms="loose", shared=True, offered=4, schedule=cl.Linear(1.5)),
    Setting(2, removed=True, schedule=cl.Linear(0.7, zero_based=True)),
    Setting(2, arms="equal", offered=7, schedule=cl.Every(3)),
    Setting(3, arms="loose", theory=True, shared=True, schedule=cl.Logarithmic(5, zero_based=True)),
    Setting(3, arms="equal", removed=True, offered=12, schedule=cl.Linear(2)),
    Setting(5, theory=True, removed=True, offered=3, schedule=cl.Linear(0.29)),
    Setting(5, arms="loose", shared=True, pool=40, schedule=lambda t: 2.5 * t**0.5),
    Setting(8, shared=True, offered=9, schedule=cl.Every(2, zero_based=True)),
    Setting(8, arms="loose", theory=True, pool=1),
    Setting(50, arms="loose", removed=True, shared=True, offered=40),
    Setting(50, pool=50, schedule=cl.Linear(0.5)),
)


CASES = [
    pytest.param(setting, algorithm, id=f"{setting.d} {setting.arms} {algorithm}")
    for setting in SETTINGS
    for algorithm in ALGORITHMS
    if setting.offered is None or not algorithm.endswith("spanner")
]


@pytest.mark.sliced
@pytest.mark.parametrize(("setting", "algorithm"), CASES)
def test_a_run_is_what_happens_by_hand(setting: Setting, algorithm: str) -> None:
    people, catalog = setting.people(), setting.catalog()
    agents = {"it": setting.agent(algorithm, catalog)}
    lazy, full = (
        cl.simulate(agents, people, rounds=70, seed=SEED, trace=True, lazy=lazy, log=9)
        for lazy in (True, False)
    )
    assert_as_by_hand(lazy, agents, people, SEED)
    assert same_traces(lazy, full)
    np.testing.assert_allclose(lazy.metric("it", "error"), full.metric("it", "error"), atol=1e-9)


def test_the_settings_are_as_they_should_be() -> None:
    """Terms and arms that are gone, ties, and every kind of round are really there."""
    catalog = SETTINGS[2].catalog()
    assert catalog.live_terms[0] == 1
    assert catalog.live_arms.size == len(catalog) - 4
    assert len(np.unique(SETTINGS[3].catalog().arms, axis=0)) == 4
    for name in ("removed", "theory", "shared", "offered"):
        assert {bool(getattr(each, name)) for each in SETTINGS} == {True, False}


LONG = ("linucb", "arm_con", "conucb optimal-greedy", "conlinucb max-radius", "conlinucb random")


@pytest.mark.parametrize("algorithm", LONG)
def test_a_long_run_is_what_happens_by_hand(algorithm: str) -> None:
    """Long enough for P to be computed anew, and more than once where questions are many."""
    setting = Setting(6, arms="loose", schedule=cl.Linear(0.5))
    people, catalog = setting.people(users=1), setting.catalog()
    agents = {"it": setting.agent(algorithm, catalog)}
    lazy, full = (
        cl.simulate(agents, people, rounds=REFRESH_EVERY + 300, seed=SEED, trace=True, lazy=lazy)
        for lazy in (True, False)
    )
    assert_as_by_hand(lazy, agents, people, SEED)
    assert same_traces(lazy, full)


def test_a_question_heavy_run_is_what_happens_by_hand() -> None:
    """The term matrix alone is computed anew, too."""
    setting = Setting(4, schedule=cl.Linear(30))
    people, catalog = setting.people(users=1), setting.catalog()
    agents = {"it": setting.agent("conucb ucb", catalog)}
    results = cl.simulate(agents, people, rounds=REFRESH_EVERY // 30 + 4, seed=SEED, trace=True)
    assert results.metric("it", "questions").max() > REFRESH_EVERY
    assert_as_by_hand(results, agents, people, SEED)


@pytest.mark.parametrize(
    ("d", "size", "taste", "beta"),
    [(1, 1e-60, 1e60, 1e-12), (1, 1e39, 1e-39, 1e12), (1, 1e60, 1e-60, 1e12), (3, 1.0, 1e45, 1.0)],
)
def test_numbers_of_any_size_are_looked_at_closely_enough(
    d: int, size: float, taste: float, beta: float
) -> None:
    """Sizes that a catalogue takes but single precision does not; large features stand alone,
    so that the matrix stays well-conditioned."""
    rng = np.random.default_rng(3)
    catalog = cl.Catalog(rng.normal(size=(40, d)) * size, np.ones((40, 2)))
    people = cl.LinearUsers(rng.normal(size=(2, d)) * taste, pool_size=20)
    agents = {"it": cl.linucb(catalog, beta=beta, alpha=0.1)}
    lazy, full = (
        cl.simulate(agents, people, rounds=60, seed=SEED, trace=True, lazy=lazy)
        for lazy in (True, False)
    )
    assert_same_arms_as_by_hand(full, agents["it"], people)
    assert same_traces(lazy, full)


def assert_same_arms_as_by_hand(
    results: cl.Results, agent: cl.Agent, people: cl.LinearUsers
) -> None:
    for user in range(len(people.thetas)):
        told = by_hand(agent, people, int(results.rounds[-1]), seed=SEED, user=user)
        assert results.trace("it", 0, user)[0].tolist() == told.arms


def test_repeats_and_users_each_have_their_own_chance() -> None:
    agents, people = some_agents(), some_people(3)
    results = cl.simulate(agents, people, rounds=25, repeats=3, seed=SEED, trace=True)
    assert_as_by_hand(results, agents, people, SEED)
    assert np.unique(results.final_regret("LinUCB")).size == 9


@pytest.mark.parametrize("seed", [-3, 2**63, 2**64 + 5])
def test_any_integer_is_a_seed(seed: int) -> None:
    agents, people = some_agents(), some_people(1)
    results = cl.simulate(agents, people, rounds=12, seed=seed, trace=True)
    assert_as_by_hand(results, agents, people, seed)


def test_all_agents_meet_the_same_chance() -> None:
    """Two agents that do the same are told the same, whatever a third one asks."""
    catalog = small_catalog()
    agents = {
        "one": cl.linucb(catalog, beta=0.7, alpha=0.3),
        "talks": cl.arm_con(catalog, beta=0.7, alpha=0.3, schedule=cl.Linear(3)),
        "two": cl.conlinucb(catalog, beta=0.7, alpha=0.3, schedule=cl.Never()),
    }
    results = cl.simulate(agents, some_people(), rounds=40, trace=True)
    assert np.array_equal(results.metric("one"), results.metric("two"))
    assert np.array_equal(results.metric("one", "error"), results.metric("two", "error"))
    assert not np.array_equal(results.metric("one"), results.metric("talks"))


# Strategies without a kernel, and strangers' kernels


class Plain:
    """A strategy of the package that has lost its kernel."""

    def __init__(self, name: str) -> None:
        twin = strategy_of(name)
        self.name, self.needs_pool, self.fixed_terms = name, twin.needs_pool, twin.fixed_terms
        self.prepare, self._kernel, self.kind = twin.prepare, twin.kernel, twin.kind

    def choose(self, view: cl.View) -> int:
        parts: Any = [np.array(each) if np.ndim(each) else each for each in view]
        return int(self._kernel(cl.View(*parts)))


@pytest.mark.parametrize("name", WITHOUT_GROUPS)
def test_a_strategy_without_kernel_runs_the_same(name: str) -> None:
    catalog, schedule = small_catalog(arms=20, terms=9, d=4), cl.Linear(0.5)
    given = {"quick": name, "plain": Plain(name)}
    for recipe in (cl.conlinucb, cl.conucb):
        agents = {
            each: recipe(catalog, strategy=strategy, schedule=schedule)
            for each, strategy in given.items()
        }
        results = cl.simulate(agents, some_people(d=4), rounds=60, repeats=2, trace=True, log=7)
        _assert_alike(results, "quick", "plain")


def _assert_alike(results: cl.Results, one: str, other: str) -> None:
    for at in np.ndindex(results.final_regret(one).shape):
        for mine, theirs in zip(results.trace(one, *at), results.trace(other, *at), strict=True):
            assert np.array_equal(mine, theirs)
    for name in ("regret", "error", "questions", "repeated"):
        np.testing.assert_allclose(
            results.metric(one, name), results.metric(other, name), rtol=1e-9, atol=1e-9
        )


@cl.strategy_kernel
def in_turn(view: cl.View) -> int:
    """The offered terms one after the other."""
    return view.offered[view.asked % view.offered.shape[0]]  # type: ignore[no-any-return]


class InTurn:
    name = "in turn"

    def choose(self, view: cl.View) -> int:
        return int(view.offered[view.asked % view.offered.size])


class InTurnQuick:
    name = "in turn"
    kernel = staticmethod(in_turn)


def test_a_strangers_kernel_runs_as_it_is() -> None:
    catalog, schedule = small_catalog(), cl.Linear(1)
    agents = {
        name: cl.conlinucb(catalog, strategy=strategy, schedule=schedule)
        for name, strategy in {"quick": InTurnQuick(), "plain": InTurn()}.items()
    }
    results = cl.simulate(agents, some_people(), rounds=20, trace=True)
    _assert_alike(results, "quick", "plain")
    assert results.trace("quick", 0, 0)[1].tolist() == [i % 6 for i in range(20)]


# What is measured


def test_time_is_measured_only_when_asked_for() -> None:
    agents, people = some_agents(), some_people()
    plain, timed = (cl.simulate(agents, people, rounds=60, timed=timed) for timed in (False, True))
    for name in agents:
        assert np.array_equal(plain.metric(name), timed.metric(name))
        assert not plain.metric(name, "arm_seconds").any()
        assert not plain.metric(name, "term_seconds").any()
        assert (np.diff(timed.metric(name, "arm_seconds")) >= 0).all()
        assert (timed.metric(name, "arm_seconds")[..., -1] > 0).all()
        asks = name != "LinUCB"
        assert timed.metric(name, "term_seconds")[..., -1].all() == asks
        assert timed.metric(name, "term_seconds").any() == asks


def test_regret_never_falls_and_is_zero_where_there_is_no_choice() -> None:
    agents = some_agents()
    results = cl.simulate(agents, some_people(), rounds=50)
    alone = cl.simulate(agents, some_people(pool_size=1), rounds=50)
    for name in agents:
        assert (np.diff(results.metric(name)) >= 0).all()
        assert results.final_regret(name).mean() > 0
        assert not alone.final_regret(name).any()
