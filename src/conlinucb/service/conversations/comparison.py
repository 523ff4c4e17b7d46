"""One simulated person met by several agents, step by step: what the page's comparison shows.

The only part of the service that simulates anyone; nothing of it reaches the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.spec import agent_of
from conlinucb.agent.strategies import STRATEGIES
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.svd import unit_rows
from conlinucb.numerics.validation import Floats
from conlinucb.people import LinearUsers, play_round
from conlinucb.service.schemas import (
    ComparisonAnswer,
    ComparisonBody,
    ComparisonOut,
    ComparisonRound,
    ComparisonRun,
)

POOL = 50
MOST_TERMS, MOST_FEATURES = 2_000, 301
"""Larger catalogues are compared with ``conlinucb simulate``, not while a page waits."""
_SAME = {"beta": 0.15, "alpha": 0.1}
"""Alike for all that estimate alike, so that they differ in what they ask and in nothing else."""
AGENTS: dict[str, dict[str, Any]] = {
    **{name: {"recipe": "conlinucb", "strategy": name, **_SAME} for name in STRATEGIES},
    "linucb": {"recipe": "linucb", **_SAME},
    "arm_con": {"recipe": "arm_con", **_SAME},
    "conucb": {"recipe": "conucb"},
}
"""What can be compared: ConLinUCB with every strategy, and the baselines."""
SCHEDULES: dict[str, dict[str, Any]] = {
    "logarithmic": {"name": "logarithmic", "f": 5},
    "linear": {"name": "linear", "b": 1},
    "every": {"name": "every", "n": 5},
    "never": {"name": "never"},
}


def compare(catalog: Catalog, order: ComparisonBody) -> ComparisonOut:
    """The same person, rounds and noises for each agent."""
    if len(catalog.term_ids) > MOST_TERMS or catalog.d > MOST_FEATURES:
        raise InvalidInput(
            f"The comparison takes catalogues of at most {MOST_TERMS} key-terms and "
            f"{MOST_FEATURES} features; this one has {len(catalog.term_ids)} and {catalog.d}."
        )
    people = _people(catalog, order)
    runs = [
        ComparisonRun(agent=name, rounds=list(_rounds(_agent(name, order, catalog), people, order)))
        for name in order.agents
    ]
    return ComparisonOut(likes=_likes(catalog, people.thetas[0]), runs=runs)


def _agent(name: str, order: ComparisonBody, catalog: Catalog) -> Agent:
    for what, given, known in (("agent", name, AGENTS), ("schedule", order.schedule, SCHEDULES)):
        if given not in known:
            raise UnknownName(f"No {what} is called {given!r}.{nearest(given, known)}")
    more = {} if name == "linucb" else {"schedule": SCHEDULES[order.schedule]}
    return agent_of({**AGENTS[name], **more}, catalog)


def _people(catalog: Catalog, order: ComparisonBody) -> LinearUsers:
    rng = np.random.default_rng(order.seed)
    theta = unit_rows(rng.standard_normal((1, catalog.d)))
    size = min(POOL, catalog.live_arms.size)
    return LinearUsers(theta, noise=order.noise, term_noise=order.noise, pool_size=size)


def _likes(catalog: Catalog, theta: Floats) -> list[str]:
    """The five topics that the person likes best."""
    live = catalog.live_terms
    best = live[np.argsort(-(catalog.terms[live] @ theta), kind="stable")[:5]]
    return [str(catalog.term_ids[each]) for each in best]


def _rounds(agent: Agent, people: LinearUsers, order: ComparisonBody) -> Iterator[ComparisonRound]:
    user, regret = agent.new_user(people.user_seed(order.seed, 0, 0)), 0.0
    for t in range(1, order.rounds + 1):
        place = people.place(agent.catalog, order.seed, 0, 0, t)
        happened = play_round(agent, user, people, place)
        regret += happened.regret
        yield ComparisonRound(
            asked=[
                ComparisonAnswer(about=" / ".join(map(str, question.ids)), answer=answer)
                for question, answer in happened.questions
                if answer is not None
            ],
            item=str(agent.catalog.arm_ids[happened.arm]),
            reward=float(people.values(place, np.array([happened.arm]))[0]),
            regret=regret,
            error=float(np.linalg.norm(user.theta - people.thetas[0])),
        )
