"""The algorithms by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Ridge, TwoStep
from conlinucb.agent.priors import Gaussian, Prior
from conlinucb.agent.schedule import Linear, Logarithmic, Never
from conlinucb.agent.strategies import strategy_of
from conlinucb.catalog.catalog import Catalog

B = Callable[[int], float]
EXPERIMENTS = Logarithmic(5)
"""The schedule of the paper's experiments."""
EVERY_ROUND = Linear(1.0)
"""One question before each recommendation."""


def linucb(
    catalog: Catalog,
    *,
    beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    select: Any = "ucb",
) -> Agent:
    """LinUCB: one ridge estimate a user, rewards only, no questions.

    ``beta`` is the ridge's strength (1), unless a ``prior`` takes its place; ``alpha`` is 0.5 or,
    with a prior, 1 standard deviation.

    >>> import conlinucb as cl
    >>> agent = cl.linucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]]))
    >>> user = agent.new_user()
    >>> agent.learn(user, 1, 1.0)
    >>> agent.recommend(user).arms
    array([1])
    """
    estimator = Ridge(beta=_usual(1.0, beta, prior), alpha=_alpha(0.5, alpha, prior), prior=prior)
    return Agent(catalog, estimator, schedule=Never(), select=select)


def arm_con(
    catalog: Catalog,
    *,
    beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
) -> Agent:
    """Arm-Con: questions are about arms, the one LinUCB would recommend from the same pool.

    ``beta``, ``alpha`` and ``prior`` as of ``linucb``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> agent = cl.arm_con(catalog, schedule=cl.Every(1))
    >>> agent.ask(agent.new_user())
    Question(kind='arm', index=0, number=1, round=1)
    """
    estimator = Ridge(beta=_usual(1.0, beta, prior), alpha=_alpha(0.5, alpha, prior), prior=prior)
    return Agent(catalog, estimator, schedule=schedule, asks="arm", select=select)


def conucb(
    catalog: Catalog,
    *,
    strategy: Any = "optimal-greedy",
    mix: float = 0.5,
    term_beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    term_alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
) -> Agent:
    """ConUCB: the estimate in two steps; ``mix`` is the paper's lambda.

    ``term_beta`` is the strength of the key-terms' ridge (1), unless a ``prior`` takes its place:
    then both steps start at its mean, the first with its covariance. ``alpha`` and ``term_alpha``
    are 0.25 or, with a prior, 1 standard deviation.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]])
    >>> agent = cl.conucb(catalog, schedule=cl.Every(1))
    >>> agent.ask(agent.new_user()).kind
    'term'
    """
    estimator = TwoStep(
        mix=mix,
        term_beta=_usual(1.0, term_beta, prior),
        alpha=_alpha(0.25, alpha, prior),
        term_alpha=_alpha(0.25, term_alpha, prior),
        prior=prior,
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
    alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
) -> Agent:
    """ConLinUCB: one ridge estimate of rewards and answers, and a strategy that explores.

    "spanner" is the paper's BS, "max-radius" its MCR, "ucb" its UCB. ``beta`` is the ridge's
    strength (0.15), unless a ``prior`` takes its place; ``alpha`` is 0.1 or, with a prior, 1
    standard deviation; ``answer_weight`` is how much an answer counts against a reward; ``select``
    is "ucb", "thompson" or "greedy".

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
        beta=_usual(0.15, beta, prior),
        alpha=_alpha(0.1, alpha, prior),
        prior=prior,
        answer_weight=answer_weight,
    )
    return Agent(
        catalog, estimator, strategy=strategy_of(strategy), schedule=schedule, select=select
    )


def for_newcomers(
    catalog: Catalog,
    *,
    prior: Prior | None = None,
    range: tuple[float, float] = (0.0, 1.0),
    base: float = 0.25,
    strategy: Any = "ucb",
    alpha: float = 0.25,
    select: Any = "ucb",
    schedule: B = EVERY_ROUND,
) -> Agent:
    """The agent for real people: one estimate that starts from what is known of others.

    ``prior`` is a ``Population``; without one a beginning is stated from the ``range`` of rewards
    (``Gaussian.stated``). It asks what this person most probably likes ("ucb"), one question before
    each recommendation: people say yes more often than not. Where others' tastes are much alike,
    or more is asked at a time, "valuable" learns more of each answer. ``alpha`` is a quarter of a
    standard deviation.

    >>> import conlinucb as cl
    >>> tags = {"item": ["Heat", "Alien", "Solaris"], "tag": ["crime", "space", "space"]}
    >>> agent = cl.for_newcomers(cl.Catalog.from_tags(tags).with_constant())
    >>> user = agent.new_user()
    >>> agent.volunteer(user, agent.catalog.term_index("crime"), 1.0)
    >>> agent.recommend(user).arms
    array([0])
    """
    start = Gaussian.stated(catalog, range=range, base=base) if prior is None else prior
    estimator = Ridge(prior=start, alpha=alpha)
    return Agent(
        catalog,
        estimator,
        strategy=strategy_of(strategy),
        schedule=schedule,
        select=select,
    )


def _usual(usual: float, given: float | None, prior: Prior | None) -> float | None:
    """The usual strength where neither it nor a prior is given."""
    return usual if given is None and prior is None else given


def _alpha(
    usual: float, given: float | TheoryAlpha | None, prior: Prior | None
) -> float | TheoryAlpha:
    """The usual width; with a prior, whose noise gives it a unit, one standard deviation."""
    if given is not None:
        return given
    return usual if prior is None else 1.0
