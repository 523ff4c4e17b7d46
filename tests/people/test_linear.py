"""What chance brings a round: a pure function of seed, repeat, user and round."""

from __future__ import annotations

import itertools
import math
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from support.runs import some_people
from support.worlds import refused, small_catalog

CATALOG = small_catalog(arms=12, terms=6)
TASTES = [[1.0, 0.0, 0.5], [0.2, -1.0, 0.0]]
PLACES = list(itertools.product((0, 5), (0, 1), (0, 1), (1, 2, 30)))


def people_of(**options: Any) -> cl.LinearUsers:
    return cl.LinearUsers(TASTES, **{"pool_size": 5, "offered_size": 3, **options})


def drawn(people: cl.LinearUsers, *at: int, catalog: cl.Catalog = CATALOG) -> cl.Draw:
    return people.draw(*at, questions=4, catalog=catalog)


def plain(draw: cl.Draw) -> list[Any]:
    return [each if isinstance(each, float) else np.asarray(each).tolist() for each in draw]


def thinned() -> cl.Catalog:
    """Twelve arms of which five are removed; key-term 5 has lost all of its arms."""
    weights = np.ones((12, 6))
    weights[2:, 5] = 0.0
    arms = np.random.default_rng(3).normal(size=(12, 3))
    return cl.Catalog(arms, weights).remove_arms([0, 1, 4, 7, 11])


# One place, one draw


@pytest.mark.parametrize("shared", [False, True])
def test_a_draw_depends_on_its_place_alone(shared: bool) -> None:
    people = people_of(shared_noise=shared)
    forwards = {at: plain(drawn(people, *at)) for at in PLACES}
    backwards = {at: plain(drawn(people, *at)) for at in reversed(PLACES)}
    anew = {at: plain(drawn(people_of(shared_noise=shared), *at)) for at in PLACES}
    assert forwards == backwards == anew


@pytest.mark.parametrize("argument", range(4))
def test_a_draw_differs_with_each_argument(argument: int) -> None:
    people = people_of(offered_size=4)
    here, other = [2, 3, 1, 8], [2, 3, 1, 8]
    other[argument] += 1
    a, b = drawn(people, *here), drawn(people, *other)
    assert a.noise != b.noise
    assert not np.isin(a.term_noise, b.term_noise).any()
    assert not np.isin(a.arm_noise, b.arm_noise).any()
    many = [[drawn(people, *at[:3], at[3] + 10 * i) for i in range(9)] for at in (here, other)]
    for name in ("pool", "offered"):
        assert any(
            not np.array_equal(getattr(one, name), getattr(two, name))
            for one, two in zip(*many, strict=True)
        )


def test_repeat_user_and_round_are_not_interchangeable() -> None:
    noises = [drawn(people_of(), *at).noise for at in itertools.product(range(1, 4), repeat=4)]
    assert len(set(noises)) == 3**4


def test_the_taste_and_the_number_of_people_do_not_change_a_draw() -> None:
    alone = cl.LinearUsers([[9.0, 9.0, 9.0]], pool_size=5, offered_size=3)
    assert plain(drawn(alone, 0, 0, 1, 4)) == plain(drawn(people_of(), 0, 0, 1, 4))


def test_more_questions_leave_the_first_noises_as_they_are() -> None:
    for shared in (False, True):
        people = people_of(shared_noise=shared)
        few = people.draw(0, 0, 0, 1, questions=2, catalog=CATALOG)
        many = drawn(people, 0, 0, 0, 1)
        assert np.array_equal(few.term_noise, many.term_noise[:2])
        assert np.array_equal(few.arm_noise, many.arm_noise[:2])


def test_a_user_s_seed_names_seed_repeat_and_user() -> None:
    people = people_of()
    seeds = [people.user_seed(*at) for at in itertools.product(range(4), repeat=3)]
    assert len(set(seeds)) == 4**3
    assert people.user_seed(-1, 0, 0) == people.user_seed(2**64 - 1, 0, 0)


def test_a_run_leaves_people_as_they_are() -> None:
    people = people_of()
    before = pickle.dumps(people)
    cl.simulate({"LinUCB": cl.linucb(CATALOG)}, people, rounds=1)
    assert pickle.dumps(people) == before


# Pools and offered terms


@pytest.mark.parametrize("size", [1, 2, 6, 7, 11, 12])
def test_a_pool_holds_distinct_arms(size: int) -> None:
    people = people_of(pool_size=size)
    for t in range(1, 60):
        pool = drawn(people, 0, 0, 0, t).pool
        assert pool.size == len(set(pool.tolist())) == size
        assert set(pool.tolist()) <= set(range(12))
    if size == 12:
        assert sorted(pool.tolist()) == list(range(12))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6])
def test_offered_terms_are_distinct_and_ascend(size: int) -> None:
    people = people_of(offered_size=size)
    for t in range(1, 60):
        offered = drawn(people, 0, 0, 0, t).offered
        assert offered is not None
        assert offered.size == size
        assert (np.diff(offered) > 0).all()
        assert set(offered.tolist()) <= set(range(6))


def test_all_terms_are_offered_unless_told_otherwise() -> None:
    assert drawn(people_of(offered_size=None), 0, 0, 0, 1).offered is None


@pytest.mark.parametrize(("pool", "offered"), [(2, 2), (3, 2), (6, 4), (7, 5)])
def test_what_is_removed_is_never_drawn(pool: int, offered: int) -> None:
    people = people_of(pool_size=pool, offered_size=offered)
    draws = [drawn(people, 0, 0, 0, t, catalog=thinned()) for t in range(1, 120)]
    assert {int(a) for each in draws for a in each.pool} == {2, 3, 5, 6, 8, 9, 10}
    terms = [each.offered for each in draws if each.offered is not None]
    assert {int(k) for each in terms for k in each} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("size", [2, 3])
def test_every_ordered_pool_is_equally_likely(size: int) -> None:
    """Of five arms: two by drawing again on a clash, three by a shuffle."""
    catalog = cl.Catalog(np.eye(5), np.ones((5, 1)))
    people = cl.LinearUsers(np.ones((1, 5)), pool_size=size)
    counts = Counter(
        tuple(people.draw(1, 0, 0, t, catalog=catalog).pool.tolist()) for t in range(1, 4001)
    )
    choices = list(itertools.permutations(range(5), size))
    assert set(counts) == set(choices)
    assert stats.chisquare([counts[each] for each in choices]).pvalue > 0.001


@pytest.mark.parametrize("size", [3, 9])
def test_every_arm_and_term_is_equally_likely(size: int) -> None:
    """Members of one pool exclude one another, so the variance is below a multinomial's."""
    catalog = small_catalog(arms=12, terms=12)
    people = people_of(pool_size=size, offered_size=size)
    draws = [people.draw(3, 0, user, t, catalog=catalog) for user in (0, 1) for t in range(1, 1001)]
    for name in ("pool", "offered"):
        counts = np.bincount(np.concatenate([getattr(each, name) for each in draws]), minlength=12)
        spread = np.sqrt(len(draws) * (size / 12) * (1 - size / 12))
        squared = np.sum(((counts - counts.mean()) / spread) ** 2) * 11 / 12
        assert 0.001 < stats.chi2.sf(squared, 11) < 0.9999


# Noises


def noises(**options: Any) -> tuple[Any, Any, Any]:
    people = people_of(noise=0.3, term_noise=0.7, **options)
    draws = [drawn(people, 0, repeat, 0, t) for repeat in range(4) for t in range(1, 501)]
    rewards = np.array([each.noise for each in draws])
    terms, arms = (np.array([getattr(each, f"{name}_noise") for each in draws]) for name in
                   ("term", "arm"))  # fmt: skip
    return rewards, terms, arms


def assert_normal(sample: Any, deviation: float) -> None:
    assert stats.kstest(sample / deviation, "norm").pvalue > 0.001
    assert np.std(sample) == pytest.approx(deviation, rel=0.06)


def test_noises_are_normal_and_independent() -> None:
    rewards, terms, arms = noises()
    columns = np.column_stack([rewards, terms, arms])
    for column, deviation in zip(columns.T, [0.3] + [0.7] * 4 + [0.3] * 4, strict=True):
        assert_normal(column, deviation)
    correlations = np.corrcoef(columns.T) - np.eye(9)
    assert np.abs(correlations).max() < 4.5 / math.sqrt(len(rewards))


def test_noises_of_users_rounds_and_repeats_are_independent() -> None:
    people = people_of(noise=1.0)
    table = np.array(
        [
            [drawn(people, 0, *at, t).noise for t in range(1, 1002)]
            for at in [(0, 0), (0, 1), (1, 0)]
        ]
    )
    rows = np.vstack([table[:, 1:], table[:, :-1]])
    assert np.abs(np.corrcoef(rows) - np.eye(6)).max() < 4.5 / math.sqrt(1000)


def test_shared_noise_serves_every_question_of_a_round() -> None:
    rewards, terms, arms = noises(shared_noise=True)
    assert (terms == terms[:, :1]).all()
    assert (arms == rewards[:, None]).all()
    assert_normal(rewards, 0.3)
    assert_normal(terms[:, 0], 0.7)
    assert abs(np.corrcoef(rewards, terms[:, 0])[0, 1]) < 4.5 / math.sqrt(len(rewards))


def test_sharing_the_noise_changes_neither_rewards_nor_first_answers() -> None:
    apart, shared = drawn(people_of(), 0, 0, 0, 1), drawn(people_of(shared_noise=True), 0, 0, 0, 1)
    assert apart.noise == shared.noise
    assert apart.term_noise[0] == shared.term_noise[0]
    assert apart.pool.tolist() == shared.pool.tolist()


def test_people_without_noise_say_what_they_think() -> None:
    draw = drawn(people_of(noise=0, term_noise=0), 0, 0, 0, 1)
    assert draw.noise == 0
    assert not draw.term_noise.any()
    assert not draw.arm_noise.any()


# Refused

BAD_PEOPLE: list[tuple[Callable[[], Any], str]] = [
    (lambda: cl.LinearUsers(np.empty((0, 3))), "thetas"),
    (lambda: cl.LinearUsers([]), "thetas"),
    (lambda: cl.LinearUsers([1.0, 2.0]), "thetas"),
    (lambda: cl.LinearUsers([[1.0, math.nan]]), "thetas[0, 1] is nan"),
    (lambda: cl.LinearUsers([[math.inf, 1.0]]), "thetas[0, 0] is inf"),
    (lambda: cl.LinearUsers([["a", "b"]]), "thetas"),
    (lambda: people_of(noise=-0.1), "noise must be a finite number from 0.0"),
    (lambda: people_of(noise=math.nan), "nan"),
    (lambda: people_of(term_noise=-1), "term_noise"),
    (lambda: people_of(term_noise="loud"), "'loud'"),
    (lambda: people_of(pool_size=0), "pool_size"),
    (lambda: people_of(pool_size=2.5), "2.5"),
    (lambda: people_of(offered_size=0), "offered_size"),
    (lambda: people_of(offered_size=True), "True"),
]


@pytest.mark.parametrize(("make", "message"), BAD_PEOPLE)
def test_bad_people_are_refused(make: Callable[[], Any], message: str) -> None:
    refused(make, message, cl.InvalidInput)


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (some_people(d=4), "thetas have 4 features, the catalogue has 3"),
        (some_people(pool_size=13), "pool_size is 13, but the catalogue has only 12 arms"),
        (some_people(offered_size=7), "offered_size is 7, but the catalogue has only 6 key-terms"),
    ],
)
def test_people_must_fit_the_catalogue(people: cl.LinearUsers, message: str) -> None:
    agents = {"LinUCB": cl.linucb(CATALOG)}
    refused(lambda: people.draw(0, 0, 0, 1, catalog=CATALOG), message, cl.InvalidInput)
    refused(lambda: cl.simulate(agents, people, rounds=1), message, cl.InvalidInput)


def test_removed_arms_and_terms_do_not_count() -> None:
    refused(lambda: drawn(people_of(pool_size=8), 0, 0, 0, 1, catalog=thinned()), "only 7 arms")
    full = people_of(offered_size=6)
    refused(lambda: drawn(full, 0, 0, 0, 1, catalog=thinned()), "only 5 key-terms")


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ((0.5, 0, 0, 1), "seed must be an integer, got 0.5"),
        ((0, -1, 0, 1), "repeat"),
        ((0, 0, -1, 1), "user"),
        ((0, 0, 0, 0), "round must be a whole number of at least 1, got 0"),
    ],
)
def test_a_bad_place_is_refused(at: Any, message: str) -> None:
    refused(lambda: drawn(people_of(), *at), message, cl.InvalidInput)


def test_people_are_shown_by_their_parameters() -> None:
    expected = {
        "users": 2,
        "noise": 0.1,
        "term_noise": 0.1,
        "pool_size": 5,
        "offered_size": 3,
        "shared_noise": False,
    }
    assert people_of().parameters() == expected
    assert "offered_size=3" in repr(people_of())
