"""The search of ``fair``: the same number of trials for every algorithm, seeded and resumable.

The first trial is the published constants; the others fill the ranges evenly on a logarithmic
scale (Halton points). ConUCB's ``mix`` is searched as (1 - mix) / mix, which is to its arms what
``beta`` is to the others, and over the same range. Least mean regret at the last round wins.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

from conlinucb.engine import simulate
from conlinucb.engine.job import make_job
from conlinucb.engine.store import refuse_another
from conlinucb.experiments.algorithms import Parameters, algorithm, authors_constants
from conlinucb.experiments.files import read_json, unless_found, write_json
from conlinucb.experiments.setting import Setting
from conlinucb.progress import Progress
from conlinucb.validation import seed_of

RANGES: dict[str, tuple[float, float]] = {
    "beta": (0.001, 10.0),
    "mix": (0.0909091, 0.999001),
    "term_beta": (0.001, 10.0),
    "alpha": (0.003, 3.0),
    "term_alpha": (0.003, 3.0),
}
EDGE = 0.05
"""The share of a range, at either end, in which an optimum is suspicious."""


def names_of(name: str) -> tuple[str, ...]:
    """The parameters that an algorithm is tuned over."""
    return (
        ("mix", "term_beta", "alpha", "term_alpha")
        if algorithm(name).two_step
        else ("beta", "alpha")
    )


def trials(name: str, data: str, count: int, seed: int) -> list[Parameters]:
    """The points to try: the published constants, then ``count - 1`` points over the ranges.

    >>> trials("MCR", "synthetic", 2, seed=0)[0]
    {'beta': 0.15, 'alpha': 0.1}
    """
    names = names_of(name)
    places = qmc.Halton(len(names), scramble=True, rng=int(seed_of(seed))).random(count - 1)
    points = [
        {each: value(each, float(place)) for each, place in zip(names, row, strict=True)}
        for row in places
    ]
    return [authors_constants(name, data), *points]


def value(name: str, place: float) -> float:
    """The value at a place from 0 to 1 of a parameter's range, to a few digits.

    >>> value("beta", 1.0), value("mix", 0.0)
    (10.0, 0.0909091)
    """
    low, high = RANGES[name]
    if name == "mix":
        low, high = _ridge(low), _ridge(high)
    exact = low * (high / low) ** place
    return float(f"{1 / (1 + exact):.6g}" if name == "mix" else f"{exact:.4g}")


def place(name: str, value: float) -> float:
    """Where a value lies in its parameter's range: the inverse of ``value``."""
    low, high = RANGES[name]
    if name == "mix":
        low, high, value = _ridge(low), _ridge(high), _ridge(value)
    return float(np.log(value / low) / np.log(high / low))


def _ridge(mix: float) -> float:
    """ConUCB's (1 - mix) / mix is to its arms what beta is to a ridge, and is searched as such."""
    return (1 - mix) / mix


def at_edge(parameters: Parameters) -> list[str]:
    """Parameters that lie at an end of their range, where a wider one might do better.

    >>> at_edge({"beta": 0.00101, "alpha": 0.3})
    ['beta']
    """
    return [
        name for name, given in parameters.items() if not EDGE <= place(name, given) <= 1 - EDGE
    ]


def tune(setting: Setting, folder: Path, bar: Progress, **how: Any) -> dict[str, Any]:
    """Every algorithm's trials and the best of them; found again if the folder has them."""
    tried = {
        name: trials(name, setting.item.data, setting.size.trials, setting.tuning_seed)
        for name in setting.agents
    }
    agents = {
        f"{name} #{i}": setting.agent(name, parameters)
        for name, points in tried.items()
        for i, parameters in enumerate(points)
    }
    people = setting.people(setting.thetas()[1])
    fixed: dict[str, Any] = {"rounds": setting.rounds, "seed": setting.tuning_seed, "log": 1}
    job = make_job(agents, people, repeats=1, trace=False, timed=False, lazy=True, **fixed)
    path = folder / f"{setting.slug}.tuning.json"
    kept = read_json(path)
    if kept is not None:
        refuse_another(path, kept["spec"], job.spec())
        bar.skip(len(agents) * len(people.thetas) * setting.rounds)
        return kept
    units = folder / f"{setting.slug}.tuning-units"
    play = partial(simulate, agents, people, repeats=1, store=units, progress=bar, **fixed, **how)
    results = unless_found(play, path)
    if results is None:
        return tune(setting, folder, bar, **how)
    found = {
        name: [
            {"parameters": p, "regret": float(results.final_regret(f"{name} #{i}").mean())}
            for i, p in enumerate(points)
        ]
        for name, points in tried.items()
    }
    return write_json(path, {**_best(found), "users": len(people.thetas), "spec": job.spec()})


def _best(found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    chosen = {name: min(rows, key=lambda row: row["regret"]) for name, rows in found.items()}
    return {
        "trials": found,
        "chosen": {name: row["parameters"] for name, row in chosen.items()},
        "edges": {name: at_edge(row["parameters"]) for name, row in chosen.items()},
        "ranges": {name: list(ends) for name, ends in RANGES.items()},
    }
