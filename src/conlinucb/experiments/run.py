"""Running a plan: setting by setting, each kept as parquet and JSON, and found again."""

from __future__ import annotations

import os
import platform
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb._version import __version__
from conlinucb.agent.agent import Agent
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.json_files import read_json, unless_found, write_json
from conlinucb.experiments.setting import Setting
from conlinucb.experiments.tuning import tune
from conlinucb.people.linear import LinearUsers
from conlinucb.progress import Progress
from conlinucb.simulation.job import make_job, versions
from conlinucb.simulation.loop.inputs import METRICS
from conlinucb.simulation.results import Curve, Results
from conlinucb.simulation.simulate import simulate
from conlinucb.simulation.store import refuse_another, refuse_format

FORMAT = 1
"""Version of an outcome's JSON."""
LOGGED = 100
"""Rounds logged of every run."""
Outcome = dict[str, Any]


def folder_of(out: Path, setting: Setting) -> Path:
    """Where a setting's files lie."""
    return out / setting.protocol.name / setting.item.name


def run_setting(
    setting: Setting, out: Path, bar: Progress, executor: str = "threads", command: str = ""
) -> Outcome:
    """Tune if the protocol says so, play, summarise; or read what an earlier run found."""
    folder = folder_of(out, setting)
    start = time.monotonic()
    tuning = tune(setting, folder, bar, executor=executor) if setting.tunes else None
    chosen = tuning["chosen"] if tuning else {}
    people = setting.people(setting.thetas()[0])
    agents = {
        name: setting.agent(name, setting.parameters(name, chosen)) for name in setting.agents
    }
    about = {
        **setting.describe(),
        "tuning": tuning and {key: value for key, value in tuning.items() if key != "spec"},
        "tuning_seconds": round(time.monotonic() - start, 1),
        "command": command,
    }
    analyse = setting.item.analyse
    outcome = keep(
        agents, people, folder, setting.slug, about, bar, executor,
        analyse=analyse and partial(analyse, setting, people),
        rounds=setting.rounds,
        repeats=setting.runs,
        seed=setting.scoring_seed,
        trace=setting.item.trace,
        timed=setting.item.timed,
        lazy=setting.point.lazy,
    )  # fmt: skip
    shutil.rmtree(folder / f"{setting.slug}.tuning-units", ignore_errors=True)
    return outcome


def keep(
    agents: Mapping[str, Agent],
    people: LinearUsers,
    folder: Path,
    slug: str,
    about: Mapping[str, Any],
    bar: Progress,
    executor: str,
    *,
    analyse: Callable[[Results], dict[str, Any]] | None = None,
    baseline: str = BASELINE,
    **fixed: Any,
) -> Outcome:
    """Play, and keep parquet and a summary; or read the summary that is there."""
    fixed = {"log": LOGGED, "trace": False, "timed": False, "lazy": True, **fixed}
    job = make_job(agents, people, **fixed)
    path, units = folder / f"{slug}.json", folder / f"{slug}.units"
    kept = read_json(path)
    if kept is not None:
        refuse_format(path, kept, FORMAT)
        refuse_another(path, kept["spec"], job.spec())
        shutil.rmtree(units, ignore_errors=True)
        bar.skip(len(agents) * len(people.thetas) * job.repeats * job.rounds)
        return kept
    start, resumed = time.monotonic(), units.exists()
    play = partial(simulate, agents, people, executor=executor, store=units, progress=bar, **fixed)
    results = unless_found(play, path)
    if results is None:
        return keep(
            agents, people, folder, slug, about, bar, executor,
            analyse=analyse, baseline=baseline, **fixed,
        )  # fmt: skip
    results.save(folder / f"{slug}.parquet")
    outcome = {
        "format": FORMAT,
        **about,
        "runs": job.repeats,
        "users": len(people.thetas),
        "rounds": job.rounds,
        "seed": job.seed,
        "agents": summary(results, baseline),
        "analysis": analyse and analyse(results),
        "seconds": round(time.monotonic() - start, 1),
        "resumed": resumed,
        "versions": {"conlinucb": __version__, **versions()},
        "machine": {"processor": _processor(), "cores": os.cpu_count()},
        "spec": job.spec(),
    }
    kept = write_json(path, outcome)
    shutil.rmtree(units, ignore_errors=True)
    return kept


def scoring_work(setting: Setting) -> int:
    """User-rounds of the run that is reported."""
    users = len(setting.thetas()[0])
    return len(setting.agents) * users * setting.runs * setting.rounds


def tuning_work(setting: Setting) -> int:
    """User-rounds of the search."""
    users = len(setting.thetas()[1])
    return len(setting.agents) * users * setting.size.trials * setting.rounds


def summary(results: Results, baseline: str = BASELINE) -> dict[str, Any]:
    """Each agent's parameters, regret curve, last values and improvement over the baseline."""
    return {name: _summary(results, name, baseline) for name in results.agents}


def _summary(results: Results, name: str, baseline: str) -> dict[str, Any]:
    curve = results.curve(name)
    described = results.spec["agents"][name]
    return {
        "parameters": {k: v for k, v in described.items() if k != "asked"},
        "curve": {
            field: _plain(values) for field, values in zip(Curve._fields, curve, strict=True)
        },
        "last": {each: float(results.metric(name, each)[..., -1].mean()) for each in METRICS},
        "versus": {
            other: _versus(results, name, other) for other in results.agents if other != name
        },
        "improvement": _versus(results, name, baseline) if baseline in results.agents else None,
    }


def _versus(results: Results, name: str, other: str) -> dict[str, float | None]:
    """Improvement over another agent, in percent."""
    found = results.compare(name, other)
    percents = (found.improvement, found.improvement_low, found.improvement_high)
    measured, low, high = _plain(100 * np.array(percents))
    return {"measured": measured, "low": low, "high": high, "p_value": found.p_value}


def _plain(values: Any) -> list[float | None]:
    """JSON has no NaN."""
    return [each if np.isfinite(each) else None for each in np.asarray(values).tolist()]


def _processor() -> str:
    """What the machine's processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def outcomes(out: Path) -> Iterator[Outcome]:
    """Everything that has been finished in a folder."""
    for path in sorted(out.glob("*/*/*.json")):
        if not path.name.endswith(".tuning.json"):
            found = read_json(path)
            if found is not None:
                refuse_format(path, found, FORMAT)
                yield found
