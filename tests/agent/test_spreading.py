"""Answers that spread: decisions equal a plain reference, compiled and by hand; parts add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.priors import Answers
from conlinucb.agent.question import question_about
from support import graphs
from support.meetings import assert_met_alike
from support.reference import Estimate, Floats, History, OneStep, Reference, TwoSteps, linear
from support.worlds import films, refused, same_state, small_catalog

D, K = 6, 14
RNG = np.random.default_rng(8)
UPPER = np.triu((RNG.random((K, K)) < 0.3) * RNG.uniform(0.1, 1.0, (K, K)), 1)
EDGES = np.asarray(UPPER + UPPER.T)
PLAIN = small_catalog(arms=40, terms=K, d=D, seed=3)
OWN = PLAIN.with_graph(EDGES)
TASTES = RNG.normal(size=(2, D)) / 2
SPREADS: tuple[Any, ...] = ("full", "edges")


class Spreads(Reference):
    """The reference, in which every answer is learned from once for each key-term it teaches."""

    def __init__(self, estimate: Estimate, strategy: str, graph: Floats, full: bool) -> None:
        super().__init__(
            np.asarray(PLAIN.arms), PLAIN.weights.toarray(), estimate, strategy, linear(0.5), 5
        )
        self.graph, self.full = graph, full
        for each in ("both", "terms"):
            if hasattr(estimate, each):
                old = getattr(estimate, each)
                setattr(estimate, each, History(D, old.strength, old.weight, room=20_000))

    def hear(self, index: int, answer: float) -> None:
        for j, value, weight in graphs.taught(self.graph, index, answer, self.full):
            root = np.sqrt(weight)
            self.estimate.learn_term(root * self.terms[j], root * value)


def agents(catalog: cl.Catalog, strategy: str, spread: Any) -> dict[str, cl.Agent]:
    same: Any = {"strategy": strategy, "spread": spread, "schedule": cl.Linear(0.5)}
    return {
        "one": cl.conlinucb(catalog, beta=0.3, alpha=0.2, **same),
        "two": cl.conucb(catalog, mix=0.4, term_beta=0.7, **same),
    }


def estimate_of(name: str) -> Estimate:
    return OneStep(D, 0.3, 0.2) if name == "one" else TwoSteps(D, 0.4, 0.7, 0.25, 0.25)


@pytest.mark.sliced
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("name", ["one", "two"])
@pytest.mark.parametrize("strategy", ["max-radius", "design"])
def test_decisions_equal_the_reference(name: str, strategy: str, spread: Any) -> None:
    """By hand over 500 rounds, on own edges and on those of shared arms."""
    shared = graphs.co_occurrence(PLAIN.weights.toarray(), np.asarray(PLAIN.terms))
    for catalog, graph in ((OWN, EDGES), (PLAIN, shared)):
        agent = agents(catalog, strategy, spread)[name]
        twin = Spreads(estimate_of(name), strategy, graph, spread == "full")
        user, rng = agent.new_user(seed=5), np.random.default_rng(1)
        for t in range(1, 501):
            pool, offered = rng.permutation(40)[:8], rng.permutation(K)[:9]
            for _ in range(twin.questions_due()):
                question = agent.ask(user, pool, offered)
                assert question is not None
                assert question.index == twin.ask(pool, offered), t
                answer = float(twin.terms[question.index] @ TASTES[0] + 0.1 * rng.normal())
                agent.hear(user, question, answer)
                twin.hear(question.index, answer)
            arm = int(agent.recommend(user, pool).arms[0])
            assert arm == twin.recommend(pool), t
            reward = float(PLAIN.arms[arm] @ TASTES[0] + 0.1 * rng.normal())
            agent.learn(user, arm, reward)
            twin.learn(arm, reward)
        np.testing.assert_allclose(user.theta, twin.estimate.theta, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("spread", SPREADS)
def test_compiled_and_by_hand_are_the_same(spread: Any) -> None:
    people = cl.LinearUsers(TASTES, pool_size=8, offered_size=9)
    for strategy in ("log-det", "design"):
        assert_met_alike(agents(OWN, strategy, spread), people, 120)
    quiet = cl.Refuses(cl.YesNo(people, at=0.0), 0.3)
    assert_met_alike(agents(PLAIN, "ucb", spread), quiet, 60)


@pytest.mark.more
def test_over_thousands_of_rounds() -> None:
    """Compiled rounds of a run, and the plain reference on the very same pools and answers."""
    agent = cl.conlinucb(
        OWN, strategy="max-radius", spread="edges", beta=0.3, alpha=0.2, schedule=cl.Linear(0.5)
    )
    people = cl.LinearUsers(TASTES, pool_size=8)
    results = cl.simulate({"it": agent}, people, rounds=3000, seed=4, trace=True)
    arms, asked = results.trace("it", 0, 1)
    seed = int(people.user_seed(4, 0, 1))
    twin = Spreads(OneStep(D, 0.3, 0.2), "max-radius", EDGES, full=False)
    twin.seed, at = seed, 0
    for t in range(1, 3001):
        place = people.place(OWN, 4, 0, 1, t)
        pool = people.round(place).pool
        for number in range(twin.questions_due()):
            index = twin.ask(pool, np.arange(K))
            assert index == asked[at], t
            question = question_about(OWN, "term", (index,), 1, t)
            twin.hear(index, float(people.answer(place, question, number) or 0.0))
            at += 1
        arm = twin.recommend(pool)
        assert arm == arms[t - 1], t
        twin.learn(arm, float(people.reward(place, arm) or 0.0))


class Calibrated:
    """A prior with a mean, whose answers are on scales of their own."""

    noise = 0.3

    def start(self, d: int) -> Any:
        return cl.Gaussian(np.linspace(0.2, 0.9, d), 0.4 * np.eye(d), self.noise).start(d)

    def digest(self) -> dict[str, Any]:
        return {"prior": "calibrated"}

    def answers(self, catalog: cl.Catalog) -> Answers:
        many = len(catalog.term_ids)
        weights = np.linspace(0.0, 2.0, many)
        return Answers(np.linspace(-1, 1, many), np.linspace(0.5, 2, many), weights, np.ones(many))


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("recipe", [cl.conlinucb, cl.conucb])
def test_with_a_prior_what_spreads_is_the_difference_to_what_is_expected(
    recipe: Any, spread: Any
) -> None:
    agent = recipe(OWN, prior=Calibrated(), spread=spread)
    user, twin = agent.new_user(), agent.new_user()
    terms, scale = np.asarray(OWN.terms), Calibrated().answers(OWN)
    expected = terms @ np.linspace(0.2, 0.9, D)
    k, answer = 5, 0.7
    agent.volunteer(user, k, answer, weight=1.5)
    y, heavy = (answer - scale.offset[k]) / scale.slope[k], 1.5 * scale.weight[k]
    agent.estimator.learn_term(twin.state, OWN._terms[k], y, heavy)
    for j in np.flatnonzero(EDGES[k]):
        value = expected[j] + EDGES[k, j] * (y - expected[k])
        weight = heavy * (1.0 if spread == "full" else EDGES[k, j])
        agent.estimator.learn_term(twin.state, OWN._terms[j], value, weight)
    np.testing.assert_allclose(user.theta, twin.theta, rtol=1e-10)
    # Who answers just as expected teaches nothing new, of no key-term.
    alone = agent.new_user()
    agent.volunteer(alone, k, scale.offset[k] + scale.slope[k] * expected[k])
    np.testing.assert_allclose(terms @ alone.theta, expected, rtol=1e-9)


@pytest.mark.parametrize("spread", [None, *SPREADS])
@pytest.mark.parametrize("prior", [None, Calibrated()])
@pytest.mark.parametrize("recipe", [cl.conlinucb, cl.conucb])
def test_the_parts_of_all_feedback_add_up(recipe: Any, prior: Any, spread: Any) -> None:
    """An answer's part has in it what it spread; so a score is its answers and its rewards."""
    agent = recipe(OWN, prior=prior, spread=spread)
    user, rng = agent.new_user(), np.random.default_rng(3)
    said = [(int(k), float(rng.normal())) for k in rng.integers(1, K, size=30)]
    rated = [(int(a), float(rng.normal())) for a in rng.integers(40, size=20)]
    for k, value in said:
        agent.volunteer(user, k, value, weight=1.3)
    for arm, value in rated:
        agent.learn(user, arm, value)
    for arm in (0, 17):
        found = agent.influence(user, arm)
        parts = found.prior + sum(found.of_reward(OWN.arms[a], value) for a, value in rated)
        parts += sum(
            found.of_answer(question_about(OWN, "term", (k,), 1, 1), value, 1.3)
            for k, value in said
        )
        assert parts == pytest.approx(float(OWN.arms[arm] @ user.theta), abs=1e-9)


def test_what_does_not_spread() -> None:
    plain, spreads = (cl.conlinucb(OWN, spread=each) for each in (None, "full"))

    def heard(agent: cl.Agent, kind: Any, indices: tuple[int, ...], answer: Any) -> cl.User:
        user = agent.new_user()
        user.open = question_about(OWN, kind, indices, 1, 1)
        agent.hear(user, user.open, answer)
        return user

    for kind, indices in (("pair", (2, 5)), ("group", (2, 5, 7)), ("arm", (3,))):
        one, other = (heard(agent, kind, indices, 0.8).theta for agent in (plain, spreads))
        np.testing.assert_array_equal(one, other)
        assert one.any()
    one, other = (heard(agent, "term", (5,), 0.8).theta for agent in (plain, spreads))
    assert np.abs(one - other).max() > 0.01
    before = spreads.new_user().to_arrays()
    skipped = heard(spreads, "term", (5,), None).to_arrays()
    names = [name for name in before if name.startswith("state_")]
    assert same_state({n: before[n] for n in names}, {n: skipped[n] for n in names})
    silent = cl.conlinucb(OWN, prior=Calibrated(), spread="full")  # key-term 0 has no weight
    user = silent.new_user()
    silent.volunteer(user, 0, 1.0)
    np.testing.assert_array_equal(user.theta, silent.new_user().theta)


def test_states_know_how_answers_spread() -> None:
    plain, full, edges = (cl.conlinucb(OWN, spread=each) for each in (None, "full", "edges"))
    user = full.new_user()
    full.volunteer(user, 5, 1.0)
    twin = full.load_user(user.to_arrays())
    np.testing.assert_array_equal(twin.theta, user.theta)
    for other in (plain, edges):
        refused(lambda other=other: other.load_user(user.to_arrays()), "spread")  # type: ignore[misc]
        refused(lambda other=other: other.take_over(user, full), "spread 'full'")  # type: ignore[misc]
    wider = full.replace(beta=3.0)
    moved, anew = wider.take_over(user, full), wider.new_user()
    wider.volunteer(anew, 5, 1.0)
    np.testing.assert_allclose(moved.theta, anew.theta, rtol=1e-12)
    assert full.parameters()["spread"] == "full"
    assert "spread" not in plain.parameters()
    assert full.replace(spread=None) == plain
    assert full != edges


def test_recipes_after_graphconucb() -> None:
    agent, one = cl.graph_conucb(OWN), cl.graph_conlinucb(OWN)
    told = agent.parameters()
    assert (told["estimator"], told["strategy"], told["spread"]) == ("two-step", "design", "full")
    told = one.parameters()
    assert (told["strategy"], told["spread"], told["strategy_spread"]) == (
        *("log-det", "edges", "edges"),
    )
    full = cl.graph_conlinucb(OWN, spread="full", beta=0.5).parameters()
    assert (full["strategy_spread"], full["beta"]) == ("full", 0.5)
    from conlinucb.agent.spec import agent_of

    given = {"recipe": "graph_conucb", "spread": "edges", "mix": 0.3}
    assert agent_of(given, OWN) == cl.graph_conucb(OWN, spread="edges", mix=0.3)
    for bad in ({"mixx": 0.3}, {"spread": "edge"}, {"strategy": "designs"}):
        refused(lambda bad=bad: agent_of({"recipe": "graph_conucb", **bad}, OWN), "")  # type: ignore[misc]


def test_spreading_helps_where_neighbours_are_alike() -> None:
    """Topics in pairs that people like alike, though their features have nothing in common."""
    rng = np.random.default_rng(0)
    pairs = [(2 * i, 2 * i + 1, 0.9) for i in range(10)]
    catalog = cl.Catalog(np.eye(20), np.eye(20)).with_graph(pairs)
    tastes = np.repeat(rng.normal(size=(20, 10)), 2, axis=1) + 0.3 * rng.normal(size=(20, 20))
    people = cl.LinearUsers(tastes, pool_size=10)
    same: Any = {"strategy": "max-radius", "beta": 0.5, "schedule": cl.Logarithmic(3)}
    results = cl.simulate(
        {
            "alone": cl.conlinucb(catalog, **same),
            "spread": cl.conlinucb(catalog, spread="edges", **same),
        },
        people,
        rounds=30,
        repeats=5,
    )
    alone, spread = (results.final_regret(name).mean() for name in ("alone", "spread"))
    assert spread < alone


@pytest.mark.parametrize("value", ["edge", "none", 1, True, ["full"]])
def test_bad_ways_to_spread(value: Any) -> None:
    for recipe in (cl.conlinucb, cl.conucb, cl.graph_conucb, cl.graph_conlinucb):
        refused(lambda recipe=recipe: recipe(films(), spread=value), "spread must be")  # type: ignore[misc]
