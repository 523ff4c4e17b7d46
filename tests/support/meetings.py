"""Any people met by hand, verb by verb, and the same in a simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import conlinucb as cl

MEASURES = ("regret", "error", "questions", "repeated", "reward", "answered")


@dataclass
class Meeting:
    """One person's rounds under one agent."""

    arms: list[int] = field(default_factory=list)
    asked: list[tuple[int, ...]] = field(default_factory=list)
    heard: list[Any] = field(default_factory=list)
    measures: list[list[float]] = field(default_factory=list)
    user: Any = None


def meet(
    agent: cl.Agent,
    people: cl.People,
    rounds: int,
    *,
    seed: int = 0,
    repeat: int = 0,
    user: int = 0,
) -> Meeting:
    """All rounds by ask, hear, recommend and learn."""
    catalog, found = agent.catalog, Meeting()
    someone = found.user = agent.new_user(seed=people.user_seed(seed, repeat, user))
    lost = gained = 0.0
    for t in range(1, rounds + 1):
        place = people.place(catalog, seed, repeat, user, t)
        pool, offered = people.round(place)
        number = 0
        while (question := agent.ask(someone, pool, offered)) is not None:
            said: Any = people.pick if question.kind == "group" else people.answer
            answer = said(place, question, number)
            agent.hear(someone, question, answer)
            found.asked.append(_traced(agent, question))
            found.heard.append(answer)
            number += 1
        arm = int(agent.recommend(someone, pool).arms[0])
        reward = people.reward(place, arm)
        if reward is not None:
            agent.learn(someone, arm, reward)
        gained += reward or 0.0
        worth = dict(zip(pool.tolist(), people.values(place, pool), strict=True))
        lost += max(worth.values()) - worth[arm]
        found.arms.append(arm)
        taste = people.taste(place)
        away = np.nan if taste is None else float(np.linalg.norm(someone.theta - taste))
        answered = sum(each is not None for each in found.heard)
        again = len(found.asked) - len(set(found.asked))
        found.measures.append([lost, away, len(found.asked), again, gained, answered])
    return found


def _traced(agent: cl.Agent, question: cl.Question) -> tuple[int, ...]:
    """A question as a trace has it."""
    which = question.indices
    if question.kind == "group":
        assert agent.chooser is not None
        return (*which, *[-1] * (agent.chooser.size - len(which)))
    return which if len(which) == 1 else (which[0] * len(agent.catalog.term_ids) + which[1],)


def assert_met_alike(
    agents: dict[str, cl.Agent], people: cl.People, rounds: int, *, users: int | None = None
) -> cl.Results:
    """Whether a simulation is what happens by hand, in every decision and every measure."""
    results = cl.simulate(agents, people, rounds=rounds, seed=4, trace=True, log=rounds)
    for name, agent in agents.items():
        for user in range(len(people) if users is None else users):
            hand = meet(agent, people, rounds, seed=4, user=user)
            arms, asked = results.trace(name, 0, user)
            assert arms.tolist() == hand.arms, (name, user)
            assert asked.tolist() == [each for one in hand.asked for each in one], (name, user)
            found = np.stack([results.metric(name, each)[0, user] for each in MEASURES], axis=1)
            np.testing.assert_allclose(found, hand.measures, rtol=1e-8, atol=1e-8)
    return results
