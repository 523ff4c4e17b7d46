"""Running a plan: setting by setting, each kept as parquet and JSON, and found again."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from conlinucb._version import __version__
from conlinucb.experiments.analysis import Analysis
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.json_files import read_outcome, unless_found, write_outcome
from conlinucb.experiments.outcome import OWN, Outcome, Ran
from conlinucb.experiments.setting import Setting
from conlinucb.experiments.summary import machine, summary
from conlinucb.experiments.tuning import tune
from conlinucb.people import People
from conlinucb.progress import Progress
from conlinucb.simulation.job import Job, make_job, versions
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.results import Results
from conlinucb.simulation.simulate import simulate
from conlinucb.simulation.store import refuse_another

LOGGED = 100
"""Rounds logged of every run."""


def folder_of(out: Path, setting: Setting) -> Path:
    """Where a setting's files lie."""
    return out / setting.protocol.name / setting.item.name


def run_setting(
    setting: Setting, out: Path, bar: Progress, executor: str = "threads", command: str = ""
) -> Outcome:
    """Tune if the protocol says so, play, summarise; or read what an earlier run found."""
    folder, item = folder_of(out, setting), setting.item
    ran = _ran(setting, folder, bar, executor, command)
    chosen = ran.tuning.chosen if ran.tuning else {}
    people = setting.people(setting.thetas()[0])
    agents = {
        name: setting.agent(name, setting.parameters(name, chosen)) for name in setting.agents
    }
    outcome = keep(
        agents, people, folder, setting.slug, ran, bar, executor,
        analyse=item.analyse and partial(item.analyse, setting, people),
        rounds=setting.rounds,
        repeats=setting.runs,
        seed=setting.scoring_seed,
        trace=item.trace,
        timed=item.timed,
        lazy=setting.point.lazy,
        arrivals=item.arrivals,
    )  # fmt: skip
    shutil.rmtree(folder / f"{setting.slug}.tuning-units", ignore_errors=True)
    return outcome


def _ran(setting: Setting, folder: Path, bar: Progress, executor: str, command: str) -> Ran:
    """What is to run, with the search that comes before it."""
    start = time.monotonic()
    tuning = tune(setting, folder, bar, executor=executor) if setting.tunes else None
    return Ran(
        item=setting.item.name,
        protocol=setting.protocol.name,
        setting=setting.name,
        point=setting.point.label,
        at=setting.point.at,
        variant=setting.variant.label,
        data={"name": setting.item.data, **setting.variant.options, **setting.dataset.counts},
        constants=setting.constants,
        schedule=repr(setting.schedule),
        quick=setting.size.quick,
        tuning=tuning,
        tuning_seconds=round(time.monotonic() - start, 1),
        command=command,
    )


def keep(
    agents: Mapping[str, AnyAgent],
    people: People,
    folder: Path,
    slug: str,
    ran: Ran,
    bar: Progress,
    executor: str,
    *,
    analyse: Callable[[Results], Analysis] | None = None,
    **fixed: Any,
) -> Outcome:
    """Play, and keep parquet and a summary; or read the summary that is there."""
    fixed = {"log": LOGGED, "trace": False, "timed": False, "lazy": True, **fixed}
    job = make_job(agents, people, **fixed)
    path, units = folder / f"{slug}.json", folder / f"{slug}.units"
    outcome = _finished(path, job, bar)
    if outcome is None:
        start, resumed = time.monotonic(), units.exists()
        results = unless_found(
            partial(
                simulate, agents, people, executor=executor, store=units, progress=bar, **fixed
            ),
            path,
        )
        if results is None:
            return keep(agents, people, folder, slug, ran, bar, executor, analyse=analyse, **fixed)
        results.save(folder / f"{slug}.parquet")
        made = _outcome(ran, job, results, analyse and analyse(results), start, resumed)
        outcome = write_outcome(path, made)
    shutil.rmtree(units, ignore_errors=True)
    return outcome


def _finished(path: Path, job: Job, bar: Progress) -> Outcome | None:
    """What was kept of this very run; another run under its name is refused."""
    kept = read_outcome(path)
    if kept is not None:
        refuse_another(path, kept.spec, job.spec())
        bar.skip(len(job.agents) * len(job.people) * job.repeats * job.rounds)
    return kept


def _outcome(
    ran: Ran, job: Job, results: Results, analysis: Analysis | None, start: float, resumed: bool
) -> Outcome:
    together = len(job.agents) - 1 if ran.protocol == OWN and len(job.agents) > 1 else 1
    return Outcome(
        **vars(ran),
        runs=job.repeats,
        users=len(job.people),
        rounds=job.rounds,
        seed=job.seed,
        agents=summary(results, ran.baseline or BASELINE, together),
        together=together,
        analysis=analysis,
        seconds=round(time.monotonic() - start, 1),
        resumed=resumed,
        versions={"conlinucb": __version__, **versions()},
        machine=machine(),
        spec=job.spec(),
    )


def scoring_work(setting: Setting) -> int:
    """User-rounds of the run that is reported."""
    users = len(setting.thetas()[0])
    return len(setting.agents) * users * setting.runs * setting.rounds


def tuning_work(setting: Setting) -> int:
    """User-rounds of the search."""
    users = len(setting.thetas()[1])
    return len(setting.tuned) * users * setting.size.trials * setting.rounds


def outcomes(out: Path) -> Iterator[Outcome]:
    """Everything that has been finished in a folder."""
    for path in sorted(out.glob("*/*/*.json")):
        if not path.name.endswith(".tuning.json"):
            found = read_outcome(path)
            if found is not None:
                yield found
