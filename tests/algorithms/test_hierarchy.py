"""HCB and pHCB decide as their definition does, by hand and compiled; odd trees are sane."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.algorithms.hierarchy.branches import branches_of
from conlinucb.algorithms.spec import agent_of
from conlinucb.checks import check_agent
from support.reference import Floats
from support.trees import Forest, Opener, Walker

pytestmark = pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
ROUNDS = 400


def blobs(seed: int, arms: int, d: int) -> Floats:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(6, d))
    return np.asarray(centres[rng.integers(6, size=arms)] + 0.5 * rng.normal(size=(arms, d)))


def sets_of(catalog: cl.Catalog) -> list[set[int]]:
    weights = catalog.weights.toarray()
    return [set(np.flatnonzero(weights[:, k]).tolist()) for k in range(weights.shape[1])]


def own_tree() -> cl.Catalog:
    """Genres and kinds: some items have no kind, and some not even a genre."""
    weights = np.zeros((30, 5))
    weights[:12, 0] = weights[:5, 1] = weights[5:9, 2] = 1
    weights[12:24, 3] = weights[14:20, 4] = 1
    return cl.Catalog(blobs(9, 30, 4), weights)


CATALOGUES: dict[str, Callable[[], cl.Catalog]] = {
    "three levels": lambda: cl.Catalog(blobs(1, 120, 5)).with_tree([4, 12, 30]),
    "k-means": lambda: cl.Catalog(blobs(2, 90, 3)).with_tree([3, 20], method="kmeans"),
    "one leaf": lambda: cl.Catalog(blobs(3, 20, 3)).with_tree([1]),
    "one root": lambda: cl.Catalog(blobs(4, 60, 4)).with_tree([1, 5, 20]),
    "own": own_tree,
    "twins": lambda: cl.Catalog(np.repeat(blobs(5, 8, 3), 4, axis=0)).with_tree([2, 8]),
}
AGENTS: dict[str, tuple[Any, Any]] = {
    "hcb": (lambda c: cl.hcb(c, beta=0.7, alpha=0.4), {"beta": 0.7, "alpha": 0.4}),
    "hcb, few": (lambda c: cl.hcb(c, most=4), {"most": 4}),
    "phcb": (
        lambda c: cl.phcb(c, beta=0.7, visits=4.0, feedback=0.05),
        {"beta": 0.7, "visits": 4.0, "feedback": 0.05},
    ),
    "phcb, few": (
        lambda c: cl.phcb(c, visits=2.0, feedback=-0.5, most=3),
        {"visits": 2.0, "feedback": -0.5, "most": 3},
    ),
}


def reference(name: str, catalog: cl.Catalog, seed: int) -> Walker:
    forest = Forest(np.array(catalog.arms), sets_of(catalog))
    options = AGENTS[name][1]
    return (Opener if "phcb" in name else Walker)(forest, seed, **options)


@pytest.mark.sliced
@pytest.mark.parametrize("which", CATALOGUES)
@pytest.mark.parametrize("name", AGENTS)
def test_decisions_equal_the_reference(name: str, which: str) -> None:
    catalog = CATALOGUES[which]()
    agent: Any = AGENTS[name][0](catalog)
    tastes = np.random.default_rng(7).normal(size=(2, catalog.d)) / np.sqrt(catalog.d)
    people = cl.LinearUsers(tastes, pool_size=min(15, len(catalog)))
    results = cl.simulate({name: agent}, people, rounds=ROUNDS, seed=5, trace=True, progress=False)
    for user in range(len(people)):
        played, _ = results.trace(name, 0, user)
        seed = people.user_seed(5, 0, user)
        twin, mine = reference(name, catalog, seed), agent.new_user(seed)
        for t in range(1, ROUNDS + 1):
            place = people.place(catalog, 5, 0, user, t)
            pool = people.round(place).pool
            arm = twin.recommend(pool)
            assert arm == int(agent.recommend(mine, pool).arms[0]), (user, t)
            assert arm == played[t - 1], (user, t)
            reward = people.reward(place, arm)
            assert reward is not None
            agent.learn(mine, arm, reward)
            twin.learn(arm, reward)
        np.testing.assert_allclose(mine.theta, twin.items.theta, rtol=1e-8, atol=1e-10)
        if isinstance(twin, Opener):
            assert agent.open_nodes(mine).tolist() == sorted(twin.open)


@pytest.mark.parametrize("name", ["hcb", "phcb"])
def test_on_a_tree_of_single_items_it_is_linucb(name: str) -> None:
    arms = blobs(3, 60, 5)
    catalog = cl.Catalog(arms).with_tree([60])
    agents = {
        name: getattr(cl, name)(catalog, beta=0.7, alpha=0.9),
        "linucb": cl.linucb(catalog, beta=0.7, alpha=0.9),
    }
    people = cl.LinearUsers(np.random.default_rng(0).normal(size=(3, 5)), pool_size=20)
    results = cl.simulate(agents, people, rounds=ROUNDS, trace=True)
    for user in range(3):
        one, other = (results.trace(each, 0, user)[0].tolist() for each in agents)
        assert one == other
        assert len(set(one)) > 5


def test_nodes_do_open() -> None:
    catalog = CATALOGUES["three levels"]()
    agent = cl.phcb(catalog, visits=1.0, feedback=-10.0)
    user = agent.new_user()
    assert agent.open_nodes(user).tolist() == catalog.tree.roots.tolist()
    for _ in range(600):
        agent.learn(user, int(agent.recommend(user).arms[0]), 0.5)
    deepest = catalog.tree.depth[agent.open_nodes(user)].max()
    assert deepest == 3


@pytest.mark.sliced
@pytest.mark.parametrize("which", CATALOGUES)
@pytest.mark.parametrize("name", AGENTS)
def test_agents_conform(name: str, which: str) -> None:
    check_agent(AGENTS[name][0](CATALOGUES[which]()), rounds=20)


def test_people_of_other_kinds_and_pools() -> None:
    catalog = CATALOGUES["three levels"]()
    rated = np.where(np.random.default_rng(6).random((3, 120)) < 0.5, 0.7, np.nan)
    for people in (
        cl.LoggedPeople(rated, pool_size=9, own=2, unknown=None),
        cl.ClickUsers(np.random.default_rng(1).normal(size=(2, 5)), pool_size=120),
    ):
        for agent in (cl.hcb(catalog, most=6), cl.phcb(catalog, visits=1.0)):
            check_agent(agent, people, rounds=25)


def test_each_arm_is_in_one_leaf() -> None:
    for made in CATALOGUES.values():
        catalog = made()
        branches = branches_of(catalog)
        leaves = np.flatnonzero(np.diff(branches.child_start)[:-1] == 0)
        last = branches.path[branches.path_start[1:] - 1]
        assert np.isin(last, leaves).all()
        depths = np.diff(branches.path_start)
        assert (branches.depth[last] == depths).all()
        forest = Forest(np.array(catalog.arms), sets_of(catalog))
        np.testing.assert_allclose(branches.features, forest.means, atol=1e-12)


def test_a_tree_of_its_own_leaves_the_catalogue_as_it_is() -> None:
    tags = cl.Catalog(blobs(1, 40, 4), np.random.default_rng(0).random((40, 6)) < 0.5)
    agent = cl.hcb(tags, levels=[3, 9])
    assert agent.catalog is tags
    people = cl.LinearUsers(np.random.default_rng(1).normal(size=(2, 4)), pool_size=10)
    cl.simulate({"HCB": agent, "MCR": cl.conlinucb(tags)}, people, rounds=20, progress=False)
    with pytest.raises(cl.InvalidInput, match=r"share some.*with_tree"):
        cl.hcb(tags)


def test_several_arms_are_those_of_one_walk_after_another() -> None:
    agent = cl.hcb(CATALOGUES["three levels"]())
    user, again = agent.new_user(3), agent.new_user(3)
    for _ in range(20):
        advice = agent.recommend(user, k=4)
        left: list[int] = []
        for _ in range(4):
            copy = agent.load_user(again.to_arrays())
            left.append(int(agent.recommend(copy, exclude=left or None).arms[0]))
        assert advice.arms.tolist() == left
        assert advice.ids == tuple(left)
        again.close_round()
        for one in (user, again):
            agent.learn(one, int(advice.arms[0]), 0.3)
    assert agent.recommend(user, pool=[3, 5], k=9).arms.size == 2


def test_specs_of_plain_values() -> None:
    catalog = cl.Catalog(blobs(1, 40, 4))
    given = {"recipe": "phcb", "levels": [3, 9], "visits": 3, "most": 20}
    assert agent_of(given, catalog).parameters() == {
        **cl.phcb(catalog, levels=[3, 9], visits=3, most=20).parameters()
    }
    with pytest.raises(cl.UnknownName, match="knows no 'visit'"):
        agent_of({"recipe": "phcb", "visit": 3}, catalog)
    with pytest.raises(cl.UnknownName, match="no recipe is called 'hbc'"):
        agent_of({"recipe": "hbc"}, catalog)


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "no key-terms": (lambda: cl.hcb(cl.Catalog(np.eye(3))), "without key-terms"),
    "no catalogue": (lambda: cl.hcb(np.eye(3)), "must be a Catalog"),  # type: ignore[arg-type]
    "most": (lambda: cl.hcb(own_tree(), most=0), "most must be .* got 0"),
    "beta": (lambda: cl.hcb(own_tree(), beta=0.0), "beta must be .* got 0"),
    "alpha": (lambda: cl.hcb(own_tree(), alpha=-1.0), "alpha must be .* got -1"),
    "nan": (lambda: cl.phcb(own_tree(), feedback=np.nan), "feedback must be .* got nan"),
    "visits": (lambda: cl.phcb(own_tree(), visits=0.0), "visits must be .* got 0"),
    "levels": (lambda: cl.phcb(own_tree(), levels=[9, 3]), "levels must grow"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_refused(case: str) -> None:
    made, told = BAD[case]
    with pytest.raises(cl.InvalidInput, match=told):
        made()


def test_bad_use_is_refused_and_changes_nothing() -> None:
    agent, other = cl.phcb(own_tree()), cl.hcb(own_tree())
    user = agent.new_user()
    before = {name: array.copy() for name, array in user.to_arrays().items()}
    for use, told in (
        (lambda: agent.learn(user, 99, 1.0), "0 to 29, got 99"),
        (lambda: agent.learn(user, 0, np.nan), "reward must be .* got nan"),
        (lambda: agent.learn(user, 0, 1.0, weight=0.0), "weight must be .* got 0"),
        (lambda: agent.recommend(user, pool=[]), "pool is empty"),
        (lambda: agent.recommend(user, k=0), "k must be .* got 0"),
        (lambda: other.recommend(user), "the agent has"),
        (lambda: other.open_nodes(other.new_user()), "See phcb"),
        (lambda: agent.learn("me", 0, 1.0), "must come from new_user"),  # type: ignore[arg-type]
    ):
        with pytest.raises(cl.InvalidInput, match=told):
            use()
    after = user.to_arrays()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_users_of_another_tree_are_refused() -> None:
    catalog = cl.Catalog(blobs(1, 40, 4))
    user = cl.phcb(catalog, levels=[3, 9]).new_user()
    with pytest.raises(cl.IncompatibleState, match="phcb"):
        cl.phcb(catalog, levels=[3, 10]).load_user(user.to_arrays())
    agent = cl.phcb(catalog, levels=[3, 9])
    for name in ("state_open", "state_visits"):
        arrays = {key: array.copy() for key, array in user.to_arrays().items()}
        arrays[name] = arrays[name] - 1
        with pytest.raises(cl.IncompatibleState):
            agent.load_user(arrays)


def test_stored_runs_and_threads(tmp_path: Path) -> None:
    catalog = CATALOGUES["three levels"]()
    people = cl.LinearUsers(np.random.default_rng(1).normal(size=(6, 5)), pool_size=20)
    agents: dict[str, cl.OwnRounds] = {"HCB": cl.hcb(catalog, most=9), "pHCB": cl.phcb(catalog)}
    runs = [
        cl.simulate(agents, people, rounds=80, progress=False, **options)
        for options in (
            {"threads": 1},
            {"threads": 3, "shard": 1},
            {"store": tmp_path},
            {"store": tmp_path},
        )
    ]
    for name in agents:
        for run in runs[1:]:
            assert (run.metric(name, "regret") == runs[0].metric(name, "regret")).all()
