"""Real people: rewards and answers from tables, pools of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import conlinucb as cl
from support.meetings import assert_met_alike
from support.runs import Counting, same_bits
from support.worlds import refused, small_catalog

N, K, USERS = 20, 6, 4
CATALOG = small_catalog(arms=N, terms=K, d=3)
RNG = np.random.default_rng(2)
REWARDS = np.where(RNG.random((USERS, N)) < 0.4, RNG.uniform(size=(USERS, N)).round(2), np.nan)
REWARDS[:, 0] = 0.0  # a reward of zero is a reward
ANSWERS = np.where(RNG.random((USERS, K)) < 0.7, RNG.uniform(size=(USERS, K)), np.nan)
NAN = float("nan")


def rated(user: int) -> set[int]:
    return {int(a) for a in range(N) if not np.isnan(REWARDS[user, a])}


def as_sparse() -> Any:
    rows, columns = np.nonzero(~np.isnan(REWARDS))
    return sparse.coo_array((REWARDS[rows, columns], (rows, columns)), shape=REWARDS.shape)


def places(people: cl.People, user: int, rounds: int = 30) -> list[cl.Place]:
    return [people.place(CATALOG, 0, 0, user, t) for t in range(1, rounds + 1)]


def question(kind: Any, *which: int) -> cl.Question:
    from conlinucb.agent.question import question_about

    return question_about(CATALOG, kind, which, 1, 1)


AGENTS = {
    "LinUCB": cl.linucb(CATALOG),
    "Arm-Con": cl.arm_con(CATALOG, schedule=cl.Linear(0.5)),
    "ConUCB": cl.conucb(CATALOG, schedule=cl.Linear(0.5)),
    "MCR": cl.conlinucb(CATALOG, schedule=cl.Linear(1)),
}
PEOPLE: dict[str, Callable[[], cl.LoggedPeople]] = {
    "own": lambda: cl.LoggedPeople(REWARDS, pool_size=4),
    "with answers": lambda: cl.LoggedPeople(REWARDS, ANSWERS, pool_size=4, offered_size=3),
    "all of their own": lambda: cl.LoggedPeople(REWARDS, pool_size=N),
    "mixed": lambda: cl.LoggedPeople(REWARDS, pool_size=7, own=2),
    "unknown": lambda: cl.LoggedPeople(REWARDS, pool_size=7, own=2, unknown=None),
    "none of their own": lambda: cl.LoggedPeople(REWARDS, pool_size=5, own=0, unknown=-0.5),
    "pools": lambda: cl.LoggedPeople(
        REWARDS, ANSWERS, pools=np.arange(USERS * 7 * 2).reshape(USERS, 7, 2) % N, unknown=None
    ),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_by_hand_and_compiled_are_the_same(name: str) -> None:
    assert_met_alike(AGENTS, PEOPLE[name](), 60, users=2)


@pytest.mark.parametrize("form", [as_sparse, lambda: as_sparse().tocsr(), lambda: REWARDS.tolist()])
def test_a_table_is_a_table_in_any_form(form: Callable[[], Any]) -> None:
    one, other = cl.LoggedPeople(REWARDS, pool_size=4), cl.LoggedPeople(form(), pool_size=4)
    for user in range(USERS):
        np.testing.assert_array_equal(one.row(user), other.row(user))
    assert one.fingerprint() == other.fingerprint()
    runs = [cl.simulate(AGENTS, each, rounds=30) for each in (one, other)]
    for name in AGENTS:
        assert np.array_equal(runs[0].final_regret(name), runs[1].final_regret(name))


def test_the_caller_s_table_is_left_as_it_is() -> None:
    table = sparse.csr_array(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3]), shape=(1, N))
    before = table.copy()
    people = cl.LoggedPeople(table)
    assert people.row(0)[[0, 2]].tolist() == [2.0, 4.0]  # what is there twice adds up
    for one, other in zip((table.data, table.indices), (before.data, before.indices), strict=True):
        assert np.array_equal(one, other)


def test_rewards_and_values_are_those_of_the_log() -> None:
    for name in ("own", "mixed", "unknown"):
        people = PEOPLE[name]()
        for user in range(USERS):
            place = people.place(CATALOG, 0, 0, user, 1)
            for arm in range(N):
                reward, known = people.reward(place, arm), arm in rated(user)
                if known:
                    assert reward == REWARDS[user, arm]
                else:
                    assert reward == (None if name == "unknown" else 0.0)
                value = people.values(place, np.array([arm]))[0]
                assert value == (REWARDS[user, arm] if known else 0.0)
    odd = PEOPLE["none of their own"]()
    assert odd.reward(odd.place(CATALOG, 0, 0, 0, 1), min(set(range(N)) - rated(0))) == -0.5


def test_a_pool_is_of_the_person_s_own_arms() -> None:
    people = PEOPLE["own"]()
    for user in range(USERS):
        pools = [people.round(each).pool for each in places(people, user)]
        for pool in pools:
            assert len(set(pool.tolist())) == pool.size == min(4, len(rated(user)))
            assert set(pool.tolist()) <= rated(user)
        assert {a for pool in pools for a in pool.tolist()} == rated(user)
    everything = PEOPLE["all of their own"]()
    for user in range(USERS):
        assert set(everything.round(places(everything, user)[0]).pool.tolist()) == rated(user)


def test_a_mixed_pool_has_others_beside_their_own() -> None:
    people = PEOPLE["mixed"]()
    positions = []
    for user in range(USERS):
        for place in places(people, user):
            pool = people.round(place).pool.tolist()
            own = [a in rated(user) for a in pool]
            assert len(set(pool)) == len(pool) == 7
            assert sum(own) == 2
            positions += [i for i, mine in enumerate(own) if mine]
    assert np.bincount(positions, minlength=7).min() > 0.5 * len(positions) / 7


def test_pools_that_are_said_outright_begin_again() -> None:
    pools = np.array([[[3, 1], [2, 0]], [[5, 4], [7, 6]]])
    people = cl.LoggedPeople(REWARDS[:2], pools=pools)
    found = [people.round(each).pool.tolist() for each in places(people, 1, 5)]
    assert found == [[5, 4], [7, 6], [5, 4], [7, 6], [5, 4]]


def test_removed_arms_are_in_no_pool() -> None:
    gone = sorted(rated(0))[:2]
    catalog = CATALOG.remove_arms(gone)
    for people in (PEOPLE["all of their own"](), PEOPLE["mixed"]()):
        people.check(catalog)
        for t in range(1, 20):
            place = people.place(catalog, 0, 0, 0, t)
            assert not np.isin(people.round(place).pool, gone).any()


def test_answers_are_the_mean_reward_over_a_term_s_arms() -> None:
    people, weights = PEOPLE["own"](), CATALOG.weights.toarray()
    for user in range(USERS):
        place = people.place(CATALOG, 0, 0, user, 1)
        for k in range(K):
            mine = [a for a in rated(user) if weights[a, k] > 0]
            answer = people.answer(place, question("term", k), 0)
            if not mine:
                assert answer is None
            else:
                w = np.array([weights[a, k] for a in mine])
                expected = sum(w * [REWARDS[user, a] for a in mine]) / sum(w)
                assert answer == pytest.approx(expected, abs=1e-12)


def test_answers_from_a_table() -> None:
    people = PEOPLE["with answers"]()
    for user in range(USERS):
        place, said = people.place(CATALOG, 0, 0, user, 1), ANSWERS[user]
        for k in range(K):
            expected = None if np.isnan(said[k]) else said[k]
            assert people.answer(place, question("term", k), 0) == expected
            other = (k + 1) % K
            expected = None if np.isnan(said[k] - said[other]) else said[k] - said[other]
            assert people.answer(place, question("pair", k, other), 0) == expected
        for arm in (0, 5):
            assert people.answer(place, question("arm", arm), 0) == people.reward(place, arm)
    table = sparse.coo_array(np.nan_to_num(ANSWERS))
    assert np.isnan(cl.LoggedPeople(REWARDS, table).answers).sum() == np.isnan(ANSWERS).sum()  # type: ignore[arg-type]


def test_nothing_is_learned_from_what_is_unknown() -> None:
    people = cl.LoggedPeople([[NAN] * N], pool_size=3, own=0, unknown=None)
    results = cl.simulate(AGENTS, people, rounds=20, trace=True)
    for name in AGENTS:
        assert (results.metric(name, "reward") == 0).all()
        assert (results.metric(name, "answered") == 0).all()
        assert (results.final_regret(name) == 0).all()
        assert np.isnan(results.metric(name, "error")).all()


def test_a_run_of_people_without_a_taste_can_be_kept(tmp_path: Path) -> None:
    people = PEOPLE["own"]()
    first = cl.simulate(AGENTS, people, rounds=20, store=tmp_path, shard=2)
    counting: Any = Counting()
    again = cl.simulate(AGENTS, people, rounds=20, store=tmp_path, executor=counting)
    assert counting.played == []
    assert np.array_equal(again.final_regret("MCR"), first.final_regret("MCR"))
    assert not same_bits(first, first)  # NaN, the errors nobody knows


def test_people_of_other_tables_are_other_people() -> None:
    others = [
        PEOPLE["own"](),
        cl.LoggedPeople(REWARDS, ANSWERS, pool_size=4),
        cl.LoggedPeople(np.where(REWARDS == 0.0, 0.1, REWARDS), pool_size=4),
        PEOPLE["pools"](),
    ]
    assert len({str(each.fingerprint()) for each in others}) == 4


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "flat": (lambda: cl.LoggedPeople([1.0, 2.0]), "people x arms"),
    "words": (lambda: cl.LoggedPeople([["x"]]), "table of numbers"),
    "infinite": (lambda: cl.LoggedPeople([[np.inf, 1.0]]), "finite"),
    "infinite, sparse": (lambda: cl.LoggedPeople(sparse.csr_array([[np.inf]])), "finite"),
    "NaN, sparse": (lambda: cl.LoggedPeople(sparse.csr_array([[NAN]])), "leave out"),
    "nobody": (lambda: cl.LoggedPeople(np.empty((0, N))), "at least one person"),
    "flat answers": (lambda: cl.LoggedPeople(REWARDS, [1.0]), "people x key-terms"),
    "infinite answers": (lambda: cl.LoggedPeople(REWARDS, np.full((USERS, K), np.inf)), "answers"),
    "more of their own": (lambda: cl.LoggedPeople(REWARDS, pool_size=3, own=4), "own is 4"),
    "no pool": (lambda: cl.LoggedPeople(REWARDS, pool_size=0), "pool_size"),
    "flat pools": (lambda: cl.LoggedPeople(REWARDS, pools=[[1, 2]]), "(people, rounds, n)"),
    "half arms": (lambda: cl.LoggedPeople(REWARDS, pools=[[[0.5]]] * USERS), "whole numbers"),
    "an arm twice": (lambda: cl.LoggedPeople(REWARDS, pools=[[[1, 1]]] * USERS), "twice"),
}
UNFIT: dict[str, tuple[Callable[[], Any], str]] = {
    "arms": (lambda: cl.LoggedPeople(REWARDS[:, :9]), "rewards must have shape (4, 20)"),
    "answers": (lambda: cl.LoggedPeople(REWARDS, ANSWERS[:, :3]), "answers must have shape (4, 6)"),
    "people": (lambda: cl.LoggedPeople(REWARDS, ANSWERS[:2]), "answers must have shape (4, 6)"),
    "pools of few": (lambda: cl.LoggedPeople(REWARDS, pools=[[[1]]]), "pools must have shape (4,"),
    "unknown arm": (lambda: cl.LoggedPeople(REWARDS, pools=[[[N]]] * USERS), "from 0 to 19"),
    "negative": (lambda: cl.LoggedPeople(REWARDS, pools=[[[-1]]] * USERS), "from 0 to 19"),
    "silent": (lambda: cl.LoggedPeople([*REWARDS[:2], [NAN] * N]), "Person 2"),
    "knows all": (lambda: cl.LoggedPeople(np.ones((2, N)), own=0), "Person 0"),
    "offered": (lambda: cl.LoggedPeople(REWARDS, offered_size=7), "offered_size is 7"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_are_refused(name: str) -> None:
    refused(*BAD[name], cl.InvalidInput)


@pytest.mark.parametrize("name", UNFIT)
def test_tables_of_another_catalogue_are_refused(name: str) -> None:
    make, sentence = UNFIT[name]
    refused(lambda: cl.simulate(AGENTS, make(), rounds=2), sentence, cl.InvalidInput)


def test_tables_of_removed_arms_are_refused() -> None:
    only = np.full((2, N), NAN)
    only[0, 3] = only[1, 4] = 1.0
    left = CATALOG.remove_arms([4])
    agents = {"LinUCB": cl.linucb(left)}
    lost = cl.LoggedPeople(only)
    refused(lambda: cl.simulate(agents, lost, rounds=2), "Person 1", cl.InvalidInput)
    pools = cl.LoggedPeople(only, pools=[[[1, 4]], [[1, 2]]])
    refused(lambda: cl.simulate(agents, pools, rounds=2), "arm 4", cl.InvalidInput)
