"""What the engine is measured against: the same algorithms in NumPy, as one would write them.

They are here for their speed only. ``one_user`` plays one person at a time, either as the paper's
formulas read (an inverse for each update) or tuned (the rank-one update that avoids it);
``all_users`` keeps every person's matrices in one array and plays all of them at once.
"""

from __future__ import annotations

import numpy as np

from conlinucb.agent.spanner import barycentric_spanner
from conlinucb.bench.problem import Setting
from conlinucb.numerics.validation import Floats


def one_user(setting: Setting, algorithm: str, rounds: int, *, tuned: bool, seed: int = 0) -> float:
    """Regret of one person over ``rounds`` rounds, by a NumPy loop."""
    rng = np.random.default_rng(seed)
    arms, terms, theta = setting.catalog.arms, setting.catalog.terms, setting.thetas[0]
    estimate = _TwoStep if algorithm == "ConUCB" else _Ridge
    learner = estimate(setting.d, tuned)
    spanner = barycentric_spanner(terms).indices if algorithm == "BS" else None
    regret = 0.0
    for t in range(1, rounds + 1):
        pool = rng.choice(len(arms), setting.pool, replace=False)
        X = arms[pool]
        for _ in range(_due(algorithm, t)):
            if algorithm == "Arm-Con":
                x = X[np.argmax(learner.scores(X))]
                learner.learn_arm(x, x @ theta + 0.1 * rng.normal())
            else:
                x = terms[_term(algorithm, learner, X, terms, spanner, rng)]
                learner.learn_term(x, x @ theta + 0.1 * rng.normal())
        best = int(np.argmax(learner.scores(X)))
        rewards = X @ theta
        learner.learn_arm(X[best], rewards[best] + 0.1 * rng.normal())
        regret += rewards.max() - rewards[best]
    return float(regret)


def _due(algorithm: str, t: int) -> int:
    if algorithm == "LinUCB":
        return 0
    return 5 * (int(np.log(t + 1)) - int(np.log(t)))


def _term(
    algorithm: str,
    learner: _Ridge,
    X: Floats,
    terms: Floats,
    spanner: np.ndarray | None,
    rng: np.random.Generator,
) -> int:
    if spanner is not None:
        return int(rng.choice(spanner))
    if algorithm == "UCB":
        return int(np.argmax(learner.scores(terms)))
    if algorithm == "MCR":
        return int(np.argmax(learner.squares(terms)))
    return int(np.argmax(learner.gains(X, terms)))


class _Ridge:
    """M = strength I + weight sum xx', theta = M^-1 (b + prior)."""

    def __init__(self, d: int, tuned: bool, *, strength: float = 1.0, weight: float = 1.0) -> None:
        self.tuned, self.weight = tuned, weight
        self.M, self.P = strength * np.eye(d), np.eye(d) / strength
        self.b, self.prior, self.theta = np.zeros(d), np.zeros(d), np.zeros(d)

    def squares(self, X: Floats) -> Floats:
        if self.tuned:
            return np.asarray(((X @ self.P) * X).sum(axis=1))
        return np.asarray(np.einsum("nd,de,ne->n", X, self.P, X))

    def scores(self, X: Floats) -> Floats:
        return np.asarray(X @ self.theta + 0.1 * np.sqrt(self.squares(X)))

    def gains(self, X: Floats, terms: Floats) -> Floats:
        effect = X @ self.P @ terms.T
        return np.asarray((effect**2).sum(axis=0) / (1 + self.squares(terms)))

    def learn_arm(self, x: Floats, y: float) -> None:
        self.b += self.weight * y * x
        if self.tuned:
            v = self.P @ x
            self.P -= np.outer(v, v) * (self.weight / (1 + self.weight * (x @ v)))
        else:
            self.M += self.weight * np.outer(x, x)
            self.P = np.asarray(np.linalg.inv(self.M), dtype=np.float64)
        self.theta = self.P @ (self.b + self.prior)

    def learn_term(self, x: Floats, y: float) -> None:
        self.learn_arm(x, y)


class _TwoStep(_Ridge):
    def __init__(self, d: int, tuned: bool) -> None:
        super().__init__(d, tuned, strength=0.5, weight=0.5)
        self.term = _Ridge(d, tuned)

    def scores(self, X: Floats) -> Floats:
        second = self.term.squares(X @ self.P)
        radii = np.sqrt(self.squares(X)) + np.sqrt(second)
        return np.asarray(X @ self.theta + 0.125 * radii)

    def gains(self, X: Floats, terms: Floats) -> Floats:
        return self.term.gains(X @ self.P, terms)

    def learn_term(self, x: Floats, y: float) -> None:
        self.term.learn_arm(x, y)
        self.prior = 0.5 * self.term.theta
        self.theta = self.P @ (self.b + self.prior)


def all_users(setting: Setting, algorithm: str, rounds: int, seed: int = 0) -> float:
    """Mean regret over rounds of all people at once; ridge algorithms that need no pool to ask."""
    rng = np.random.default_rng(seed)
    arms, terms, thetas = setting.catalog.arms, setting.catalog.terms, setting.thetas
    users, d = thetas.shape
    P = np.tile(np.eye(d), (users, 1, 1))
    b, theta = np.zeros((users, d)), np.zeros((users, d))
    who, regret = np.arange(users), np.zeros(users)
    spanner = barycentric_spanner(terms).indices if algorithm == "BS" else None

    def scores(X: Floats) -> Floats:
        radii = np.sqrt(((X @ P) * X).sum(axis=-1))
        return np.asarray((X @ theta[:, :, None])[..., 0] + 0.1 * radii)

    def learn(x: Floats) -> None:
        y = (x * thetas).sum(axis=1) + 0.1 * rng.normal(size=users)
        v = (P @ x[:, :, None])[..., 0]
        P[...] -= v[:, :, None] * (v / (1 + (x * v).sum(axis=1))[:, None])[:, None, :]
        b[...] += y[:, None] * x
        theta[...] = (P @ b[:, :, None])[..., 0]

    for t in range(1, rounds + 1):
        pools = rng.random((users, len(arms))).argpartition(setting.pool)[:, : setting.pool]
        X = arms[pools]
        for _ in range(_due(algorithm, t)):
            if algorithm == "Arm-Con":
                learn(X[who, scores(X).argmax(axis=1)])
            elif spanner is not None:
                learn(terms[rng.choice(spanner, size=users)])
            elif algorithm == "UCB":
                learn(terms[scores(np.broadcast_to(terms, (users, *terms.shape))).argmax(axis=1)])
            else:
                learn(terms[((terms @ P) * terms).sum(axis=-1).argmax(axis=1)])
        best = scores(X).argmax(axis=1)
        rewards = (X @ thetas[:, :, None])[..., 0]
        learn(X[who, best])
        regret += rewards.max(axis=1) - rewards[who, best]
    return float(regret.mean())


BATCHED = ("LinUCB", "Arm-Con", "UCB", "BS", "MCR")
"""The algorithms that ``all_users`` can play."""
