"""Every estimator against a computation from the textbook, one decision at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from conlinucb.offline.model import fold_of
from support import offline

TABLE, TARGET = offline.log(seed=1, people=30)
N = len(TABLE["reward"])
FOUND = cl.evaluate(TABLE, TARGET, catalog=offline.CATALOG, clip=2.0, reward_range=(-3.0, 3.0))
WEIGHTS = [TARGET[i, TABLE["action"][i]] / TABLE["propensity"][i] for i in range(N)]
REWARDS = TABLE["reward"].tolist()


def model() -> tuple[list[float], list[float], Any]:
    """Predictions for the logged action and the target's choice, and the folds."""
    rows = np.column_stack([np.ones(offline.ARMS), offline.FEATURES])
    folds = fold_of(TABLE["person"], 5, 0)
    phi = rows[TABLE["action"]]
    ridge = 0.01 * (phi**2).sum() / phi.size
    logged, wanted = [], []
    for i in range(N):
        others = folds != folds[i]
        left = np.vstack([phi[others], np.sqrt(ridge) * np.eye(4)])
        right = np.concatenate([TABLE["reward"][others], np.zeros(4)])
        beta = np.linalg.lstsq(left, right, rcond=None)[0]
        logged.append(float(phi[i] @ beta))
        wanted.append(sum(TARGET[i, a] * float(rows[a] @ beta) for a in range(offline.ARMS)))
    return logged, wanted, folds


def half_width(influence: list[float]) -> float:
    """Of an interval over people: the sandwich, person by person, with Student's quantile."""
    sums = [sum(influence[i] for i in range(N) if TABLE["person"][i] == g) for g in range(30)]
    variance = 30 / 29 * sum(each**2 for each in sums) / N**2
    return float(stats.t.ppf(0.975, 29)) * float(np.sqrt(variance))


def agrees(name: str, value: float, influence: list[float], bias: float = 0.0) -> None:
    half = half_width(influence)
    if bias:  # as wide as holds the truth in 95 % of the logs wherever bias has put it
        spread, quantile = half / stats.t.ppf(0.975, 29), stats.t.ppf(0.95, 29)
        assert stats.t.cdf(quantile + 2 * bias / spread, 29) - 0.05 == pytest.approx(0.95, abs=1e-9)
        half = quantile * spread
    assert FOUND[name].value == pytest.approx(value, abs=1e-9)
    assert FOUND[name].low == pytest.approx(value - half - bias, abs=1e-9)
    assert FOUND[name].high == pytest.approx(value + half + bias, abs=1e-9)


def test_inverse_propensity() -> None:
    parts = [w * r for w, r in zip(WEIGHTS, REWARDS, strict=True)]
    value = sum(parts) / N
    agrees("ips", value, [each - value for each in parts])
    kish = sum(WEIGHTS) ** 2 / sum(w**2 for w in WEIGHTS)
    assert FOUND["ips"].effective == pytest.approx(kish, abs=1e-9)
    assert FOUND.max_weight == pytest.approx(max(WEIGHTS), abs=1e-12)


def test_self_normalised() -> None:
    value = sum(w * r for w, r in zip(WEIGHTS, REWARDS, strict=True)) / sum(WEIGHTS)
    mean = sum(WEIGHTS) / N
    agrees("snips", value, [w * (r - value) / mean for w, r in zip(WEIGHTS, REWARDS, strict=True)])


def test_clipped_allows_for_what_is_cut_off() -> None:
    parts = [min(w, 2.0) * r for w, r in zip(WEIGHTS, REWARDS, strict=True)]
    value, cut = sum(parts) / N, sum(max(w - 2.0, 0.0) for w in WEIGHTS) / N
    assert cut > 0.05
    agrees("clipped", value, [each - value for each in parts], bias=3.0 * cut)
    assert FOUND["clipped"].bias == pytest.approx((-3.0 * cut, 3.0 * cut), abs=1e-12)


def test_direct_method_and_doubly_robust() -> None:
    logged, wanted, _ = model()
    value = sum(wanted) / N
    phi = np.column_stack([np.ones(N), offline.FEATURES[TABLE["action"]]])
    aim = (TARGET @ np.column_stack([np.ones(offline.ARMS), offline.FEATURES])).mean(axis=0)
    ridge = 0.01 * (phi**2).sum() / phi.size
    lever = N * phi @ np.linalg.inv(phi.T @ phi + ridge * np.eye(4)) @ aim
    misses = [r - q for r, q in zip(REWARDS, logged, strict=True)]
    agrees("dm", value, [wanted[i] - value + lever[i] * misses[i] for i in range(N)])
    size = 1.0 / float(aim @ np.linalg.inv(phi.T @ phi) @ aim)
    assert FOUND["dm"].effective == pytest.approx(size, rel=1e-9)
    parts = [wanted[i] + WEIGHTS[i] * misses[i] for i in range(N)]
    mended = sum(parts) / N
    agrees("dr", mended, [each - mended for each in parts])


def test_replay_of_a_certain_target_on_a_uniform_log_is_where_they_agree() -> None:
    rng = np.random.default_rng(2)
    log = {"action": rng.choice(list("abcd"), 400), "reward": rng.random(400)}
    log["propensity"] = np.full(400, 0.25)
    same = [r for a, r in zip(log["action"], log["reward"], strict=True) if a == "c"]
    found = cl.evaluate(log, {"a": 0, "b": 0, "c": 1, "d": 0})["replay"]
    assert found.value == pytest.approx(np.mean(same), abs=1e-12)
    assert found.effective == len(same)
    # One decision each: the interval is nearly the one of a mean of the agreeing ones alone.
    half = 1.966 * np.std(same) / np.sqrt(len(same))
    assert found.high - found.value == pytest.approx(half, rel=0.01)


def test_arms_without_features_are_told_apart() -> None:
    """The model is then the mean reward of each arm, and its effective size how often it was."""
    rng = np.random.default_rng(4)
    log = {"action": rng.choice(list("ab"), 300, p=[0.8, 0.2]), "reward": rng.random(300)}
    log["propensity"] = np.where(log["action"] == "a", 0.8, 0.2)
    found = cl.evaluate(log, {"a": 0.0, "b": 1.0}, penalty=1e-12)["dm"]
    mine = log["reward"][log["action"] == "b"]
    assert found.effective == pytest.approx(mine.size)
    assert found.value == pytest.approx(mine.mean(), abs=0.01)  # over folds, so not quite
    assert found.high - found.value == pytest.approx(1.97 * mine.std() / mine.size**0.5, rel=0.03)


def test_context_times_arms_is_in_the_model() -> None:
    rng = np.random.default_rng(6)
    x, action = rng.normal(size=1000), rng.choice(list("ab"), 1000)
    reward = np.where(action == "a", x, -x)
    log = {"action": action, "reward": reward, "propensity": np.full(1000, 0.5), "age": x}
    target = {"a": (x > 0).astype(float), "b": (x <= 0).astype(float)}
    blind, told = cl.evaluate(log, target), cl.evaluate(log, target, context=["age"])
    best = np.abs(x).mean()
    assert told["dm"].value == pytest.approx(best, abs=1e-3)
    assert not blind["dm"].covers(best)
    assert blind["dr"].covers(best)
    assert told["dr"].high - told["dr"].low < 0.7 * (blind["dr"].high - blind["dr"].low)


OBP = {
    "ips": 0.1918325116076752,
    "snips": 0.18854104450416684,
    "dm": 0.18819312184721992,
    "dr": 0.1738826078980508,
}
"""What Open Bandit Pipeline 0.4.1 found in the same table, given the predictions of ``model``."""


@pytest.mark.parametrize("name", OBP)
def test_open_bandit_pipeline_found_the_same(name: str) -> None:
    assert FOUND[name].value == pytest.approx(OBP[name], abs=1e-9)
