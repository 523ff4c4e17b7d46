"""Whether people can be relied on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from conlinucb.agent.question import PICKS, Kind, Pick, Question, question_about
from conlinucb.agent.recipes import arm_con, conlinucb
from conlinucb.agent.relative import Said
from conlinucb.agent.schedule import Linear
from conlinucb.catalog.catalog import Catalog
from conlinucb.checks.common import require, require_same_run
from conlinucb.people import People, Place, Round, compiled_people
from conlinucb.people.compiled import (
    Met,
    Rounds,
    answer_noise,
    changed,
    coded,
    pair_answer,
    plain_answer,
    rewarded,
)
from conlinucb.people.picking import opinion_noise, pick_into

EXACT: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-12, "equal_nan": True}
SEED = 5


def check_people(people: People, catalog: Catalog, *, rounds: int = 15) -> None:
    """Check people on a catalogue that they can meet.

    Everything is a function of the place: asked again, in any order, they give the same round,
    answer, reward and values. A pool is not empty and holds different arms of the catalogue,
    offered terms ascend. Values are finite and each arm's own, answers and rewards finite or None.
    The compiled form, where there is one, gives the same rounds, values, rewards and answers, and a
    run is the same by hand and compiled.
    """
    name = type(people).__name__
    require(len(people) > 0, f"{name}: there must be at least one person.")
    people.check(catalog)
    users = range(min(len(people), 3))
    places = [
        people.place(catalog, SEED, 0, user, t) for user in users for t in range(1, rounds + 1)
    ]
    told = {place[1:]: _all_of(name, people, place) for place in places}
    for place in reversed(places):
        for what, first, again in _pairs(told[place[1:]], _all_of(name, people, place)):
            require(
                np.array_equal(first, again, equal_nan=True),
                f"{name}: not a function of the place: the {what} of round {place.round} was "
                f"{first}, and asked again {again}.",
            )
    _check_compiled(name, people, places, told)
    agents = {
        "questions": conlinucb(catalog, strategy="random", schedule=Linear(1)),
        "arms": arm_con(catalog, schedule=Linear(0.5)),
    }
    require_same_run(name, agents, people, rounds)


def _pairs(one: dict[str, Any], other: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    return ((what, one[what], other[what]) for what in one)


def _all_of(name: str, people: People, place: Place) -> dict[str, Any]:
    """Everything of one round, checked, as arrays; None is NaN."""
    round_ = people.round(place)
    _check_round(name, round_, place.catalog)
    values = _values(name, people, place, round_)
    taste = people.taste(place)
    if taste is not None:
        fits = np.shape(taste) == (place.catalog.d,) and np.isfinite(taste).all()
        require(fits, f"{name}: a taste must be ({place.catalog.d},) finite numbers, got {taste}.")
    rewards = [people.reward(place, int(arm)) for arm in round_.pool]
    answers = [
        people.answer(place, question, number)
        for question in questions_of(place.catalog, round_)
        for number in (0, 1)
    ]
    return {
        "pool": round_.pool,
        "offered terms": np.empty(0) if round_.offered is None else round_.offered,
        "values": np.nan_to_num(values),
        "taste": np.empty(0) if taste is None else taste,
        "rewards": _numbers(name, "reward", rewards),
        "answers": _numbers(name, "answer", answers),
        "picks": _picks(name, people, place, round_),
    }


def questions_of(catalog: Catalog, round_: Round) -> list[Question]:
    """Some questions of each kind that may be asked in a round."""
    terms = catalog._live_terms if round_.offered is None else round_.offered
    about: list[tuple[Kind, tuple[int, ...]]] = [("term", (int(k),)) for k in terms[:5]]
    about += [("arm", (int(arm),)) for arm in round_.pool[:3]]
    if terms.size > 1:
        about.append(("pair", (int(terms[0]), int(terms[-1]))))
    return [question_about(catalog, kind, which, 1, 1) for kind, which in about]


def groups_of(catalog: Catalog, round_: Round) -> list[Question]:
    """Groups that may be asked about in a round: pick any of these, and the best."""
    terms = catalog._live_terms if round_.offered is None else round_.offered
    which = tuple(int(k) for k in terms[:4])
    picks: tuple[Pick, ...] = PICKS if len(which) > 1 else ()
    return [question_about(catalog, "group", which, 1, 1, each) for each in picks]


def _picks(name: str, people: People, place: Place, round_: Round) -> Any:
    """What is picked of each group, (m, 3 + n): 0, or 1 and what no and yes are, then the marks."""
    rows = []
    for question in groups_of(place.catalog, round_):
        for number in (0, 1):
            said = people.pick(place, question, number)
            known = said is None or set(said.which) <= set(question.indices)
            require(known, f"{name}: of {question.indices} these were picked: {said}.")
            few = said is None or question.pick == "any" or len(said.which) < 2
            require(few, f"{name}: one at most is the best of a group, got {said}.")
            marks = [said is not None and k in said.which for k in question.indices]
            rows.append([0, 0, 0, *marks] if said is None else [1, said.no, said.yes, *marks])
    return np.array(rows, dtype=np.float64)


def _check_round(name: str, round_: Round, catalog: Catalog) -> None:
    pool, offered = round_
    whole = isinstance(pool, np.ndarray) and pool.dtype == np.int64 and pool.ndim == 1
    require(whole, f"{name}: a pool must be an array of int64, got {pool!r}.")
    require(pool.size, f"{name}: a pool is empty.")
    known = np.isin(pool, catalog._live_arms).all() and np.unique(pool).size == pool.size
    require(known, f"{name}: a pool must hold different arms of the catalogue, got {pool}.")
    if offered is not None:
        known = np.isin(offered, catalog._live_terms).all()
        require(
            offered.size and known,
            f"{name}: offered must hold key-terms of the catalogue, got {offered}.",
        )
        require((np.diff(offered) > 0).all(), f"{name}: offered must ascend, got {offered}.")


def _values(name: str, people: People, place: Place, round_: Round) -> Any:
    values = people.values(place, round_.pool)
    fits = np.shape(values) == round_.pool.shape and np.isfinite(values).all()
    require(fits, f"{name}: values must be one finite number for each arm, got {values}.")
    alone = np.array([people.values(place, np.array([arm]))[0] for arm in round_.pool])
    same = np.allclose(values, alone, **EXACT)
    require(same, f"{name}: the values of arms depend on the arms beside them.")
    return values


def _numbers(name: str, what: str, given: Sequence[Said | None]) -> Any:
    """As the loop has them: words about pairs are numbers there, and None is NaN."""
    found = []
    for each in given:
        value = coded(each)
        known = not isinstance(value, str) and np.ndim(value) == 0
        fits = each is None or (known and np.isfinite(value))
        require(fits, f"{name}: a {what} must be a finite number or None, got {each!r}.")
        found.append(value)
    return np.array(found, dtype=np.float64)


def _check_compiled(
    name: str, people: People, places: list[Place], told: dict[Any, dict[str, Any]]
) -> None:
    compiled = compiled_people(people)
    for user in sorted({place.user for place in places}) if compiled else ():
        assert compiled is not None
        mine = [place for place in places if place.user == user]
        met = compiled.meet(mine[0].catalog, mine[0].seed, user)
        block = met.rounds(1, len(mine))
        for b, place in enumerate(mine):
            found = _in_loop(met, block, b, place, people.round(place))
            for what, one, other in _pairs(found, told[place[1:]]):
                require(
                    np.shape(one) == np.shape(other) and np.allclose(one, other, **EXACT),
                    f"{name}: the compiled {what} of round {place.round} are {one}, by hand they "
                    f"are {other}.",
                )


def _in_loop(met: Met, block: Rounds, b: int, place: Place, round_: Round) -> dict[str, Any]:
    """What the loop makes of one round of a block."""
    here = slice(block.start[b], block.start[b + 1])
    offered = block.offered[min(b, len(block.offered) - 1)]
    pool = block.pool[here]
    values = met.voice.worth[pool]
    rewards = [rewarded(met.voice.clicks, float(each), block.chance[b]) for each in values]
    worth = dict(zip(pool.tolist(), values, strict=True))
    answers = [
        _said(met, place.round, question, number, worth)
        for question in questions_of(place.catalog, round_)
        for number in (0, 1)
    ]
    return {
        "pool": pool,
        "offered terms": np.empty(0) if round_.offered is None else offered,
        "values": np.nan_to_num(values),
        "taste": met.voice.theta if met.voice.has_theta else np.empty(0),
        "rewards": np.where(np.isnan(values), np.nan, rewards),
        "answers": np.array(answers),
        "picks": _picked(met, place, round_),
    }


def _picked(met: Met, place: Place, round_: Round) -> Any:
    """The same as the loop has it."""
    voice, rows = met.voice, []
    for question in groups_of(place.catalog, round_):
        for number in (0, 1):
            opinions = voice.table[list(question.indices)].copy()
            for i in range(opinions.size):
                opinions[i] += opinion_noise(voice, place.round, number, i)
            marks, best = np.zeros(opinions.size, dtype=np.uint8), int(question.pick == "best")
            said = pick_into(voice, best, place.round, number, opinions, marks)
            rows.append([*(said if said[0] else (0, 0, 0)), *marks])
    return np.array(rows, dtype=np.float64)


def _said(met: Met, t: int, question: Question, number: int, worth: dict[int, Any]) -> float:
    """An answer as the loop makes it, NaN for none."""
    voice, about_arm = met.voice, int(question.kind == "arm")
    if question.kind == "pair":
        first, second = question.indices
        return pair_answer(voice, first, second, t, number)
    index = question.index
    plain = float(worth.get(index, np.nan)) if about_arm else plain_answer(voice, index)
    return changed(voice, 0, t, number, plain + answer_noise(voice, about_arm, t, number))
