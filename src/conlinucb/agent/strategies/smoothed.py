"""Ask what looks best once every key-term is shaken a little."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from conlinucb.agent.strategies.base import PROBE, TermStrategy, View, strategy_kernel
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import FLOAT, INT, SEED, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import dot
from conlinucb.numerics.ties import first_best, largest, threshold
from conlinucb.numerics.validation import Floats, number, positive
from conlinucb.randomness import QUESTIONS, derive, normal, uniform

LEARNS = ("term", "perturbed")


@kernel(VOID(SEED, INT, INT, FLOAT, FLOAT, VECTOR))
def perturbation(seed: np.uint64, asked: int, k: int, rho: float, most: float, out: Floats) -> None:
    """xi_k of the question after ``asked`` others: N(0, rho^2) in [-most, most], coordinate-wise.

    Draws that fall outside are drawn again: normal ones or, where most of those would, uniform
    ones that are kept with the density's chance.
    """
    at, position = derive(derive(derive(seed, QUESTIONS), asked), k), 0
    for i in range(out.shape[0]):
        kept = rho == 0.0
        out[i] = 0.0
        while not kept:
            if rho <= most:
                out[i] = rho * normal(at, position)
                kept = abs(out[i]) <= most
            else:
                out[i] = most * (2.0 * uniform(at, 2 * position) - 1.0)
                chance = np.exp(-0.5 * (out[i] / rho) ** 2)
                kept = uniform(at, 2 * position + 1) < chance
            position += 1


@kernel(PROBE, pointer=True)
def perturbed(
    terms: Floats, k: int, seed: np.uint64, asked: int, constants: Floats, out: Floats
) -> None:
    """x~_k + xi_k."""
    perturbation(seed, asked, k, constants[0], constants[1], out)
    for i in range(out.shape[0]):
        out[i] += terms[k, i]


@strategy_kernel(cache=True)
def smoothed(view: View) -> int:
    """argmax (x~ + xi)'theta; a perturbation moves it by at most ``most`` times theta's 1-norm."""
    n, drawn, reach = view.offered.shape[0], np.empty(view.theta.shape[0]), 0.0
    scores = np.empty(n)
    for i in range(drawn.shape[0]):
        reach += view.constants[1] * abs(view.theta[i])
    for i in range(n):
        scores[i] = dot(view.terms[view.offered[i]], view.theta) + reach * (1.0 + 1e-9)
    best, first = -np.inf, largest(scores)
    for step in range(n + 1):
        i = first if step == 0 else step - 1
        if (step == 0 or i != first) and scores[i] >= threshold(best):
            k = view.offered[i]
            perturbed(view.terms, k, view.seed, view.asked, view.constants, drawn)
            scores[i] = dot(drawn, view.theta)
            best = max(best, scores[i])
        elif i != first:
            scores[i] = -np.inf
    return view.offered[first_best(scores)]


class Smoothed(TermStrategy):
    """k = argmax over the offered terms of (x~_k + xi_k)'theta, xi_k ~ N(0, rho^2 I).

    Each coordinate of xi_k is truncated to [-R, R]; a question's perturbations are its own, drawn
    from the user's seed and the question's number. ``learns`` is what the answer is taken for: of
    the "term" itself, which is what a person was asked about, or of the "perturbed" one.
    """

    name = "smoothed"
    kernel = smoothed

    def __init__(
        self, *, rho: float = 0.1, R: float = 0.3, learns: Literal["term", "perturbed"] = "term"
    ) -> None:
        if learns not in LEARNS:
            raise InvalidInput(f"learns must be 'term' or 'perturbed', got {learns!r}.")
        self.rho, self.R = number("rho", rho, low=0.0), positive("R", R)
        self.learns = learns

    @property
    def probe(self) -> Any:
        """The direction that an answer is taken for, where it is not the term's own."""
        return perturbed if self.learns == "perturbed" else None

    def prepare(self, catalog: Catalog) -> Floats:
        """rho and R."""
        return np.array([self.rho, self.R])
