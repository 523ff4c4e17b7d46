"""A model of rewards: ridge regression, each person's rewards predicted without their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from conlinucb.numerics.validation import Floats, Indices, seed_of
from conlinucb.offline.target import Target
from conlinucb.randomness import derive, uniform

RANK = 1e-10
"""Directions with less than this share of the largest one's weight were never seen."""


class Predicted(NamedTuple):
    """What the model says of n decisions."""

    logged: Floats
    """(n,) of the logged action."""
    target: Floats
    """(n,) of the target's choice, on average over its probabilities."""
    leverage: Floats
    """(n,) how much the mean of ``target`` moves with each decision's reward, times n."""
    size: float
    """As many decisions tell of the target's arms as if they were all of them; 0 where its arms
    are in directions that were never logged."""


def predict(
    target: Target, rewards: Floats, groups: Indices, context: Floats, folds: int, penalty: float,
    seed: int,
) -> Predicted:  # fmt: skip
    """Ridge on the arms' features, alone and times the context, cross-fitted over groups."""
    logged = crossed(target.features[target.actions], context)
    wanted = crossed(target.everywhere @ target.features, context)
    fold = fold_of(groups, folds, seed)
    gram, width = _dense(logged.T @ logged), logged.shape[1]
    ridge = penalty * np.trace(gram) / (rewards.size * width) * np.eye(width)
    by_logged, by_wanted = np.empty(rewards.size), np.empty(rewards.size)
    for each in range(folds):
        own = fold == each
        inside = logged[own]
        others = gram - _dense(inside.T @ inside)
        sums = logged.T @ rewards - inside.T @ rewards[own]
        found = linalg.solve(others + ridge, sums, assume_a="pos")
        by_logged[own], by_wanted[own] = inside @ found, wanted[own] @ found
    aim = np.asarray(wanted.mean(axis=0)).ravel()
    leverage = logged @ linalg.solve(gram + ridge, aim, assume_a="pos") * rewards.size
    return Predicted(by_logged, by_wanted, leverage, _size(gram, aim))


def crossed(features: Any, context: Floats) -> Any:
    """Features alone and times each column of the context, (n, p (1 + c)); sparse if they are."""
    if not sparse.issparse(features):
        parts = [features, *(features * each[:, None] for each in context.T)]
        return np.column_stack(parts)
    return sparse.hstack(
        [features, *(features.multiply(each[:, None]) for each in context.T)], "csr"
    )


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)


def fold_of(groups: Indices, folds: int, seed: int) -> Indices:
    """A fold for each decision, all of a group's in one, folds of equal numbers of groups."""
    many, at = int(groups.max()) + 1, derive(seed_of(seed), 0)
    order = np.argsort([uniform(at, i) for i in range(many)], kind="stable")
    fold = np.empty(many, dtype=np.int64)
    fold[order] = np.arange(many) % folds
    return fold[groups]


def _size(gram: Floats, aim: Floats) -> float:
    """1 / aim' gram^-1 aim: the number of decisions where all have the features of the aim."""
    values, vectors = np.linalg.eigh(gram)
    parts, seen = (vectors.T @ aim) ** 2, values > RANK * values[-1]
    if parts[~seen].sum() > RANK * parts.sum():
        return 0.0
    return float(1.0 / (parts[seen] / values[seen]).sum())
