"""The algorithms by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Ridge, TwoStep
from conlinucb.agent.priors import Prior
from conlinucb.agent.schedule import Logarithmic, Never
from conlinucb.agent.strategies import strategy_of
from conlinucb.catalog.catalog import Catalog

B = Callable[[int], float]
EXPERIMENTS = Logarithmic(5)
"""The schedule of the paper's experiments."""


def linucb(
    catalog: Catalog,
    *,
    beta: float | None = None,
    alpha: float | TheoryAlpha = 0.5,
    prior: Prior | None = None,
    select: Any = "ucb",
) -> Agent:
    """LinUCB: one ridge estimate a user, rewards only, no questions.

    ``beta`` is the ridge's strength (1), unless a ``prior`` takes its place.

    >>> import conlinucb as cl
    >>> agent = cl.linucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]]))
    >>> user = agent.new_user()
    >>> agent.learn(user, 1, 1.0)
    >>> agent.recommend(user).arms
    array([1])
    """
    estimator = Ridge(beta=_beta(1.0, beta, prior), alpha=alpha, prior=prior)
    return Agent(catalog, estimator, schedule=Never(), select=select)


def arm_con(
    catalog: Catalog,
    *,
    beta: float | None = None,
    alpha: float | TheoryAlpha = 0.5,
    prior: Prior | None = None,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
) -> Agent:
    """Arm-Con: questions are about arms, the one LinUCB would recommend from the same pool.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> agent = cl.arm_con(catalog, schedule=cl.Every(1))
    >>> agent.ask(agent.new_user())
    Question(kind='arm', index=0, number=1, round=1)
    """
    estimator = Ridge(beta=_beta(1.0, beta, prior), alpha=alpha, prior=prior)
    return Agent(catalog, estimator, schedule=schedule, asks="arm", select=select)


def conucb(
    catalog: Catalog,
    *,
    strategy: Any = "optimal-greedy",
    mix: float = 0.5,
    term_beta: float = 1.0,
    alpha: float | TheoryAlpha = 0.25,
    term_alpha: float | TheoryAlpha = 0.25,
    answer_weight: float = 1.0,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
) -> Agent:
    """ConUCB: the estimate in two steps; ``mix`` is the paper's lambda.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]])
    >>> agent = cl.conucb(catalog, schedule=cl.Every(1))
    >>> agent.ask(agent.new_user()).kind
    'term'
    """
    estimator = TwoStep(
        mix=mix,
        term_beta=term_beta,
        alpha=alpha,
        term_alpha=term_alpha,
        answer_weight=answer_weight,
    )
    return Agent(
        catalog, estimator, strategy=strategy_of(strategy), schedule=schedule, select=select
    )


def conlinucb(
    catalog: Catalog,
    *,
    strategy: Any = "max-radius",
    beta: float | None = None,
    alpha: float | TheoryAlpha = 0.1,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
) -> Agent:
    """ConLinUCB: one ridge estimate of rewards and answers, and a strategy that explores.

    "spanner" is the paper's BS, "max-radius" its MCR, "ucb" its UCB. ``beta`` is the ridge's
    strength (0.15), unless a ``prior`` takes its place; ``answer_weight`` how much an answer
    counts against a reward; ``select`` is "ucb", "thompson" or "greedy".

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]])
    >>> agent = cl.conlinucb(catalog, strategy="max-radius", schedule=cl.Every(1))
    >>> user = agent.new_user(seed=0)
    >>> question = agent.ask(user)
    >>> agent.hear(user, question, 1.0)
    >>> agent.recommend(user).arms
    array([1])
    """
    estimator = Ridge(
        beta=_beta(0.15, beta, prior), alpha=alpha, prior=prior, answer_weight=answer_weight
    )
    return Agent(
        catalog, estimator, strategy=strategy_of(strategy), schedule=schedule, select=select
    )


def _beta(usual: float, given: float | None, prior: Prior | None) -> float | None:
    """The usual strength where neither it nor a prior is given."""
    return usual if given is None and prior is None else given
