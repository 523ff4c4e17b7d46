"""Agents pass the check, by the four verbs and with rounds of their own; broken ones fail by what
is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.checks import check_agent
from conlinucb.people.compiled import Rounds, Voice, answer_noise, changed, rewarded
from conlinucb.simulation.loop.inputs import METRICS, Output
from support.worlds import small_catalog

CATALOG = small_catalog(arms=30, terms=9, d=4)
PEOPLE = cl.LinearUsers(np.random.default_rng(4).normal(size=(3, 4)), pool_size=6)
EVERY = 4


class Person:
    def __init__(self, arms: int, d: int) -> None:
        self.total, self.times, self.theta = np.zeros(arms), np.zeros(arms), np.zeros(d)
        self.asked = 0

    def best(self, pool: Any, hope: float) -> int:
        means = self.total[pool] / np.maximum(self.times[pool], 1)
        return int(pool[np.argmax(np.where(self.times[pool] > 0, means, hope))])

    def learn(self, arm: int, reward: float) -> None:
        self.total[arm] += reward
        self.times[arm] += 1

    def hear(self, answer: float) -> None:
        self.asked += 1
        self.theta[0] += answer

    def to_arrays(self) -> dict[str, Any]:
        return {**vars(self), "asked": np.array(self.asked)}


class BestSoFar:
    """The best mean so far; a question in every fourth round, from which nothing follows."""

    def __init__(self, catalog: cl.Catalog, hope: float = 1.0) -> None:
        self.catalog, self.hope = catalog, hope

    def parameters(self) -> dict[str, Any]:
        return {"hope": self.hope}

    def new_user(self, seed: int = 0) -> Person:
        return Person(len(self.catalog), self.catalog.d)

    def load_user(self, arrays: dict[str, Any]) -> Person:
        person = self.new_user()
        vars(person).update({**arrays, "asked": int(arrays["asked"])})
        return person

    def play_round(self, user: Person, people: cl.People, place: cl.Place) -> cl.Happened:
        pool, asked = people.round(place).pool, []
        if place.round % EVERY == 0:
            term = place.round % 9
            question = question_about(self.catalog, "term", (term,), user.asked + 1, place.round)
            answer = people.answer(place, question, 0)
            user.hear(answer or 0.0)
            asked.append((question, answer))
        arm = user.best(pool, self.hope)
        reward = people.reward(place, arm)
        if reward is not None:
            user.learn(arm, reward)
        values = people.values(place, pool)
        regret = float(values.max() - people.values(place, np.array([arm]))[0])
        return cl.Happened(tuple(asked), arm, reward, regret, (0.0, 0.0))

    def check(self, people: cl.People, rounds: int) -> None:
        if rounds > 1000:
            raise cl.InvalidInput(f"rounds must be at most 1000, got {rounds}.")

    def most_questions(self, rounds: int) -> int:
        return rounds // EVERY

    def compiled_rounds(self, rounds: int, *, lazy: bool, timed: bool) -> Any:
        return lambda output: InArrays(self, output)


class InArrays:
    """The same from a block of rounds."""

    def __init__(self, agent: BestSoFar, output: Output) -> None:
        self.agent, self.output, self.user = agent, output, agent.new_user()
        self.sums, self.row, self.terms = dict.fromkeys(METRICS, 0.0), 0, set[int]()

    def play(self, block: Rounds, voice: Voice, start: int) -> None:
        for b in range(block.best.size):
            self._round(block, voice, b, start + b + 1)

    def _round(self, block: Rounds, voice: Voice, b: int, t: int) -> None:
        sums, output, user = self.sums, self.output, self.user
        if t % EVERY == 0:
            term = t % 9
            answer = voice.table[term] + answer_noise(voice, 0, t, 0)
            user.hear(changed(voice, 0, t, 0, answer))
            if output.asked.size:
                output.asked[user.asked - 1] = term
            sums["questions"] += 1
            sums["answered"] += 1
            sums["repeated"] += term in self.terms
            self.terms.add(term)
        arm = user.best(block.pool[block.start[b] : block.start[b + 1]], self.agent.hope)
        reward = rewarded(voice.clicks, voice.worth[arm], block.chance[b])
        user.learn(arm, reward)
        sums["regret"] += block.best[b] - voice.worth[arm]
        sums["reward"] += reward
        sums["hits"] += reward >= output.hit
        sums["rewards_asked"] += 1
        sums["error"] = float(np.linalg.norm(user.theta - voice.theta))
        if output.arms.size:
            output.arms[t - 1] = arm
        if output.logged[self.row] == t:
            output.metrics[self.row] = list(sums.values())
            self.row = min(self.row + 1, output.logged.size - 1)


SOUND: dict[str, Callable[[], Any]] = {
    "four verbs": lambda: cl.conlinucb(CATALOG),
    "own": lambda: BestSoFar(CATALOG),
}


@pytest.mark.parametrize("name", SOUND)
def test_agents_conform(name: str) -> None:
    check_agent(SOUND[name](), PEOPLE)
    check_agent(SOUND[name]())


class Unplain(BestSoFar):
    def parameters(self) -> dict[str, Any]:
        return {"catalog": self.catalog}


class Sharing(BestSoFar):
    """One person's rewards are everybody's."""

    def __init__(self, catalog: cl.Catalog) -> None:
        super().__init__(catalog)
        self.one = Person(len(catalog), catalog.d)

    def new_user(self, seed: int = 0) -> Person:
        return self.one


class Stray(BestSoFar):
    def play_round(self, user: Person, people: cl.People, place: cl.Place) -> cl.Happened:
        happened = super().play_round(user, people, place)
        return cl.Happened((), (happened.arm + 1) % 30, happened.reward, 0.0, (0.0, 0.0))


class Silent(BestSoFar):
    def most_questions(self, rounds: int) -> int:
        return 1 if rounds < 5 else rounds // EVERY - 1


class Otherwise(BestSoFar):
    def compiled_rounds(self, rounds: int, *, lazy: bool, timed: bool) -> Any:
        return lambda output: InArrays(BestSoFar(self.catalog, hope=0.0), output)


class Forgets(BestSoFar):
    def load_user(self, arrays: dict[str, Any]) -> Person:
        return self.new_user()


class Writes(BestSoFar):
    def check(self, people: cl.People, rounds: int) -> None:
        arms = self.catalog._arms
        arms.setflags(write=True)
        arms[0, 0] += 1.0


BROKEN: dict[str, tuple[Callable[[], Any], str]] = {
    "no agent": (lambda: CATALOG, "is no agent: it must have a catalog"),
    "a class": (lambda: BestSoFar, "is no agent"),
    "unplain": (lambda: Unplain(CATALOG), "not what JSON can hold"),
    "sharing": (lambda: Sharing(CATALOG), "or on other users"),
    "stray": (lambda: Stray(CATALOG), "not in the pool"),
    "silent": (lambda: Silent(CATALOG), "most_questions says"),
    "otherwise": (lambda: Otherwise(CATALOG), "compiled and by hand are not the same"),
    "forgets": (lambda: Forgets(CATALOG), "saved and loaded goes on in another way"),
    "writes": (lambda: Writes(small_catalog(arms=30, terms=9, d=4)), "changed its catalogue"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_agents_fail(name: str) -> None:
    made, told = BROKEN[name]
    with pytest.raises(AssertionError, match=told):
        check_agent(made(), PEOPLE)


def test_simulate_stores_and_tunes_it_like_any_other(tmp_path: Path) -> None:
    agents: dict[str, cl.Agent | cl.OwnRounds]
    agents = {"own": BestSoFar(CATALOG), "LinUCB": cl.linucb(CATALOG)}
    options: dict[str, Any] = {"rounds": 40, "repeats": 2, "progress": False, "trace": True}
    first = cl.simulate(agents, PEOPLE, store=tmp_path, shard=1, **options)
    again = cl.simulate(agents, PEOPLE, store=tmp_path, **options)
    fresh = cl.simulate(agents, PEOPLE, threads=1, **options)
    for other in (again, fresh):
        assert (first.metric("own", "regret") == other.metric("own", "regret")).all()
    assert first.spec["agents"]["own"]["hope"] == 1.0
    changed = {**agents, "own": BestSoFar(CATALOG, hope=0.5)}
    with pytest.raises(cl.IncompatibleState, match="hope"):
        cl.simulate(changed, PEOPLE, store=tmp_path, **options)
    space = cl.Space(BestSoFar, CATALOG, hope=cl.Uniform(-1.0, 2.0))
    tuned = cl.tune({"own": space}, PEOPLE, rounds=30, budget=4, progress=False)
    assert -1.0 <= tuned.best["own"]["hope"] <= 2.0


def test_what_it_refuses_is_refused_before_any_work() -> None:
    with pytest.raises(cl.InvalidInput, match="at most 1000, got 1001"):
        cl.simulate({"own": BestSoFar(CATALOG)}, PEOPLE, rounds=1001)
    with pytest.raises(cl.InvalidInput, match=r"agents must map names to agents.*play_round"):
        cl.simulate({"own": Person(3, 4)}, PEOPLE, rounds=10)  # type: ignore[dict-item]
