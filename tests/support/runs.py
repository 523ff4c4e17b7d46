"""Runs that several test files share: people, a loop by hand, comparisons, executors."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import conlinucb as cl
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.unit import Played, play_unit
from support.worlds import small_catalog

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

ASKING_ABOUT_TERMS = [name for name, each in cl.STRATEGIES.items() if each.kind == "term"]
WITHOUT_GROUPS = [name for name, each in cl.STRATEGIES.items() if each.kind != "group"]
"""Groups are met by hand in tests of their own: what is said of one is no number."""
MEASURES = ("regret", "error", "questions", "repeated")
METRICS = (*MEASURES, "arm_seconds", "term_seconds", "reward", "answered", "hits", "rewards_asked")


def hears_ctrl_c() -> None:
    """For a child process: a shell's background jobs ignore SIGINT, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Story:
    """What one user lived through, with the measures after every round."""

    arms: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    measures: list[list[float]] = field(default_factory=list)

    def at(self, rounds: Indices) -> Floats:
        """The measures after these rounds, (rounds, 4)."""
        return np.array(self.measures)[rounds - 1]


def by_hand(
    agent: cl.Agent,
    people: cl.LinearUsers,
    rounds: int,
    *,
    seed: int = 0,
    repeat: int = 0,
    user: int = 0,
) -> Story:
    """All rounds of one user through ask, hear, recommend and learn."""
    catalog, taste = agent.catalog, people.thetas[user]
    someone = agent.new_user(seed=people.user_seed(seed, repeat, user))
    story, lost, again = Story(), 0.0, 0
    for t in range(1, rounds + 1):
        chance = people.draw(seed, repeat, user, t, questions=40, catalog=catalog)
        noises = {"term": iter(chance.term_noise), "arm": iter(chance.arm_noise)}
        while (question := agent.ask(someone, chance.pool, chance.offered)) is not None:
            rows = catalog.arms if question.kind == "arm" else catalog.terms
            noise = next(noises["arm" if question.kind == "arm" else "term"])
            liked = [np.sum(rows[each] * taste) for each in question.indices]
            agent.hear(someone, question, liked[0] - sum(liked[1:]) + noise)
            asked = question.index
            if question.others:
                asked = asked * len(catalog.term_ids) + question.others[0]
            again += asked in story.asked
            story.asked.append(asked)
        story.arms.append(int(agent.recommend(someone, chance.pool).arms[0]))
        worth = np.sum(catalog.arms * taste, axis=1)
        agent.learn(someone, story.arms[-1], worth[story.arms[-1]] + chance.noise)
        lost += max(worth[a] for a in chance.pool) - worth[story.arms[-1]]
        away = float(np.sqrt(np.sum((someone.theta - taste) ** 2)))
        story.measures.append([lost, away, float(len(story.asked)), float(again)])
    return story


def measures(results: cl.Results, agent: str, repeat: int, user: int) -> Floats:
    """One user's measures as ``Story.at`` has them."""
    return np.stack([results.metric(agent, name)[repeat, user] for name in MEASURES], axis=1)


def assert_as_by_hand(
    results: cl.Results, agents: dict[str, cl.Agent], people: cl.LinearUsers, seed: int
) -> None:
    """Every trace equals the one by hand, and every measure to 1e-9."""
    for name, agent in agents.items():
        for repeat, user in np.ndindex(results.final_regret(name).shape):
            rounds = int(results.rounds[-1])
            told = by_hand(agent, people, rounds, seed=seed, repeat=repeat, user=user)
            arms, asked = results.trace(name, repeat, user)
            where = f"{name}, repeat {repeat}, user {user}"
            assert arms.tolist() == told.arms, where
            assert asked.tolist() == told.asked, where
            found = measures(results, name, repeat, user)
            np.testing.assert_allclose(
                found, told.at(results.rounds), rtol=1e-9, atol=1e-9, err_msg=where
            )


def same_bits(one: cl.Results, other: cl.Results, *names: str) -> bool:
    """Whether all metrics of these agents (default: of all) are equal in every bit."""
    return np.array_equal(one.rounds, other.rounds) and all(
        np.array_equal(one.metric(agent, name), other.metric(agent, name))
        for agent in names or one.agents
        for name in METRICS
    )


def same_traces(one: cl.Results, other: cl.Results, *names: str) -> bool:
    """Whether all arms and questions of these agents (default: of all) are equal."""
    return all(
        np.array_equal(one.trace(agent, *at)[kind], other.trace(agent, *at)[kind])
        for agent in names or one.agents
        for at in np.ndindex(one.final_regret(agent).shape)
        for kind in (0, 1)
    )


def some_people(users: int = 5, d: int = 3, seed: int = 0, **options: Any) -> cl.LinearUsers:
    """People whose tastes are about as long as 1; pools of 6 unless told otherwise."""
    tastes = np.random.default_rng([seed, 77]).normal(size=(users, d)) / np.sqrt(d)
    return cl.LinearUsers(tastes, **{"pool_size": 6, **options})


def some_agents(catalog: cl.Catalog | None = None) -> dict[str, cl.Agent]:
    """One agent of each recipe on one small catalogue."""
    on = small_catalog() if catalog is None else catalog
    return {
        "LinUCB": cl.linucb(on, beta=1.0, alpha=0.5),
        "Arm-Con": cl.arm_con(on, beta=1.0, alpha=0.5, schedule=cl.Linear(0.5)),
        "ConUCB": cl.conucb(on, alpha=0.25, term_alpha=0.25, schedule=cl.Linear(0.5)),
        "MCR": cl.conlinucb(on, beta=1.0, alpha=0.5, schedule=cl.Linear(0.5)),
    }


class Counting:
    """Plays units one by one, keeps a list of them, and can be stopped after a few."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.played: list[Unit] = []
        self.stop_after = stop_after

    def run(self, job: Job, units: list[Unit]) -> Iterator[tuple[Unit, Played]]:
        for unit in units:
            if len(self.played) == self.stop_after:
                raise KeyboardInterrupt
            self.played.append(unit)
            yield unit, play_unit(job, unit)
