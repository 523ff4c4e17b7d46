"""The search of ``fair``: the same number of trials for every algorithm, seeded and resumable.

A quarter of the trials is spread: the published constants, and points that fill the ranges evenly
on a logarithmic scale (Halton). The others go along lines: from the best point so far, one
parameter after another is varied over its range, then again near the best, and nearer. Spread
alone, points in ConUCB's four dimensions miss its optimum by far.
ConUCB's ``mix`` is searched as (1 - mix) / mix, which is to its arms what ``beta`` is to the
others, and over the same range. Least mean regret at the last round wins.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

from conlinucb.agent.agent import Agent
from conlinucb.experiments.algorithms import Parameters, algorithm, authors_constants
from conlinucb.experiments.json_files import read_search, unless_found, write_search
from conlinucb.experiments.outcome import Search, Trial
from conlinucb.experiments.setting import Setting
from conlinucb.numerics.validation import seed_of
from conlinucb.people.linear import LinearUsers
from conlinucb.progress import Progress
from conlinucb.simulation.job import Job, make_job
from conlinucb.simulation.results import Results
from conlinucb.simulation.simulate import simulate
from conlinucb.simulation.store import refuse_another

RANGES: dict[str, tuple[float, float]] = {
    "beta": (0.001, 10.0),
    "mix": (0.0909091, 0.999001),
    "term_beta": (0.001, 10.0),
    "alpha": (0.003, 3.0),
    "term_alpha": (0.003, 3.0),
}
EDGE = 0.05
"""The share of a range, at either end, in which an optimum is suspicious."""


LINES = 8
"""Twice along each of ConUCB's four parameters, so four times along each of two."""
NEAR = 0.2
"""How far from the best a second line along a parameter goes, as a share of its range; further
lines go half as far as the one before."""


def names_of(name: str) -> tuple[str, ...]:
    """The parameters that an algorithm is tuned over."""
    return (
        ("alpha", "term_alpha", "mix", "term_beta")
        if algorithm(name).two_step
        else ("alpha", "beta")
    )


def trials(name: str, data: str, count: int, seed: int) -> list[Parameters]:
    """The points to try first: the published constants, and ``count - 1`` over the ranges.

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


def tune(setting: Setting, folder: Path, bar: Progress, **how: Any) -> Search:
    """Every algorithm's trials and the best of them; found again if the folder has them."""
    people = setting.people(setting.thetas()[1])
    spread, lines = budget(setting.size.trials)
    first = {
        name: trials(name, setting.item.data, spread, setting.tuning_seed)
        for name in setting.agents
    }
    spec = {**_job(setting, people, first).spec(), "trials": setting.size.trials}
    path = folder / f"{setting.slug}.tuning.json"
    kept = read_search(path)
    if kept is not None:
        search, of_search = kept
        refuse_another(path, of_search, spec)
        bar.skip(len(first) * setting.size.trials * len(people.thetas) * setting.rounds)
        return search
    found: dict[str, list[Trial]] = {name: [] for name in first}
    for stage, count in enumerate((spread, *lines)):
        tried = first if stage == 0 else _lines(found, stage - 1, count)
        play = partial(_play, setting, people, tried, folder, stage, bar, **how)
        results = unless_found(play, path)
        if results is None:
            return tune(setting, folder, bar, **how)
        for name, rows in _told(tried, results).items():
            found[name] += rows
    return write_search(path, _best(found, len(people.thetas)), spec)


def budget(count: int) -> tuple[int, list[int]]:
    """How many trials are spread over the ranges, and how many go along each line after.

    >>> budget(64), budget(2)
    ((16, [6, 6, 6, 6, 6, 6, 6, 6]), (2, []))
    """
    spread = count if count <= 2 else max(2, count // 4)
    rest = [(count - spread + left) // LINES for left in range(LINES)]
    return spread, [each for each in reversed(rest) if each]


def _lines(found: dict[str, list[Trial]], stage: int, count: int) -> dict[str, list[Parameters]]:
    """From each algorithm's best point, along one parameter; each stage takes the next."""
    tried = {}
    for name, rows in found.items():
        best = _least(rows).parameters
        names = names_of(name)
        tried[name] = line(best, names[stage % len(names)], count, visits=stage // len(names))
    return tried


def line(best: Parameters, name: str, count: int, visits: int = 0) -> list[Parameters]:
    """Points that differ from the best in one parameter: over its range, then ever nearer.

    >>> [each["beta"] for each in line({"beta": 0.1, "alpha": 0.2}, "beta", 2)]
    [0.01, 1.0]
    """
    places = (np.arange(count) + 0.5) / count
    if visits:
        reach = NEAR / 2 ** (visits - 1)
        places = np.clip(place(name, best[name]) + reach * (2 * places - 1), 0.0, 1.0)
    return [{**best, name: value(name, float(each))} for each in places]


def _agents(setting: Setting, tried: dict[str, list[Parameters]]) -> dict[str, Agent]:
    return {
        f"{name} #{i}": setting.agent(name, parameters)
        for name, points in tried.items()
        for i, parameters in enumerate(points)
    }


def _fixed(setting: Setting) -> dict[str, Any]:
    return {"rounds": setting.rounds, "repeats": 1, "seed": setting.tuning_seed, "log": 1}


def _job(setting: Setting, people: LinearUsers, tried: dict[str, list[Parameters]]) -> Job:
    agents = _agents(setting, tried)
    return make_job(agents, people, trace=False, timed=False, lazy=True, **_fixed(setting))


def _play(
    setting: Setting,
    people: LinearUsers,
    tried: dict[str, list[Parameters]],
    folder: Path,
    stage: int,
    bar: Progress,
    **how: Any,
) -> Results:
    units = folder / f"{setting.slug}.tuning-units" / str(stage)
    agents = _agents(setting, tried)
    return simulate(agents, people, store=units, progress=bar, **_fixed(setting), **how)


def _told(tried: dict[str, list[Parameters]], results: Results) -> dict[str, list[Trial]]:
    return {
        name: [
            Trial(parameters=p, regret=float(results.final_regret(f"{name} #{i}").mean()))
            for i, p in enumerate(points)
        ]
        for name, points in tried.items()
    }


def _least(rows: list[Trial]) -> Trial:
    return min(rows, key=lambda row: row.regret)


def _best(found: dict[str, list[Trial]], users: int) -> Search:
    chosen = {name: _least(rows).parameters for name, rows in found.items()}
    return Search(
        trials={name: tuple(rows) for name, rows in found.items()},
        chosen=chosen,
        edges={name: tuple(at_edge(parameters)) for name, parameters in chosen.items()},
        ranges={name: (low, high) for name, (low, high) in RANGES.items()},
        users=users,
    )
