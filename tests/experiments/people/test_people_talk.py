"""Pools, rounds, questionnaires, favourites."""

from __future__ import annotations

import numpy as np
import pytest

from conlinucb.agent.priors import Gaussian
from conlinucb.agent.recipes import conlinucb
from conlinucb.agent.schedule import Never
from conlinucb.datasets import interactions
from conlinucb.experiments.people.baselines import MostPopular
from conlinucb.experiments.people.contenders import EachRound
from conlinucb.experiments.people.talk import (
    Asked,
    Talk,
    Unasked,
    favourites,
    known_half,
    never_met,
    play,
    pool_of,
)
from conlinucb.experiments.people.task import OWN, POOL, ROUNDS, Log, Person
from conlinucb.numerics.validation import Indices
from support.logged_people import some_log, some_world


class Oracle:
    """Knows the rewards; remembers the pools it was shown."""

    def __init__(self, person: Person, sign: float = 1.0) -> None:
        self.answers = [0.0, 1.0, np.nan]
        self.pools: list[Indices] = []
        self.learned: list[tuple[int, float]] = []
        self._worth, self._sign = dict(zip(*map(list, person.rewarded), strict=True)), sign

    def recommend(self, pool: Indices) -> int:
        self.pools.append(pool)
        return int(max(pool, key=lambda arm: self._sign * self._worth.get(int(arm), 0.0)))

    def learn(self, arm: int, reward: float) -> None:
        self.learned.append((arm, reward))


@pytest.fixture(scope="module", params=[True, False], ids=["implicit", "rated"])
def log(request: pytest.FixtureRequest) -> Log:
    return Log(some_log(request.param))


def test_pools_of_an_implicit_log_mix_own_items_with_others() -> None:
    log = Log(some_log(implicit=True))
    for number in range(10):
        person = log.person(number)
        for t in range(ROUNDS):
            pool = pool_of(log, person, t, set())
            assert len(set(pool)) == pool.size == POOL
            assert np.isin(pool, person.rewarded.items).sum() == OWN
            assert np.isin(pool, log.all_of(number).items).sum() == OWN


def test_pools_of_ratings_are_the_persons_own_and_never_repeat() -> None:
    log = Log(some_log(implicit=False))
    person, gone = log.person(0), {int(log.person(0).rewarded.items[3])}
    for t in range(ROUNDS):
        pool = pool_of(log, person, t, gone)
        assert len(set(pool)) == pool.size == min(POOL, person.rewarded.items.size - len(gone))
        assert set(pool) <= set(person.rewarded.items) - gone
        gone.add(int(pool[0]))


def test_everybody_draws_the_same_pools_in_whatever_order(log: Log) -> None:
    person = log.person(5)
    there = [pool_of(log, person, t, set()) for t in range(ROUNDS)]
    back = [pool_of(log, person, t, set()) for t in reversed(range(ROUNDS))]
    np.testing.assert_array_equal(there, back[::-1])
    if log.data.implicit:
        talks = [Oracle(person, sign) for sign in (1.0, -1.0)]
        for talk in talks:
            play(log, person, lambda _, talk=talk: talk, 0.5)  # type: ignore[misc]
        np.testing.assert_array_equal(talks[0].pools, talks[1].pools)
        np.testing.assert_array_equal(talks[0].pools, there)


def test_rounds_pay_what_the_other_half_says(log: Log) -> None:
    person = log.person(2)
    talk = Oracle(person)
    found = play(log, person, lambda _: talk, 0.5)
    worth = dict(zip(*map(list, person.rewarded), strict=True))
    for t, pool in enumerate(talk.pools):
        values = [worth.get(int(arm), 0.0) for arm in pool]
        assert found.means[t] == pytest.approx(np.mean(values))
        assert found.bests[t] == found.rewards[t] == max(values) == talk.learned[t][1]
    if not log.data.implicit:
        arms = [arm for arm, _ in talk.learned]
        assert len(set(arms)) == ROUNDS
    assert (found.asked, found.answered, found.yes) == (3, 2, 1)


def test_who_has_rated_fewer_than_the_rounds_plays_as_long_as_there_is_something() -> None:
    table = {"person": [0] * 12, "item": [*range(12)], "value": np.arange(12) % 5}
    log = Log(interactions(table, {"item": [*range(12)], "tag": ["x"] * 12}))
    person = log.person(0)
    talk = Oracle(person)
    found = play(log, person, lambda _: talk, 0.5)
    assert len(talk.pools) == 6
    assert not found.rewards[6:].any()
    assert not (found.bests - found.means)[5:].any()


def test_items_never_met_are_all_there_are_where_there_are_few(log: Log) -> None:
    person, random = log.person(1), np.random.default_rng(0)
    others = set(range(len(log.data.item_ids))) - set(log.all_of(1).items)
    assert set(never_met(log, person, random, 1000)) == others
    some = never_met(log, person, random, 5)
    assert len(set(some)) == 5
    assert set(some) <= others


def test_favourites_are_the_best_of_the_half_that_answers(log: Log) -> None:
    person = log.person(4)
    named = favourites(log, person, 3)
    assert (named.values == 1).all()
    best = np.sort(person.asked.values)[::-1][:3]
    given = dict(zip(*map(list, person.asked), strict=True))
    np.testing.assert_array_equal([given[int(each)] for each in named.items], best)


def test_the_ceiling_knows_the_half_that_answers_and_no_more(log: Log) -> None:
    person = log.person(4)
    known = known_half(log, person)
    assert not set(known.items) & set(person.rewarded.items)
    liked = known.items[known.values > 0] if log.data.implicit else known.items
    assert set(liked) == set(person.asked.items)


def test_who_asks_nothing_remembers_what_was_known() -> None:
    world = some_world(implicit=True)
    person = world.log.person(0)
    talk: Talk = Unasked(MostPopular(world.table), known_half(world.log, person))
    pool = np.array([3, 1, 7])
    assert talk.recommend(pool) == pool[np.argmax(world.table.counts[pool])]
    assert talk.answers == []


def test_a_questionnaire_is_filled_in_and_what_is_not_known_teaches_nothing() -> None:
    world = some_world(implicit=False)
    agent = conlinucb(world.catalog, prior=world.population, schedule=Never())
    person, terms = world.log.person(0), agent.questionnaire(4)
    says = np.full(len(world.log.data.term_ids), np.nan)
    says[terms[1]] = 0.9
    talk = Asked(agent, person, says)
    talk.fill_in(terms)
    np.testing.assert_array_equal(talk.answers, says[terms])
    by_hand = agent.new_user(seed=0)
    agent.volunteer(by_hand, terms[1], 0.9)
    np.testing.assert_array_equal(talk._user.theta, by_hand.theta)


def test_questions_are_asked_in_the_first_rounds_and_answered_from_the_person() -> None:
    world = some_world(implicit=True)
    agent = conlinucb(world.catalog, strategy="informative", prior=world.population,
                      schedule=EachRound(3, until=2))  # fmt: skip
    person = world.log.person(0)
    says = world.log.answers(person.asked)
    talk = Asked(agent, person, says)
    found = play(world.log, person, lambda _: talk, world.task.yes)
    assert found.asked == found.answered == 6
    assert set(talk.answers) <= set(says)


def test_an_agent_that_is_told_the_truth_hits_more() -> None:
    """The same agent and people; answers of the other half's own items against none."""
    world = some_world(implicit=True)
    size, d = len(world.log.data.item_ids), world.catalog.d
    agent = conlinucb(world.catalog, schedule=Never(), select="greedy",
                      prior=Gaussian(np.zeros(d), np.eye(d), 0.05))  # fmt: skip
    hits = {True: 0.0, False: 0.0}
    for number in world.log.tested(world.split, 20):
        person = world.log.person(int(number))
        for told in hits:
            talk = Asked(agent, person, np.zeros(len(world.log.data.term_ids)))
            if told:
                liked = np.isin(np.arange(size), person.rewarded.items).astype(float)
                for arm, value in enumerate(liked):
                    talk.learn(arm, value)
            hits[told] += play(world.log, person, lambda _, t=talk: t, 0.1).rewards[:5].sum()  # type: ignore[misc]
    assert hits[True] > 1.3 * hits[False]
