"""The algorithms by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Logistic, Ridge, TwoStep
from conlinucb.agent.priors import Gaussian, Prior
from conlinucb.agent.relative import PairUpdate
from conlinucb.agent.schedule import Linear, Logarithmic, Never
from conlinucb.agent.sharing import Sharing
from conlinucb.agent.spreading import Spread
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
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """LinUCB: one ridge estimate a user, rewards only, no questions.

    ``beta`` is the ridge's strength (1), unless a ``prior`` takes its place; ``alpha`` is 0.5 or,
    with a prior, 1 standard deviation. ``sharing`` is who learns together: see ``Crowd``;
    ``rewards`` which rewards are asked for, such as ``Sometimes(0.2)`` (None: all of them).

    >>> import conlinucb as cl
    >>> agent = cl.linucb(cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]]))
    >>> user = agent.new_user()
    >>> agent.learn(user, 1, 1.0)
    >>> agent.recommend(user).arms
    array([1])
    """
    estimator = Ridge(beta=_usual(1.0, beta, prior), alpha=_alpha(0.5, alpha, prior), prior=prior)
    return Agent(
        catalog, estimator, schedule=Never(), select=select, sharing=sharing, rewards=rewards
    )


def arm_con(
    catalog: Catalog,
    *,
    beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """Arm-Con: questions are about arms, the one LinUCB would recommend from the same pool.

    ``beta``, ``alpha``, ``prior``, ``sharing`` and ``rewards`` as of ``linucb``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> agent = cl.arm_con(catalog, schedule=cl.Every(1))
    >>> agent.ask(agent.new_user())
    Question(kind='arm', index=0, number=1, round=1)
    """
    estimator = Ridge(beta=_usual(1.0, beta, prior), alpha=_alpha(0.5, alpha, prior), prior=prior)
    asking: Any = {"schedule": schedule, "asks": "arm"}
    return Agent(catalog, estimator, **asking, select=select, sharing=sharing, rewards=rewards)


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
    spread: Spread | None = None,
    select: Any = "ucb",
    pair_update: PairUpdate = "difference",
    schedule: B = EXPERIMENTS,
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """ConUCB: the estimate in two steps; ``mix`` is the paper's lambda.

    ``term_beta`` is the strength of the key-terms' ridge (1), unless a ``prior`` takes its place:
    then both steps start at its mean, the first with its covariance. ``alpha`` and ``term_alpha``
    are 0.25 or, with a prior, 1 standard deviation; ``pair_update`` as of ``Agent``; ``sharing``,
    ``rewards`` as of ``linucb``, ``spread`` as of ``conlinucb``.

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
        spread=spread,
    )
    asking: Any = {
        "strategy": strategy_of(strategy), "schedule": schedule, "pair_update": pair_update
    }  # fmt: skip
    return Agent(catalog, estimator, **asking, select=select, sharing=sharing, rewards=rewards)


def relative_conucb(
    catalog: Catalog,
    *,
    pair_update: PairUpdate = "difference",
    strategy: Any = None,
    mix: float = 0.5,
    term_beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    term_alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """RelativeConUCB: ConUCB that asks which of two key-terms is preferred.

    ``pair_update`` is what is learned of it: the "difference", the "winner" (their Pos) or "both"
    (their Pos&Neg). Unless ``strategy`` says otherwise the pair is theirs, too: for the first
    "relative-difference", for the others "relative-greedy". All else as of ``conucb``.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> agent = cl.relative_conucb(catalog, schedule=cl.Every(1))
    >>> user = agent.new_user()
    >>> question = agent.ask(user)
    >>> question.ids
    (0, 1)
    >>> agent.hear(user, question, "second")
    >>> agent.recommend(user).arms
    array([1])
    """
    own = "relative-difference" if pair_update == "difference" else "relative-greedy"
    return conucb(
        catalog,
        strategy=own if strategy is None else strategy,
        mix=mix,
        term_beta=term_beta,
        alpha=alpha,
        term_alpha=term_alpha,
        prior=prior,
        answer_weight=answer_weight,
        select=select,
        pair_update=pair_update,
        schedule=schedule,
        sharing=sharing,
        rewards=rewards,
    )


def conlinucb(
    catalog: Catalog,
    *,
    strategy: Any = "max-radius",
    beta: float | None = None,
    alpha: float | TheoryAlpha | None = None,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    spread: Spread | None = None,
    select: Any = "ucb",
    pair_update: PairUpdate = "difference",
    schedule: B = EXPERIMENTS,
    sharing: Sharing | None = None,
    rewards: Any = None,
) -> Agent:
    """ConLinUCB: one ridge estimate of rewards and answers, and a strategy that explores.

    "spanner" is the paper's BS, "max-radius" its MCR, "ucb" its UCB. ``beta`` is the ridge's
    strength (0.15), unless a ``prior`` takes its place; ``alpha`` is 0.1 or, with a prior, 1
    standard deviation; ``answer_weight`` is how much an answer counts against a reward; ``select``
    is "ucb", "thompson" or "greedy"; ``pair_update`` what a pair teaches: its "difference", its
    "winner" or "both" of it; ``sharing``, ``rewards`` as of ``linucb``. With ``spread`` an answer
    also teaches the key-term's neighbours in ``catalog.term_graph``, in "full" or by the weights of
    "edges".

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
        spread=spread,
    )
    asking: Any = {
        "strategy": strategy_of(strategy), "schedule": schedule, "pair_update": pair_update
    }  # fmt: skip
    return Agent(catalog, estimator, **asking, select=select, sharing=sharing, rewards=rewards)


def logistic(
    catalog: Catalog,
    *,
    strategy: Any = "max-radius",
    beta: float | None = None,
    alpha: float = 0.5,
    prior: Prior | None = None,
    answer_weight: float = 1.0,
    range: tuple[float, float] = (0.0, 1.0),
    pair_update: PairUpdate = "difference",
    select: Any = "ucb",
    schedule: B = EXPERIMENTS,
    rewards: Any = None,
) -> Agent:
    """ConLinUCB for clicks and other yes or no: one logistic estimate of rewards and answers.

    ``beta`` is the strength of the prior N(0, I / beta) on log-odds (1), unless a ``prior`` takes
    its place; ``alpha`` counts standard deviations; ``range`` is what no and yes are;
    ``pair_update`` as of ``conlinucb``: a "difference" is the chance that the first is preferred.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]])
    >>> agent = cl.logistic(catalog, schedule=cl.Every(1))
    >>> user = agent.new_user()
    >>> agent.hear(user, agent.ask(user), 1.0)
    >>> advice = agent.recommend(user)
    >>> advice.arms, advice.means.round(2)
    (array([1]), array([0.6]))
    """
    estimator = Logistic(
        beta=beta, alpha=alpha, prior=prior, answer_weight=answer_weight, range=range
    )
    return Agent(
        catalog,
        estimator,
        strategy=strategy_of(strategy),
        schedule=schedule,
        select=select,
        pair_update=pair_update,
        rewards=rewards,
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
    pair_update: PairUpdate = "difference",
    schedule: B = EVERY_ROUND,
    rewards: Any = None,
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
        pair_update=pair_update,
        rewards=rewards,
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
