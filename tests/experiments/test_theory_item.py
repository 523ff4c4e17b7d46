"""The item ``theory``: coverage and bounds against a replay by hand and the formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.agent.schedule import asked_by
from conlinucb.experiments import ITEMS
from conlinucb.experiments.bounds import CHECKS, DELTAS
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.run import run_setting
from conlinucb.experiments.setting import Setting, Size, settings_of
from conlinucb.progress import Progress
from support.reproductions import agent_of, linear_people

Floats = NDArray[np.float64]

SMALL = Size(runs=3, users=3, rounds=60)
STRATEGIES = {"BS": "spanner", "MCR": "max-radius"}
NOISES = [0.1, 1.0]


def theory(protocol: str = "paper", size: Size = SMALL) -> list[Setting]:
    return settings_of(ITEMS["theory"], PROTOCOLS[protocol], size, seed=0)


@pytest.fixture(scope="module", params=NOISES, ids=["noise 0.1", "noise 1"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a small run found at one of the two noises."""
    (setting,) = [each for each in theory() if each.point.noise == request.param]
    out = tmp_path_factory.mktemp("theory")
    return setting, run_setting(setting, out, Progress(None, shown=False))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_is_run_as_the_theory_assumes(protocol: str) -> None:
    """Whatever the protocol: theta of length 1, independent noise, beta 1, Eq. 8, b(t) = 0.1 t."""
    found = theory(protocol)
    graphs = {"authors": ["dense"], "paper": ["sparse"], "fair": ["dense", "sparse"]}[protocol]
    made = [(each.variant.options["graph"], each.point.noise) for each in found]
    assert made == [(graph, noise) for graph in graphs for noise in NOISES]
    for setting in found:
        thetas = setting.thetas()[0]
        assert np.allclose(np.linalg.norm(thetas, axis=1), 1.0)
        people = linear_people(setting)
        assert people.noise == people.term_noise == setting.point.noise
        assert not people.shared_noise
        assert [t for t in range(1, 45) if asked_by(setting.schedule, t) * 10 == t] == [
            10, 20, 30, 40,
        ]  # fmt: skip
        assert not setting.tunes
        for name in setting.agents:
            used = agent_of(setting, name).estimator.parameters()
            assert used["alpha"] == cl.TheoryAlpha(delta=0.05)
            assert used.get("beta", 1.0) == 1.0


def replay(name: str, setting: Setting, user: int, at: list[int]) -> Floats:
    """|x'(theta_t - theta*)| / ||x||_P for every arm after these rounds, (rounds, arms)."""
    data = cl.datasets.synthetic(users=3, graph="sparse", normalized=True)
    assert data.thetas is not None
    taste, catalog = data.thetas[user], data.catalog
    agent = cl.conlinucb(
        catalog,
        strategy=STRATEGIES[name],
        beta=1.0,
        alpha=cl.TheoryAlpha(delta=0.05),
        schedule=cl.Linear(0.1),
    )
    noise = setting.point.noise
    people = cl.LinearUsers(data.thetas, noise=noise, term_noise=noise)
    someone = agent.new_user(seed=people.user_seed(0, 0, user))
    needed = []
    for t in range(1, at[-1] + 1):
        chance = people.draw(0, 0, user, t, questions=1, catalog=catalog)
        while (question := agent.ask(someone, chance.pool)) is not None:
            answer = float(catalog.terms[question.index] @ taste) + chance.term_noise[0]
            agent.hear(someone, question, answer)
        arm = int(agent.recommend(someone, chance.pool).arms[0])
        agent.learn(someone, arm, float(catalog.arms[arm] @ taste) + chance.noise)
        if t in at:
            P = np.tril(someone.state.P) + np.tril(someone.state.P, -1).T
            gap = np.abs(catalog.arms @ (someone.theta - taste))
            needed.append(gap / np.sqrt(np.sum(catalog.arms @ P * catalog.arms, axis=1)))
    return np.array(needed)


@pytest.mark.parametrize("name", STRATEGIES)
def test_coverage_is_what_a_replay_by_hand_finds(told: Any, name: str) -> None:
    setting, outcome = told
    found = outcome.theory.coverage[name]
    at = list(found.rounds)
    needed = np.array([replay(name, setting, user, at) for user in range(3)])
    assert needed.shape == (3, len(at), 5000)
    np.testing.assert_allclose(found.needed_max, needed.max(axis=(0, 2)), rtol=1e-8)
    largest = np.median(needed.max(axis=2), axis=0)
    np.testing.assert_allclose(found.needed_median, largest, rtol=1e-8)
    for row in found.by_delta:
        asked = [t // 10 for t in at]
        alpha = cl.theory.alpha(at, asked, 50, 1.0, row.delta)
        inside = needed <= alpha[:, None]
        assert row.share == inside.mean()
        assert row.people_always_inside == inside.all(axis=(1, 2)).mean()
    practice = found.practice
    assert practice.alpha == 0.1
    assert practice.share == pytest.approx((needed <= 0.1).mean(), abs=1e-5)
    assert 0 < practice.share < 1
    assert practice.people_always_inside == 0


def test_coverage_is_of_the_agents_with_one_estimate(told: Any) -> None:
    _, outcome = told
    assert set(outcome.agents) == {"ConUCB", "BS", "MCR"}
    assert set(outcome.theory.coverage) == {"BS", "MCR"}
    for found in outcome.theory.coverage.values():
        assert found.people == 3, "one run, however many are asked for"
        assert found.arms == 5000
        assert (found.rounds[0], found.rounds[-1]) == (1, 60)
        assert 10 < len(found.rounds) <= CHECKS
        assert [row.delta for row in found.by_delta] == list(DELTAS)
        shares = [row.share for row in found.by_delta]
        assert shares == sorted(shares)


def test_alpha_and_bounds_are_the_formulas(told: Any) -> None:
    setting, outcome = told
    found = outcome.theory
    rounds = list(outcome.agents["MCR"].curve.rounds)
    terms = cl.datasets.synthetic(users=3).catalog.terms
    lambda_B = cl.theory.lambda_B(terms[cl.barycentric_spanner(terms).indices])
    assert list(found.rounds) == rounds == list(range(1, 61))
    assert (found.b, found.delta) == (0.1, 0.05)
    assert found.lambda_B == pytest.approx(lambda_B)
    assert found.t0 == pytest.approx(cl.theory.t0(0.1, lambda_B, 50, 0.05))
    expected = {
        "BS": cl.theory.theorem_1(rounds, 0.1, lambda_B, 50, 1.0, 0.05),
        "MCR": cl.theory.theorem_2(rounds, 0.1, 50, 1.0, 0.05),
        "ConUCB": cl.theory.conucb_bound(rounds, 0.1, 50, 0.5, 1.0, 0.05),
    }
    assert set(found.bounds) == set(expected)
    for name, bound in expected.items():
        np.testing.assert_allclose(found.bounds[name], bound, rtol=1e-9)
    for each in found.coverage.values():
        asked = [asked_by(setting.schedule, t) for t in each.rounds]
        np.testing.assert_allclose(each.alpha, cl.theory.alpha(each.rounds, asked, 50, 1.0, 0.05))


def test_all_the_agents_play_by_equation_8(told: Any) -> None:
    _, outcome = told
    for name, agent in outcome.agents.items():
        alpha = "TheoryAlpha(delta=0.05)"
        assert agent.parameters["alpha"] == alpha, name
        assert agent.parameters["questions"] == 6


def test_the_plan_knows_that_it_is_played_once(tmp_path: Path) -> None:
    (setting, *_) = theory(size=Size(runs=10))
    assert setting.runs == 1
    assert (setting.rounds, len(setting.thetas()[0])) == (1000, 100)
