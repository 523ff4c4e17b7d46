"""The search of ``fair``: the same number of trials for every algorithm, seeded and resumable.

It is that of ``conlinucb.tune``, from the published constants on: see ``simulation.lines``.
ConUCB's ``mix`` is searched as (1 - mix) / mix, which is to its arms what ``beta`` is to the
others, and over the same range. Least mean regret at the last round wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from conlinucb.experiments.algorithms import Parameters, algorithm, authors_constants
from conlinucb.experiments.json_files import read_search, unless_found, write_search
from conlinucb.experiments.later_algorithms import LATER
from conlinucb.experiments.outcome import Search, Trial
from conlinucb.experiments.setting import Setting
from conlinucb.people import People
from conlinucb.progress import Progress
from conlinucb.simulation.batch import Plan
from conlinucb.simulation.job import make_job
from conlinucb.simulation.lines import Lines, spread
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.ranges import Log, Numbers, Range
from conlinucb.simulation.search import search
from conlinucb.simulation.space import USUAL, Space
from conlinucb.simulation.store import refuse_another
from conlinucb.simulation.trial import Trial as Tried
from conlinucb.simulation.trial import best_of

RANGES: dict[str, Numbers] = {
    **{name: USUAL[name] for name in ("beta", "mix", "term_beta", "alpha", "term_alpha")},
    **{name: Log(0.0003, 0.3) for name in ("cost", "c")},
    "kappa": Log(0.003, 3.0),
    "a": Log(0.03, 10.0),
}


def names_of(name: str) -> tuple[str, ...]:
    """The parameters that an algorithm is tuned over."""
    if name in LATER:
        return tuple(LATER[name].constants)
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
    return [authors_constants(name, data), *spread(_ranges(name), count - 1, seed)]


def _ranges(name: str) -> dict[str, Range]:
    return {each: RANGES[each] for each in names_of(name)}


def tune(setting: Setting, folder: Path, bar: Progress, **how: Any) -> Search:
    """Every algorithm's trials and the best of them; found again if the folder has them."""
    people = setting.people(setting.thetas()[1])
    spec = _spec(setting, people)
    path = folder / f"{setting.slug}.tuning.json"
    kept = read_search(path)
    if kept is not None:
        found, of_search = kept
        refuse_another(path, of_search, spec)
        bar.skip(len(found.trials) * setting.size.trials * len(people) * setting.rounds)
        return found
    units = folder / f"{setting.slug}.tuning-units"
    spaces = {name: _space(setting, name) for name in setting.tuned}
    plan = Plan(people, setting.rounds, setting.tuning_seed, arrivals=setting.item.arrivals)
    play = partial(
        search, spaces, plan, Lines(), setting.size.trials, store=units, progress=bar, **how
    )
    rows = unless_found(play, path)
    if rows is None:
        return tune(setting, folder, bar, **how)
    return write_search(path, _searched(spaces, rows, len(people)), spec)


def _space(setting: Setting, name: str) -> Space:
    def build(**parameters: Any) -> AnyAgent:
        return setting.agent(name, parameters)

    first = authors_constants(name, setting.item.data)
    return Space(build, first=first, **_ranges(name))


def _spec(setting: Setting, people: People) -> dict[str, Any]:
    """What a stored search must agree on: the first points decide all others."""
    data, count = setting.item.data, setting.size.trials
    first = {
        name: trials(name, data, Lines().stages(count)[0], setting.tuning_seed)
        for name in setting.tuned
    }
    agents = {
        f"{name} #{i}": setting.agent(name, point)
        for name, points in first.items()
        for i, point in enumerate(points)
    }
    fixed: dict[str, Any] = {"rounds": setting.rounds, "repeats": 1, "log": 1}
    fixed |= {"seed": setting.tuning_seed, "arrivals": setting.item.arrivals}
    job = make_job(agents, people, trace=False, timed=False, lazy=True, **fixed)
    return {**job.spec(), "trials": count}


def _searched(spaces: Mapping[str, Space], rows: Mapping[str, list[Tried]], users: int) -> Search:
    chosen = {name: best_of(each).parameters for name, each in rows.items()}
    return Search(
        trials={
            name: tuple(Trial(parameters=row.parameters, regret=row.score) for row in each)
            for name, each in rows.items()
        },
        chosen=chosen,
        edges={name: tuple(spaces[name].at_edge(point)) for name, point in chosen.items()},
        ranges={name: (each.low, each.high) for name, each in RANGES.items()},
        users=users,
    )
