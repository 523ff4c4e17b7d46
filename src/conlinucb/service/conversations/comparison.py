"""One simulated person met by several agents, step by step: what the page's comparison shows.

The only part of the service that simulates anyone; nothing of it reaches the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.schedule import questions
from conlinucb.agent.spec import agent_of
from conlinucb.agent.strategies import STRATEGIES
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.svd import unit_rows
from conlinucb.numerics.validation import Floats
from conlinucb.people.linear import Draw, LinearUsers
from conlinucb.service.schemas import (
    ComparisonAnswer,
    ComparisonBody,
    ComparisonOut,
    ComparisonRound,
    ComparisonRun,
)

POOL = 50
MOST_TERMS, MOST_FEATURES = 2_000, 200
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
    theta, arms, ids = people.thetas[0], agent.catalog.arms, agent.catalog.arm_ids
    user = agent.new_user(people.user_seed(order.seed, 0, 0))
    regret = 0.0
    for t in range(1, order.rounds + 1):
        due = questions(agent.schedule, t) if agent.asks_at_all else 0
        draw = people.draw(order.seed, 0, 0, t, questions=max(due, 1), catalog=agent.catalog)
        asked = list(_answers(agent, user, draw, theta))
        arm = int(agent.recommend(user, draw.pool).arms[0])
        mean = float(arms[arm] @ theta)
        agent.learn(user, arm, mean + draw.noise)
        regret += float((arms[draw.pool] @ theta).max()) - mean
        error = float(np.linalg.norm(user.theta - theta))
        yield ComparisonRound(
            asked=asked, item=str(ids[arm]), reward=mean, regret=regret, error=error
        )


def _answers(agent: Agent, user: User, draw: Draw, theta: Floats) -> Iterator[ComparisonAnswer]:
    catalog = agent.catalog
    count = 0
    while (question := agent.ask(user, draw.pool, draw.offered)) is not None:
        if question.kind == "term":
            about, x = catalog.term_ids[question.index], catalog.terms[question.index]
            noise = draw.term_noise[count]
        else:
            about, x = catalog.arm_ids[question.index], catalog.arms[question.index]
            noise = draw.arm_noise[count]
        answer = float(x @ theta + noise)
        agent.hear(user, question, answer)
        count += 1
        yield ComparisonAnswer(about=str(about), answer=answer)
