"""ConDuel decides as its definition does, by hand and compiled; people who answer duels."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from scipy.special import expit

import conlinucb as cl
from conlinucb.algorithms.spec import agent_of
from conlinucb.checks import check_agent
from conlinucb.checks.common import require_same_run
from support.duel import Duelist
from support.reference import Floats, linear
from support.worlds import films, refused, refused_unchanged, same_state, small_catalog

KINDS = [
    (strategy, first) for strategy in ("max-radius", "spanner") for first in ("random", "best")
]


def world(number: int) -> tuple[cl.Catalog, Floats, Floats, Floats]:
    rng = np.random.default_rng([number, 77])
    d = 3 + number
    n, k = 4 * d + 10, d + 5
    arms = 2.0 * rng.normal(size=(n, d)) / np.sqrt(d)
    arms[1] = arms[0]  # twins
    weights = np.where(rng.random((n, k)) < 0.2, rng.uniform(0.1, 1.0, (n, k)), 0.0)
    weights[rng.integers(n, size=k), np.arange(k)] += 0.5
    return cl.Catalog(arms, weights), arms, weights, 2.0 * rng.normal(size=d)


def decide(strategy: str, first: Any, number: int, rounds: int) -> list[int]:
    catalog, arms, weights, taste = world(number)
    options: dict[str, Any] = {"strategy": strategy, "first": first, "beta": 1.0, "alpha": 0.7}
    agent = cl.conduel(catalog, schedule=cl.Linear(0.3), **options)
    twin = Duelist(arms, weights, b=linear(0.3), seed=number, **options)
    user, standing = agent.new_user(seed=number), []
    for t in range(1, rounds + 1):
        rng = np.random.default_rng([number, t, 6])
        pool, offered = rng.permutation(len(arms))[:12], rng.permutation(weights.shape[1])
        if strategy != "spanner":
            offered = offered[: rng.integers(2, offered.size)]
        for _ in range(twin.questions_due()):
            question = agent.ask(user, pool, offered)
            assert question is not None
            pair = cast(tuple[int, int], question.indices)
            assert pair == twin.ask(offered), f"round {t}"
            y = float(rng.random() < expit(question.probe @ taste))
            agent.hear(user, question, "first" if y else "second")
            twin.hear(pair, y)
        assert agent.ask(user, pool, offered) is None
        found = [int(np.flatnonzero(pool == arm)[0]) for arm in agent.candidates(user, pool)]
        assert found == twin.candidates(pool), f"round {t}"
        standing.append(len(found))
        one, other = agent.recommend(user, pool).arms.tolist()
        assert (one, other) == twin.recommend(pool), f"round {t}"
        y = float(rng.random() < expit((arms[one] - arms[other]) @ taste))
        agent.learn(user, *((one, other) if y else (other, one)))
        twin.learn(*((one, other, 1.0) if y else (other, one, 1.0)))
    np.testing.assert_allclose(user.theta, twin.steps.theta, rtol=1e-8, atol=1e-9)
    return standing


@pytest.mark.parametrize(("strategy", "first"), KINDS)
def test_decisions_equal_the_reference(strategy: str, first: str) -> None:
    standing = decide(strategy, first, number=1, rounds=100)
    assert standing[0] == 12, "nothing is known at first"
    assert min(standing) < 6, "and then much is"


@pytest.mark.more
@pytest.mark.parametrize(("strategy", "first"), KINDS)
def test_decisions_equal_the_reference_over_hundreds_of_rounds(strategy: str, first: str) -> None:
    for number in (0, 3, 6):
        decide(strategy, first, number, rounds=300)


def people_of(kind: str, catalog: cl.Catalog, taste: Floats) -> cl.People:
    tastes = np.vstack([taste, -0.5 * taste])
    if kind == "logged":
        rng = np.random.default_rng(4)
        rewards = rng.random((2, len(catalog))).round(1)
        rewards[rng.random(rewards.shape) < 0.3] = np.nan
        answers = rng.random((2, len(catalog.term_ids)))
        return cl.LoggedPeople(rewards, answers, pool_size=12, own=8, unknown=None)
    linear_people = cl.LinearUsers(tastes, pool_size=12)
    if kind == "yes or no":
        return cl.YesNo(linear_people)
    return cl.Compares(linear_people, noise=0.7, logistic=True)


@pytest.mark.parametrize("kind", ["compares", "yes or no", "logged"])
def test_compiled_rounds_are_those_by_hand(kind: str) -> None:
    """Four agents, two people, 250 rounds each: arms, questions, regret, reward, estimates."""
    catalog, _, _, taste = world(2)
    agents = {
        f"{strategy} {first}": cl.conduel(
            catalog,
            strategy=strategy,
            first=cast(Any, first),
            beta=1.0,
            schedule=cl.Linear(0.3),
        )
        for strategy, first in KINDS
    }
    require_same_run("conduel", cast(Any, agents), people_of(kind, catalog, taste), 250)


def test_it_is_an_agent_with_rounds_of_its_own() -> None:
    catalog, _, _, taste = world(1)
    check_agent(cl.conduel(catalog, beta=1.0), people_of("compares", catalog, taste))


def test_regret_is_that_of_the_mean_of_both() -> None:
    catalog, arms, _, taste = world(1)
    people = cl.LinearUsers([taste], pool_size=12)
    agent = cl.conduel(catalog, schedule=cl.Never())
    place = people.place(catalog, 0, 0, 0, 1)
    happened = agent.play_round(agent.new_user(), people, place)
    values, both = arms @ taste, [happened.arm, *happened.also]
    assert len(both) == 2
    assert happened.reward == pytest.approx(values[both].mean())
    best = values[people.round(place).pool].max()
    assert happened.regret == pytest.approx(best - values[both].mean())


def test_more_is_learned_the_longer_it_goes() -> None:
    catalog, _, _, taste = world(2)
    people = people_of("compares", catalog, taste)
    agent = cl.conduel(catalog, beta=1.0, alpha=0.5)
    regret = cl.simulate({"ConDuel": agent}, people, rounds=600, log=3).metric("ConDuel", "regret")
    early, late = regret[..., 0], regret[..., -1] - regret[..., 1]
    assert late.sum() < 0.5 * early.sum()


# People


def test_duels_have_the_logistic_chance_and_hang_on_place_alone() -> None:
    catalog, arms, _, taste = world(0)
    people = cl.LinearUsers([0.3 * taste], pool_size=5)
    places = [people.place(catalog, 0, 0, 0, t) for t in range(1, 2001)]
    won = [people.duel(place, 2, 3) for place in places]
    assert won == [people.duel(place, 2, 3) for place in reversed(places)][::-1]
    chance = expit((arms[2] - arms[3]) @ (0.3 * taste))
    assert abs(np.mean(cast(Any, won)) - chance) < 4 * np.sqrt(chance * (1 - chance) / 2000)
    for around in (cl.YesNo(people), cl.Refuses(people, 0.5), cl.Compares(people)):
        assert [around.duel(place, 2, 3) for place in places[:50]] == won[:50]


def test_who_compares_by_logistic_noise_compares_arms_by_it_too() -> None:
    """As key-terms are compared: one estimate learns of both."""
    catalog, arms, _, taste = world(0)
    inner = cl.LinearUsers([0.3 * taste], pool_size=5)
    places = [inner.place(catalog, 0, 0, 0, t) for t in range(1, 2001)]
    lead = (arms[2] - arms[3]) @ (0.3 * taste)
    for noise in (0.3, 3.0):
        people = cl.Compares(inner, noise=noise, logistic=True)
        won = [people.duel(place, 2, 3) for place in places]
        chance = expit(lead / noise)
        assert abs(np.mean(cast(Any, won)) - chance) < 4 * np.sqrt(chance * (1 - chance) / 2000)
        assert [cl.YesNo(people).duel(place, 2, 3) for place in places[:50]] == won[:50]
    sure = cl.Compares(inner, noise=0.0, logistic=True)
    assert {sure.duel(place, 2, 3) for place in places[:50]} == {float(lead > 0)}
    assert {sure.duel(place, 0, 1) for place in places[:50]} == {0.0, 1.0}, "twins: by a coin"


def test_people_of_a_log_prefer_what_is_worth_more() -> None:
    catalog = small_catalog(arms=4)
    people = cl.LoggedPeople([[0.2, 0.9, 0.9, np.nan]], pool_size=3, unknown=None)
    places = [people.place(catalog, 0, 0, 0, t) for t in range(1, 41)]
    assert {people.duel(each, 1, 0) for each in places} == {1.0}
    assert {people.duel(each, 0, 1) for each in places} == {0.0}
    assert {people.duel(each, 1, 2) for each in places} == {0.0, 1.0}
    assert {people.duel(each, 0, 3) for each in places} == {None}


def test_words_about_pairs_have_the_logistic_chance() -> None:
    catalog, _, _, taste = world(0)
    people = cl.Compares(cl.LinearUsers([taste], pool_size=5), noise=2.0, logistic=True)
    agent = cl.conduel(catalog, schedule=cl.Every(1))
    question = agent.ask(agent.new_user())
    assert question is not None
    places = [people.place(catalog, 0, 0, 0, t) for t in range(1, 2001)]
    firsts = np.mean([people.answer(each, question, 0) == "first" for each in places])
    chance = expit(question.probe @ taste / 2.0)
    assert abs(firsts - chance) < 4 * np.sqrt(chance * (1 - chance) / 2000)


# Odd input


def test_what_cannot_be_is_refused() -> None:
    catalog = films()
    refused(partial(cl.conduel, catalog, strategy="ucb"), "'ucb'", cl.InvalidInput)
    refused(partial(cl.conduel, catalog, first=cast(Any, "last")), "'last'", cl.InvalidInput)
    refused(partial(cl.conduel, catalog, beta=0.0), "0.0", cl.InvalidInput)
    flat = cl.Catalog([[1.0], [2.0]], [[1.0, 0.0], [0.0, 1.0]])
    refused(partial(cl.conduel, flat, strategy="spanner"), "one direction", cl.InvalidInput)
    agent = cl.conduel(catalog, schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    refused_unchanged(user, lambda: agent.learn(user, 0, 9), "9")
    refused_unchanged(user, lambda: agent.hear(user, question, 1.5), "1.5")
    refused_unchanged(user, lambda: agent.recommend(user, []), "pool")
    loop = {"ConDuel": agent}
    loud = cl.LinearUsers([[9.0, 0.0]], pool_size=3)
    with pytest.raises(cl.InvalidInput, match="YesNo"):
        cl.simulate(cast(Any, loop), loud, rounds=30, progress=False)


def test_one_arm_duels_with_itself_and_teaches_nothing() -> None:
    agent = cl.conduel(films())
    user = agent.new_user()
    assert agent.recommend(user, [2]).arms.tolist() == [2, 2]
    before = user.to_arrays()
    agent.learn(user, 2, 2)
    assert same_state(before, user.to_arrays())


def test_from_plain_values() -> None:
    given = {"recipe": "conduel", "strategy": "spanner", "beta": 2, "first": "best"}
    made = agent_of(given, small_catalog())
    assert made.parameters() == (
        cl.conduel(small_catalog(), strategy="spanner", beta=2.0, first="best").parameters()
    )
