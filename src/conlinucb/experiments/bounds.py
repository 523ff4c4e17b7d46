"""The theory as one more item: is Lemma 2 kept, and how far are the bounds from the regret?

Everything is as the theory assumes: theta of length 1, independent noise of sd at most 1, beta 1,
alpha by Eq. 8, b(t) = b t. Coverage is computed from the traces alone, with a direct solve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb import theory
from conlinucb.agent.schedule import asked_by
from conlinucb.agent.spanner import barycentric_spanner
from conlinucb.experiments.algorithms import ALGORITHMS
from conlinucb.experiments.analysis import Analysis, Coverage, InsideByAlpha, InsideByDelta
from conlinucb.experiments.item import Item, Point
from conlinucb.experiments.setting import Setting
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.linear import LinearUsers
from conlinucb.simulation.results import Results

DELTAS = (0.5, 0.2, 0.1, 0.05, 0.01)
DELTA = 0.05
SLOPE = 0.1
"""b in b(t) = b t."""
PRACTICE = 0.1
"""The alpha of the experiments, beside Eq. 8's."""
CHECKS = 20
"""Rounds at which coverage is looked at, evenly on a logarithmic scale."""


def analyse(setting: Setting, people: LinearUsers, results: Results) -> Analysis:
    """Coverage of Lemma 2 for each agent with one estimate, and all bounds at each round."""
    ridge = [name for name in results.agents if not ALGORITHMS[name].two_step]
    at = np.unique(np.geomspace(1, setting.rounds, CHECKS).round().astype(np.int64))
    noises = [_noises(setting, people, run, user) for run, user in _everyone(results)]
    coverage = {}
    for name in ridge:
        errors = [
            _needed(setting, people.thetas[user], results.trace(name, run, user), noise, at)
            for (run, user), noise in zip(_everyone(results), noises, strict=True)
        ]
        coverage[name] = _coverage(setting, np.array(errors), at)
    return _bounds(setting, results.rounds, coverage)


def _everyone(results: Results) -> list[tuple[int, int]]:
    runs, users = results.final_regret(results.agents[0]).shape
    return [(run, user) for run in range(runs) for user in range(users)]


def _questions(setting: Setting) -> Indices:
    """How many questions each round 1 .. T asks."""
    return np.diff([asked_by(setting.schedule, t) for t in range(setting.rounds + 1)])


def _noises(setting: Setting, people: LinearUsers, run: int, user: int) -> tuple[Floats, Floats]:
    """The noise of every reward, and of every answer in order."""
    rewards, answers = [], [np.empty(0)]
    for t, due in enumerate(_questions(setting), start=1):
        place = setting.scoring_seed, run, user, t
        draw = people.draw(*place, catalog=setting.dataset.catalog, questions=int(due))
        rewards.append(draw.noise)
        answers.append(draw.term_noise)
    return np.array(rewards), np.concatenate(answers)


def _needed(
    setting: Setting,
    theta: Floats,
    trace: tuple[Indices, Indices],
    noise: tuple[Floats, Floats],
    at: Indices,
) -> Floats:
    """|x'(theta_t - theta*)| / ||x||_P for each checked round and arm: the alpha it would take."""
    catalog = setting.dataset.catalog
    everything = catalog.arms
    arms, terms = everything[trace[0]], catalog.terms[trace[1]]
    asked = np.cumsum(_questions(setting))
    M, b = np.eye(catalog.d), np.zeros(catalog.d)
    out, before, asked_before = [], 0, 0
    for t in at:
        rows = np.vstack([arms[before:t], terms[asked_before : asked[t - 1]]])
        errors = np.concatenate([noise[0][before:t], noise[1][asked_before : asked[t - 1]]])
        M += rows.T @ rows
        b += rows.T @ (rows @ theta + errors)
        before, asked_before = t, asked[t - 1]
        gap = np.abs(everything @ (np.linalg.solve(M, b) - theta))
        out.append(gap / np.sqrt(((everything @ np.linalg.inv(M)) * everything).sum(axis=1)))
    return np.array(out)


def _coverage(setting: Setting, needed: Floats, at: Indices) -> Coverage:
    """``needed`` is (people, checked rounds, arms)."""
    asked = np.array([asked_by(setting.schedule, int(t)) for t in at])
    d = setting.dataset.catalog.d
    rows = []
    for delta in DELTAS:
        inside = needed <= theory.alpha(at, asked, d, 1.0, delta)[:, None]
        rows.append(InsideByDelta(delta=delta, **_shares(inside)))
    return Coverage(
        people=len(needed),
        rounds=tuple(at.tolist()),
        arms=needed.shape[2],
        by_delta=tuple(rows),
        practice=InsideByAlpha(alpha=PRACTICE, **_shares(needed <= PRACTICE)),
        alpha=tuple(theory.alpha(at, asked, d, 1.0, DELTA).tolist()),
        needed_max=tuple(needed.max(axis=(0, 2)).tolist()),
        needed_median=tuple(np.median(needed.max(axis=2), axis=0).tolist()),
    )


def _shares(inside: Any) -> dict[str, float]:
    """Of all (person, round, arm), and of people for whom every round and arm is inside."""
    return {
        "share": float(inside.mean()),
        "people_always_inside": float(inside.all(axis=(1, 2)).mean()),
    }


def _bounds(setting: Setting, rounds: Indices, coverage: dict[str, Coverage]) -> Analysis:
    catalog = setting.dataset.catalog
    d = catalog.d
    spanner = barycentric_spanner(catalog.terms)
    lambda_B = theory.lambda_B(catalog.terms[spanner.indices])
    bounds = {
        "MCR": theory.theorem_2(rounds, SLOPE, d, 1.0, DELTA),
        "ConUCB": theory.conucb_bound(rounds, SLOPE, d, 0.5, 1.0, DELTA),
    }
    if lambda_B > 0:
        bounds["BS"] = theory.theorem_1(rounds, SLOPE, lambda_B, d, 1.0, DELTA)
    return Analysis(
        coverage=coverage,
        lambda_B=lambda_B,
        delta=DELTA,
        b=SLOPE,
        rounds=tuple(rounds.tolist()),
        bounds={name: tuple(each.tolist()) for name, each in bounds.items()},
        t0=theory.t0(SLOPE, lambda_B, d, DELTA) if lambda_B > 0 else None,
    )


THEORY = Item(
    name="theory",
    kind="theory",
    title="Theory beside practice: Lemma 2, Theorems 1 and 2, ConUCB's bound",
    data="synthetic",
    rounds=1000,
    users=100,
    agents=("ConUCB", "BS", "MCR"),
    points=tuple(
        Point(label=f"noise {noise:g}", schedule=("linear", SLOPE), noise=noise)
        for noise in (0.1, 1.0)
    ),
    constants="theory",
    trace=True,
    most_runs=1,
    analyse=analyse,
    about="Run as the theory assumes, not as the experiments are: theta of length 1, independent "
    "noise, beta 1, alpha by Eq. 8 with delta 0.05, and b(t) = 0.1 t. Noise of sd 1 is the most "
    "that 1-sub-Gaussian allows.",
)
