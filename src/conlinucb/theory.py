"""The paper's bounds as functions of T, and what they assume.

Read them with care. lambda_B is about 1e-4 on real data, which puts t0 near 1e12, so Theorem 1
says nothing about a few thousand rounds. alpha_t at t = 1,000 and beta = 0.15 is 16.3, where the
experiments use 0.1. Lemma 3 and the theorems need b(t) = b t, where the experiments ask only
5 floor(ln(t + 1)) questions. Features and theta* have norm at most 1 and noise is 1-sub-Gaussian
throughout. The potential lemma behind Theorem 2 and ConUCB's bound needs beta >= 1, or
(1 - mix) / mix >= 1. In the paper's appendix det(beta I) has exponent 1/2 where -1/2 is meant.

All functions take arrays for t or T.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, matrix, number, positive, whole


def _rounds(name: str, value: ArrayLike) -> Floats:
    if isinstance(value, (int, float, str)):
        return np.asarray(number(name, value, low=0.0))
    try:
        result = np.asarray(value)
        if result.dtype.kind not in "biuf":
            raise TypeError(f"its entries are of type {result.dtype}.")
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name} must be a number or an array of them, got {value!r}: {error}"
        ) from None
    if not (result >= 0).all():
        raise InvalidInput(f"{name} must not be negative or NaN, got {value!r}.")
    return result.astype(np.float64)


def _delta(value: float) -> float:
    return number("delta", value, low=1e-300, high=1.0)


def alpha(t: ArrayLike, questions: ArrayLike, d: int, beta: float, delta: float) -> Floats:
    """Eq. 8: the width with which Lemma 2 holds, ``|x'(theta_t - theta*)|`` <= alpha_t ||x||_P.

    Holds for all t and x at once with probability 1 - delta; ``questions`` is b(t).

    >>> round(float(alpha(1000, 30, 50, 1.0, 0.05)), 1)
    13.6
    """
    whole("d", d, low=1)
    positive("beta", beta)
    _delta(delta)
    events = _rounds("t", t) + _rounds("questions", questions)
    log_volume = d * np.log1p(events / (beta * d))
    return np.asarray(np.sqrt(2 * np.log(1 / delta) + log_volume) + np.sqrt(beta))


def conucb_alpha(t: ArrayLike, d: int, mix: float, delta: float) -> Floats:
    """ConUCB's arm width: mix alpha_t ||x||_{M^-1} bounds the part of arm noise.

    From theta - theta* = M^-1 (mix sum_s x_s eps_s + (1 - mix)(theta~ - theta*)), with the
    self-normalised bound at delta / 2.
    """
    whole("d", d, low=1)
    _mix(mix)
    _delta(delta)
    log_volume = d * np.log1p(mix * _rounds("t", t) / ((1 - mix) * d))
    return np.asarray(np.sqrt((2 * np.log(2 / delta) + log_volume) / mix))


def conucb_term_alpha(questions: ArrayLike, d: int, term_beta: float, delta: float) -> Floats:
    """ConUCB's term width: (1 - mix) alpha~_t ||M^-1 x||_{M~^-1} bounds the terms' part."""
    whole("d", d, low=1)
    positive("term_beta", term_beta)
    _delta(delta)
    log_volume = d * np.log1p(_rounds("questions", questions) / (term_beta * d))
    return np.asarray(np.sqrt(2 * np.log(2 / delta) + log_volume) + np.sqrt(term_beta))


def _mix(value: float) -> float:
    return number("mix", value, low=1e-9, high=1 - 1e-9)


def lambda_B(vectors: ArrayLike) -> float:
    """Least eigenvalue of the mean of xx' over the rows: how well a spanner explores.

    >>> lambda_B([[1.0, 0.0], [0.0, 1.0]])
    0.5
    """
    rows = matrix("vectors", vectors)
    if not rows.size:
        raise InvalidInput(f"vectors must hold at least one vector, got shape {rows.shape}.")
    # Singular values of the rows keep the digits that eigenvalues of rows'rows would lose.
    values = np.linalg.svd(rows, compute_uv=False)
    if values.size < rows.shape[1]:
        return 0.0
    return float(values.min() ** 2 / rows.shape[0])


def t0(b: float, lambda_B: float, d: int, delta: float) -> float:
    """The round from which Lemma 3 holds; b is the slope of b(t) = b t."""
    positive("b", b)
    whole("d", d, low=1)
    _delta(delta)
    number("lambda_B", lambda_B, low=1e-150)
    return float(256 / (b * lambda_B**2) * np.log(128 * d / (lambda_B**2 * delta)))


def lemma_3(t: ArrayLike, b: float, lambda_B: float, d: int, delta: float) -> Floats:
    """Lemma 3 (BS, b(t) = b t): sqrt(2 / (lambda_B b t)) bounds every radius; NaN before t0."""
    start = t0(b, lambda_B, d, delta)
    rounds = _rounds("t", t)
    with np.errstate(divide="ignore"):
        return np.where(rounds >= start, np.sqrt(2 / (lambda_B * b * rounds)), np.nan)


def theorem_1(T: ArrayLike, b: float, lambda_B: float, d: int, beta: float, delta: float) -> Floats:
    """Theorem 1: regret of ConLinUCB-BS for b(t) = b t, with probability 1 - delta."""
    _delta(delta)
    rounds = _rounds("T", T)
    start = t0(b, lambda_B, d, delta / 2)
    width = alpha((1 + b) * rounds, 0, d, beta, delta / 2)
    return np.asarray(4 * np.sqrt(2 / (b * lambda_B)) * np.sqrt(rounds) * width + start + 1)


def theorem_2(T: ArrayLike, b: float, d: int, beta: float, delta: float) -> Floats:
    """Theorem 2: regret of ConLinUCB-MCR for b(t) = b t and beta >= 1."""
    positive("b", b)
    rounds = _rounds("T", T)
    width = alpha(rounds, b * rounds, d, beta, delta)
    return np.asarray(2 * _potential(rounds, d, 1 / beta) * width)


def conucb_bound(
    T: ArrayLike, b: float, d: int, mix: float, term_beta: float, delta: float
) -> Floats:
    """The regret bound of ConUCB that the paper compares with, for b(t) = b t."""
    positive("b", b)
    positive("term_beta", term_beta)
    _mix(mix)
    rounds = _rounds("T", T)
    ratio = (1 - mix) / mix
    term_width = conucb_term_alpha(b * rounds, d, term_beta, delta) - np.sqrt(term_beta)
    arm_width = conucb_alpha(rounds, d, mix, delta) * np.sqrt(mix)
    width = np.sqrt(ratio) + np.sqrt(ratio / term_beta) * term_width + arm_width
    return np.asarray(2 * _potential(rounds, d, 1 / ratio) * width)


def _potential(rounds: Floats, d: int, scale: float) -> Floats:
    """sqrt(2 T d log(1 + scale (T + 1) / d)), the elliptical potential."""
    return np.asarray(np.sqrt(2 * rounds * d * np.log1p(scale * (rounds + 1) / d)))
