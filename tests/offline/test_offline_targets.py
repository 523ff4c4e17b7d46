"""An agent as target: the log's history makes its state; logs with a known truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from conlinucb.offline.log import read_log
from conlinucb.offline.replayed import probabilities
from support.worlds import small_catalog

CATALOG = small_catalog(arms=10, terms=4, d=3)
PEOPLE = cl.LinearUsers(np.random.default_rng(8).normal(size=(12, 3)), pool_size=4, noise=0.3)
ASKING: dict[str, Any] = {"strategy": "max-radius", "schedule": cl.Every(3)}


def logged(select: Any, rounds: int = 8) -> cl.SyntheticLog:
    return cl.synthetic_log(cl.conlinucb(CATALOG, select=select, **ASKING), PEOPLE, rounds, seed=3)


def test_the_agent_that_logged_comes_out_with_its_own_propensities() -> None:
    """So its answers, rewards, pools and rounds were all replayed as they were."""
    log = logged(cl.EpsilonGreedy(0.3))
    assert "answer" in log.table["kind"]
    found = cl.evaluate(log.table, log.agent)
    np.testing.assert_allclose(found.weights, 1.0, rtol=1e-12)
    assert found["ips"].value == pytest.approx(found.logged.value, abs=1e-12)
    assert found["dr"].value == pytest.approx(found["ips"].value, abs=0.2)


def test_rows_in_any_order_are_replayed_by_round() -> None:
    log = logged(cl.EpsilonGreedy(0.3), rounds=6)
    target = cl.linucb(CATALOG)
    table = {key: np.array(values, dtype=object) for key, values in log.table.items()}
    decided = np.flatnonzero(table["kind"] == "decision")
    shuffled = np.random.default_rng(0).permutation(decided)
    there = probabilities(target, _log(table, decided), 10).toarray()
    again = probabilities(target, _log(table, shuffled), 10).toarray()
    assert np.array_equal(again, there[np.searchsorted(decided, shuffled)])
    assert len(np.unique(there.argmax(axis=1))) > 3


def _log(table: dict[str, Any], rows: Any) -> Any:
    return read_log({key: values[rows].tolist() for key, values in table.items()}, {})


def test_a_history_by_hand_gives_the_same_probabilities() -> None:
    log = logged(cl.EpsilonGreedy(0.5), rounds=5)
    target = cl.conlinucb(CATALOG, select=cl.EpsilonGreedy(0.2))
    expected, user = [], target.new_user()
    ids = [str(each) for each in CATALOG.arm_ids]
    for i, who in enumerate(log.table["person"]):
        row = {key: values[i] for key, values in log.table.items()}
        if i == 0 or who != log.table["person"][i - 1]:
            user = target.new_user()
        if row["kind"] == "answer":
            target.volunteer(user, int(row["action"]), row["reward"])
            continue
        pool = [ids.index(each) for each in row["pool"].split("|")]
        expected.append(dict(zip(pool, target.propensities(user, pool), strict=True)))
        user.close_round()
        target.learn(user, int(row["action"]), row["reward"])
    found = probabilities(target, read_log(log.table, {}), 10).toarray()
    for row_, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(row_, [want.get(a, 0.0) for a in range(10)], atol=1e-12)


def test_the_truth_of_a_log_is_what_a_target_earns_in_it() -> None:
    log = cl.synthetic_log(cl.linucb(CATALOG, select=cl.EpsilonGreedy(1.0)), PEOPLE, 3)
    pools = [text.split("|") for text in log.table["pool"]]
    target = np.array([[float(str(a) == pool[0]) for a in range(10)] for pool in pools])
    values = [
        float(CATALOG.arms[int(pool[0])] @ PEOPLE.thetas[who])
        for pool, who in zip(pools, log.table["person"], strict=True)
    ]
    assert log.value(target) == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.parametrize(
    ("select", "wanted"),
    [(cl.EpsilonGreedy(0.4), cl.EpsilonGreedy(0.6)), (cl.Thompson(draws=60), "greedy")],
)
def test_a_log_that_adapts_to_people_needs_propensities(select: Any, wanted: Any) -> None:
    """One model for all people takes what was chosen for them for what is good for everybody."""
    rng = np.random.default_rng(2)
    people = cl.LinearUsers(rng.normal(size=(80, 3)), pool_size=4, noise=0.3)
    agent = cl.linucb(CATALOG, select=select, alpha=1.0)
    log = cl.synthetic_log(agent, people, 15, seed=1)
    target = cl.linucb(CATALOG, select=wanted)
    found, truth = cl.evaluate(log.table, target), log.value(target)
    assert found["dr"].covers(truth)
    assert found["snips"].covers(truth)
    assert not found["dm"].covers(truth)


def test_what_thompson_hardly_ever_takes_is_missed_and_noticed() -> None:
    """Chances of 0.1 % do not show in 60 draws: weights are too small, and do not average 1."""
    people = cl.LinearUsers(np.random.default_rng(2).normal(size=(60, 3)), pool_size=4, noise=0.3)
    agent = cl.linucb(CATALOG, select=cl.Thompson(draws=60), alpha=0.5)
    log = cl.synthetic_log(agent, people, 10, seed=1)
    found = cl.evaluate(log.table, cl.linucb(CATALOG, select=cl.EpsilonGreedy(1.0)))
    assert "should be 1" in found["ips"].refused


def test_what_does_not_tell_propensities_cannot_log() -> None:
    with pytest.raises(cl.InvalidInput, match=r"EpsilonGreedy\(0\.1\)"):
        logged("thompson")
    ids = [f"a|{i}" for i in range(10)]
    agent = cl.linucb(cl.Catalog(CATALOG.arms, CATALOG.weights, ids), select="epsilon-greedy")
    with pytest.raises(cl.InvalidInput, match=r"'a\|\d' has one"):
        cl.synthetic_log(agent, PEOPLE, 1)


def test_an_action_outside_its_pool_or_catalogue_is_refused() -> None:
    log = logged(cl.EpsilonGreedy(0.4))
    agent = cl.linucb(CATALOG)
    other = log.table | {"pool": ["0|1" if each else None for each in log.table["pool"]]}
    with pytest.raises(cl.InvalidInput, match=r"is not in its pool, '0\|1'"):
        cl.evaluate(other, agent)
    other = log.table | {"action": ["nobody" for _ in log.table["action"]]}
    with pytest.raises(cl.UnknownName, match="'nobody'"):
        cl.evaluate(other, agent)
    with pytest.raises(cl.InvalidInput, match="leave catalog out"):
        cl.evaluate(log.table, agent, catalog=small_catalog())
    with pytest.raises(cl.InvalidInput, match="every arm"):
        replace(log, table=log.table | {"mine": log.table["reward"]}).value("mine")


def test_a_history_of_its_own_is_what_it_agrees_with() -> None:
    """On a uniform log and without chance: it learns where it would have done the same."""
    log = cl.synthetic_log(cl.linucb(CATALOG, select=cl.EpsilonGreedy(1.0)), PEOPLE, 12, seed=4)
    target, expected, kept = cl.linucb(CATALOG), [], 0
    user = target.new_user()
    for i, who in enumerate(log.table["person"]):
        if i % 12 == 0:
            assert log.table["round"][i] == 1, who
            user = target.new_user()
        pool = [int(each) for each in log.table["pool"][i].split("|")]
        choice = pool[int(target.propensities(user, pool).argmax())]
        expected.append(choice)
        if str(choice) == log.table["action"][i]:
            assert target.recommend(user, pool).arms == choice
            target.learn(user, choice, log.table["reward"][i])
            kept += 1
    found = probabilities(target, read_log(log.table, {}), 10, own=0).toarray()
    assert found.argmax(axis=1).tolist() == expected
    assert cl.evaluate(log.table, target, history="own")["replay"].effective == kept
    others = probabilities(target, read_log(log.table, {}), 10).toarray()
    assert not np.array_equal(found, others)


@pytest.mark.more
def test_a_history_of_its_own_earns_what_the_agent_does_alone() -> None:
    """On a uniform log: a decision is its own with chance 1/4, in whatever state it is."""
    rng, rounds, own = np.random.default_rng(5), 16, 4
    tastes = rng.normal(size=(250, 3))
    people = cl.LinearUsers(tastes, pool_size=own, noise=0.3)
    target = cl.linucb(CATALOG, alpha=0.3)
    uniform = cl.linucb(CATALOG, select=cl.EpsilonGreedy(1.0))
    log = cl.synthetic_log(uniform, people, rounds, seed=2)
    alone = cl.evaluate(log.table, target, history="own")
    taught = cl.evaluate(log.table, target)
    earned = _earned(target, tastes, rounds)
    chances = [stats.binom.pmf(np.arange(rounds), before, 1 / own) for before in range(rounds)]
    truth = float(np.mean(np.array(chances) @ earned))
    for name in ("replay", "ips", "snips", "dr"):
        assert alone[name].covers(truth), name
    assert taught["dr"].low > truth  # it was taught four times as much
    assert alone["replay"].effective == pytest.approx(250 * rounds / own, rel=0.1)


def _earned(agent: cl.Agent, tastes: Any, rounds: int) -> Any:
    """The agent's mean reward in its first, second, ... round, with many people like these."""
    many = cl.LinearUsers(np.tile(tastes, (8, 1)), pool_size=4, noise=0.3)
    earned = np.zeros(rounds)
    for who in range(len(many)):
        user = agent.new_user(who)
        for t in range(rounds):
            place = many.place(agent.catalog, 9, 0, who, t + 1)
            arm = cl.play_round(agent, user, many, place).arm
            earned[t] += many.values(place, np.array([arm]))[0] / len(many)
    return earned


def test_a_history_of_its_own_is_an_agents() -> None:
    log = {"action": ["a", "b"] * 30, "reward": [1.0, 0.0] * 30, "propensity": [0.5] * 60}
    with pytest.raises(cl.InvalidInput, match="Only an agent"):
        cl.evaluate(log, {"a": 0.5, "b": 0.5}, history="own")
    with pytest.raises(cl.UnknownName, match="Did you mean 'own'"):
        cl.evaluate(log, {"a": 0.5, "b": 0.5}, history="owned")
