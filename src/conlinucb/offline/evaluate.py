"""``evaluate``: what a target would have earned, from what a log's decisions earned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import Floats, Indices, number, positive, whole
from conlinucb.offline.estimates import ESTIMATORS, Estimate, Evaluation
from conlinucb.offline.estimators import BY_NAME, MODELLED, Evidence, Found, deviation, interval
from conlinucb.offline.log import Log, read_log
from conlinucb.offline.model import predict
from conlinucb.offline.replayed import bound_of
from conlinucb.offline.target import Target, target_of
from conlinucb.shown import people_text

FEWEST_PEOPLE = 10
"""With fewer people, how much they differ is not known well enough for an interval."""
HISTORIES = ("logged", "own")
"""What an agent has learned from before a decision: all rows, or those that pass for its own."""
FAR = 4.0
"""Standard deviations that the mean weight may be off 1."""


@dataclass(frozen=True)
class Options:
    """How to evaluate."""

    clip: float | None
    least: float
    folds: int
    penalty: float
    range: tuple[float, float] | None
    clustered: bool
    own: bool
    seed: int


def evaluate(
    log: Any,
    target: Any,
    *,
    catalog: Catalog | None = None,
    columns: Mapping[str, str] | None = None,
    history: str = "logged",
    context: Sequence[str] = (),
    estimators: Sequence[str] = ESTIMATORS,
    clip: float | None = None,
    least_effective: float = 50.0,
    reward_range: tuple[float, float] | None = None,
    clustered: bool = True,
    folds: int = 5,
    penalty: float = 0.01,
    draws: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """The mean reward that a target would have had in a log's decisions, by several estimators.

    ``log`` is a table with a row for each decision: ``action``, ``reward`` and ``propensity``, how
    likely that action was; where known ``person``, ``round``, ``pool`` (ids with | between them),
    ``kind``. ``columns`` says what the table calls them. ``target`` is an agent, the name of a
    column with its probability of the logged action, probabilities by arm ({id: number or
    column}), or with a ``catalog`` a matrix. An agent is asked for its next choice after the log's
    history, or with ``history="own"`` after the decisions that it might itself have taken.

    Intervals are of 95 %, for people like those of the log; ``clustered=False`` takes all decisions
    for independent. ``clip`` cuts weights (default: the root of the number of decisions);
    ``reward_range`` bounds what that may cost (default: what the log has). The model of rewards is
    a ridge regression on arms, and on arms times ``context`` columns, over ``folds`` of people. An
    estimate that rests on fewer than ``least_effective`` decisions is refused.

    >>> log = {"action": ["a", "b"] * 100, "reward": [1, 0, 0, 0] * 50, "propensity": [0.5] * 200}
    >>> found = evaluate(log, {"a": 0.9, "b": 0.1})
    >>> round(found["snips"].value, 3), found["snips"].covers(0.45)
    (0.45, True)
    """
    if history not in HISTORIES:
        raise UnknownName(f"No history is called {history!r}.{nearest(history, HISTORIES)}")
    for name in estimators:
        if name not in ESTIMATORS:
            raise UnknownName(f"No estimator is called {name!r}.{nearest(name, ESTIMATORS)}")
    options = Options(
        None if clip is None else positive("clip", clip),
        number("least_effective", least_effective, low=2.0),
        whole("folds", folds, low=2),
        positive("penalty", penalty),
        _range(reward_range),
        bool(clustered),
        history == "own",
        whole("seed", seed),
    )
    others = [*context, *([target] if isinstance(target, str) else [])]
    found = read_log(log, columns or {}, others)
    own = options.seed if options.own else None
    aim = target_of(target, found, catalog, whole("draws", draws, low=1), own)
    return _evaluated(found, aim, list(context), list(estimators), options)


def _range(given: tuple[float, float] | None) -> tuple[float, float] | None:
    if given is None:
        return None
    low, high = (number("reward_range", each) for each in given)
    if not low < high:
        raise InvalidInput(f"reward_range is the least and the largest reward, got {given!r}.")
    return low, high


def _evaluated(
    log: Log, target: Target, context: list[str], names: list[str], options: Options
) -> Evaluation:
    rows = log.decisions
    clustered = options.clustered and log.people is not None
    evidence = _evidence(log, target, context, names, options, clustered)
    people = int(evidence.groups.max()) + 1 if clustered else None
    few = _few(people, rows.size)
    estimates = {name: _estimate(name, evidence, options.least, few) for name in names}
    mean = evidence.rewards.mean()
    own = Found(float(mean), evidence.rewards - mean, float(rows.size))
    logged = _told("logged", own, evidence.groups, few)
    return Evaluation(estimates, logged, rows.size, people, evidence.weights, evidence.clip)


def _evidence(
    log: Log, target: Target, context: list[str], names: list[str], options: Options, who: bool
) -> Evidence:
    rows = log.decisions
    rewards = log.rewards[rows]
    groups = _numbered(log.people[rows]) if who and log.people is not None else np.arange(rows.size)
    low, high = options.range or (float(rewards.min()), float(rewards.max()))
    if options.range and not (low <= rewards.min() and rewards.max() <= high):
        raise InvalidInput(
            f"reward_range is {(low, high)}, but rewards are from {rewards.min():g} to "
            f"{rewards.max():g}."
        )
    predicted = None
    if target.everywhere is not None and set(names) & set(MODELLED) and groups.max() > 0:
        beside = _columns_of(log, context)[rows]
        folds = min(options.folds, int(groups.max()) + 1)
        how = folds, options.penalty, options.seed
        predicted = predict(target, rewards, groups, beside, *how)
    weights = target.chosen / log.propensities[rows]
    clip = options.clip or float(np.sqrt(rows.size))
    bound = bound_of(log) if options.own else float(weights.max())
    return Evidence(rewards, weights, groups, clip, (low, high), predicted, bound, options.seed)


def _columns_of(log: Log, names: list[str]) -> Floats:
    return np.column_stack([np.empty((log.kinds.size, 0)), *(log.others[name] for name in names)])


def _numbered(people: Indices) -> Indices:
    """From 0, without people who decided nothing."""
    return np.unique(people, return_inverse=True)[1].ravel()


def _few(people: int | None, decisions: int) -> str:
    if people is None or people >= FEWEST_PEOPLE:
        return "" if decisions > 1 else "the log has one decision"
    return (
        f"the log is of {people_text(people)}, and an interval over people needs {FEWEST_PEOPLE} "
        f"(clustered=False takes decisions for independent)"
    )


def _estimate(name: str, given: Evidence, least: float, few: str) -> Estimate:
    if name in MODELLED and given.predicted is None and not few:
        why = "the target's probability of every arm is needed, not of the logged action alone"
        return _refusal(name, 0.0, why)
    if few:
        return _refusal(name, 0.0, few)
    found = BY_NAME[name](given)
    return _told(name, found, given.groups, _thin(name, found, given, least))


def _thin(name: str, found: Found, given: Evidence, least: float) -> str:
    """Why the overlap of log and target is too thin; empty where it is not."""
    if name != "dm":
        off = given.weights.mean() - 1.0
        spread = deviation(given.weights - given.weights.mean(), given.groups)
        if abs(off) > FAR * spread + 1e-6:
            return (
                f"weights are {1.0 + off:.3g} on average and should be 1, give or take "
                f"{spread:.2g}: the target takes what was never logged, or propensities are wrong"
            )
    if found.size < least:
        return (
            f"overlap is too thin: it rests on {found.size:.1f} effective decisions of "
            f"{given.rewards.size:,}, and needs {least:g}"
        )
    return ""


def _told(name: str, found: Found, groups: Indices, refused: str) -> Estimate:
    if refused:
        return _refusal(name, found.size, refused)
    low, high = interval(found, groups)
    return Estimate(name, found.value, low, high, found.size, found.bias)


def _refusal(name: str, size: float, why: str) -> Estimate:
    return Estimate(name, np.nan, np.nan, np.nan, size, refused=why)
