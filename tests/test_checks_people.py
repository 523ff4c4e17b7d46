"""People of the package pass the check; broken ones fail by what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import conlinucb as cl
from conlinucb.checks import check_people
from conlinucb.numerics.validation import Floats, Indices
from support.worlds import small_catalog

CATALOG = small_catalog(arms=30, terms=9, d=4)
TASTES = np.random.default_rng(4).normal(size=(3, 4))
RATED = np.where(np.random.default_rng(6).random((3, 30)) < 0.5, 0.7, np.nan)


def linear(**options: Any) -> cl.LinearUsers:
    return cl.LinearUsers(TASTES, **{"pool_size": 6, **options})


SOUND: dict[str, Callable[[], cl.People]] = {
    "linear": linear,
    "offered": lambda: linear(offered_size=3, shared_noise=True),
    "clicks": lambda: cl.ClickUsers(TASTES, pool_size=6, offered_size=4),
    "clipped": lambda: cl.ClickUsers(TASTES, link="clip", pool_size=30),
    "logged": lambda: cl.LoggedPeople(RATED, pool_size=5),
    "logged, sparse": lambda: cl.LoggedPeople(sparse.csr_array(np.nan_to_num(RATED)), own=2),
    "logged, unknown": lambda: cl.LoggedPeople(RATED, pool_size=9, own=1, unknown=None),
    "yes or no": lambda: cl.YesNo(linear()),
    "all changes of answers": lambda: cl.Refuses(cl.Lies(cl.YesNo(linear()), 0.3), 0.3),
    "drifts": lambda: cl.Drifts(linear(), 10),
    "drift inside": lambda: cl.YesNo(cl.Drifts(cl.Refuses(linear(), 0.2), 10)),
}


@pytest.mark.parametrize("name", SOUND)
def test_people_conform(name: str) -> None:
    check_people(SOUND[name](), CATALOG)


class Sound(cl.People):
    """Of one's own: everyone likes arms by their number."""

    pool_size = 6

    def __len__(self) -> int:
        return 2

    def values(self, place: cl.Place, arms: Indices) -> Floats:
        return arms / 100.0 + place.user

    def reward(self, place: cl.Place, arm: int) -> float | None:
        return float(self.values(place, np.array([arm]))[0])

    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        return None if number else question.index / 9.0


def test_people_of_ones_own_conform() -> None:
    check_people(Sound(), CATALOG)


class Nobody(Sound):
    def __len__(self) -> int:
        return 0


class Changing(Sound):
    """Counts how often it was asked for anything."""

    what = ""

    def __init__(self) -> None:
        self.calls = 0

    def more(self, what: str) -> int:
        self.calls += 1
        return self.calls if what == self.what else 0

    def round(self, place: cl.Place) -> cl.Round:
        return cl.Round(np.arange(6) + self.more("pool") % 9, None)

    def values(self, place: cl.Place, arms: Indices) -> Floats:
        return super().values(place, arms) + 1e-13 * self.more("values")

    def reward(self, place: cl.Place, arm: int) -> float | None:
        return float(arm + self.more("reward"))

    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        return float(self.more("answer"))


class ChangingPool(Changing):
    what = "pool"


class ChangingValues(Changing):
    what = "values"


class ChangingReward(Changing):
    what = "reward"


class ChangingAnswer(Changing):
    what = "answer"


class WithRound(Sound):
    pool: Any = np.arange(6)
    offered: Any = None

    def round(self, place: cl.Place) -> cl.Round:
        return cl.Round(self.pool, self.offered)


class PoolOfFloats(WithRound):
    pool = np.array([0.0, 1.0])


class EmptyPool(WithRound):
    pool = np.empty(0, dtype=np.int64)


class PoolOfTwins(WithRound):
    pool = np.array([3, 3])


class PoolOfStrangers(WithRound):
    pool = np.array([3, 30])


class OfferedDescends(WithRound):
    offered = np.array([4, 2])


class OfferedUnknown(WithRound):
    offered = np.array([2, 9])


class NothingOffered(WithRound):
    offered = np.empty(0, dtype=np.int64)


class ValuesNotFinite(Sound):
    def values(self, place: cl.Place, arms: Indices) -> Floats:
        return np.where(arms == 0, np.nan, 1.0)


class OneValueForAll(Sound):
    def values(self, place: cl.Place, arms: Indices) -> Floats:
        return np.ones(1)


class ValuesByRank(Sound):
    def values(self, place: cl.Place, arms: Indices) -> Floats:
        return np.argsort(np.argsort(arms)).astype(float)


class RewardNotFinite(Sound):
    def reward(self, place: cl.Place, arm: int) -> float | None:
        return float("inf")


class AnswerNotFinite(Sound):
    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        return float("nan")


class TasteOfAnotherSize(Sound):
    def taste(self, place: cl.Place) -> Floats | None:
        return np.ones(3)


class Otherwise(cl.LinearUsers):
    """The compiled form is that of others."""

    def __init__(self, others: cl.LinearUsers | None = None) -> None:
        super().__init__(TASTES, pool_size=6)
        self.others = linear() if others is None else others

    def compiled(self) -> Any:
        return self.others


class CompiledPools(Otherwise):
    def __init__(self) -> None:
        super().__init__(linear(pool_size=5))


class CompiledValues(Otherwise):
    def __init__(self) -> None:
        super().__init__(cl.LinearUsers(TASTES + 1e-6, pool_size=6))


class CompiledRewards(Otherwise):
    def __init__(self) -> None:
        super().__init__(linear(noise=0.2))


class CompiledAnswers(Otherwise):
    def __init__(self) -> None:
        super().__init__(linear(term_noise=0.2))


class CompiledSeeds(Otherwise):
    """Right for one seed only."""

    def compiled(self) -> Any:
        return self

    def meet(self, catalog: cl.Catalog, seed: int, user: int) -> Any:
        known = [self.user_seed(5, 0, each) for each in range(3)]
        return super().meet(catalog, seed if seed in known else seed + 1, user)


BROKEN: list[tuple[type[cl.People], str]] = [
    (Nobody, "at least one person"),
    (ChangingPool, "not a function of the place: the pool"),
    (ChangingValues, "not a function of the place: the values"),
    (ChangingReward, "not a function of the place: the rewards"),
    (ChangingAnswer, "not a function of the place: the answers"),
    (PoolOfFloats, "a pool must be an array of int64"),
    (EmptyPool, "a pool is empty"),
    (PoolOfTwins, "different arms of the catalogue"),
    (PoolOfStrangers, "different arms of the catalogue"),
    (OfferedDescends, "offered must ascend"),
    (OfferedUnknown, "offered must hold key-terms"),
    (NothingOffered, "offered must hold key-terms"),
    (ValuesNotFinite, "one finite number for each arm"),
    (OneValueForAll, "one finite number for each arm"),
    (ValuesByRank, "depend on the arms beside them"),
    (RewardNotFinite, "a reward must be a finite number or None"),
    (AnswerNotFinite, "an? answer must be a finite number or None"),
    (TasteOfAnotherSize, "a taste must be"),
    (CompiledPools, "the compiled pool of round 1"),
    (CompiledValues, "the compiled values of round 1"),
    (CompiledRewards, "the compiled rewards of round 1"),
    (CompiledAnswers, "the compiled answers of round 1"),
    (CompiledSeeds, "compiled and by hand are not the same"),
]


@pytest.mark.parametrize(("broken", "sentence"), BROKEN)
def test_broken_people_fail_the_check(broken: Callable[[], cl.People], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_people(broken(), CATALOG)


def test_people_of_another_catalogue_are_refused() -> None:
    with pytest.raises(cl.InvalidInput, match="features"):
        check_people(linear(), small_catalog(d=3))
