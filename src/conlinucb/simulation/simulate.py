"""simulate: many agents, the same people, the same chance."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from conlinucb.numerics.validation import whole
from conlinucb.people import People
from conlinucb.progress import Progress
from conlinucb.simulation.executors import Executor, executor_of
from conlinucb.simulation.job import HIT, Job, Unit, make_job, versions
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.results import Results
from conlinucb.simulation.store import Store
from conlinucb.simulation.visits import Arrivals

logger = logging.getLogger("conlinucb")
SHARD = 20
"""Users in a unit unless told otherwise: small enough to spread and to resume well."""


def simulate(
    agents: Mapping[str, AnyAgent],
    people: People,
    *,
    rounds: int,
    repeats: int = 1,
    seed: int = 0,
    log: int | Sequence[int] | None = None,
    trace: bool = False,
    timed: bool = False,
    lazy: bool = True,
    hit: float = HIT,
    arrivals: Arrivals = "one by one",
    executor: str | Executor = "threads",
    threads: int | None = None,
    shard: int | None = None,
    store: str | Path | None = None,
    progress: bool | Progress | None = None,
) -> Results:
    """Let every agent meet the same people under the same chance, and log what happens.

    ``log`` are the rounds to log, or how many (default: at most 200, the last among them).
    ``trace`` keeps every recommended arm and question; ``timed`` measures the time spent on
    choosing arms and questions. ``lazy=False`` computes every radius; decisions are the same.
    ``hit`` is the least reward that counts as one of the ``hits``. ``arrivals`` is the order in
    which people come, "one by one" or "interleaved" in visits of 1 to 4 rounds: it matters to
    agents that share, and to no other.

    ``executor`` is "threads" or "ray", ``threads`` how many workers, ``shard`` the users in one
    unit of work: none of them changes a number. With ``store`` each finished unit is kept in
    that folder, and the same call goes on where an earlier one stopped. ``progress`` is whether to
    show a bar (default: in a terminal or notebook), or the bar of a longer plan to count in.

    >>> import numpy as np, conlinucb as cl
    >>> rng = np.random.default_rng(0)
    >>> catalog = cl.Catalog(rng.normal(size=(40, 3)), np.ones((40, 2)))
    >>> people = cl.LinearUsers(rng.normal(size=(5, 3)), pool_size=10)
    >>> results = cl.simulate({"LinUCB": cl.linucb(catalog)}, people, rounds=30, repeats=2)
    >>> results.final_regret("LinUCB").shape
    (2, 5)
    """
    job = make_job(
        agents,
        people,
        rounds=rounds,
        repeats=repeats,
        seed=seed,
        log=log,
        trace=trace,
        timed=timed,
        lazy=lazy,
        hit=hit,
        arrivals=arrivals,
    )
    workers = executor_of(executor, threads)
    shard = whole("shard", SHARD if shard is None else shard, low=1)
    kept = Store(store, job, shard) if store is not None else None
    units = job.units(kept.shard if kept else shard)
    if isinstance(progress, Progress):
        return _run(job, workers, units, kept, progress, own=False)
    bar = Progress(len(agents) * job.repeats * len(people) * job.rounds, shown=progress)
    try:
        return _run(job, workers, units, kept, bar, own=True)
    finally:
        bar.close()


def _run(
    job: Job, workers: Executor, units: list[Unit], kept: Store | None, bar: Progress, own: bool
) -> Results:
    """``own``: whether the bar is this run's alone, so that nobody else says what goes on."""
    results = Results.empty(
        list(job.agents), job.repeats, len(job.people), job.logged, job.spec(), versions()
    )
    missing = dict.fromkeys(units)
    for unit, played in kept.finished(units) if kept else ():
        results.put(unit, played._asdict())
        bar.skip(_size(job, unit))
        del missing[unit]
    try:
        for unit, played in workers.run(job, list(missing)):
            if kept:
                kept.save(unit, played)
            results.put(unit, played._asdict())
            bar.add(_size(job, unit))
            del missing[unit]
    except KeyboardInterrupt:
        if own:
            bar.close()
            _say_how_to_go_on(len(units) - len(missing), len(units), kept)
        raise
    return results


def _size(job: Job, unit: Unit) -> int:
    return (unit.last - unit.first) * job.rounds


def _say_how_to_go_on(done: int, total: int, kept: Store | None) -> None:
    where = (
        f"They are in {kept.folder}; the same call with that store computes the rest."
        if kept
        else "They are lost; with store=FOLDER they would have been kept."
    )
    logger.warning("Interrupted: %d of %d units were finished. %s", done, total, where)
