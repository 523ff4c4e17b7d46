"""tune: the best parameters of every algorithm on one budget, scored on people not tuned on."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conlinucb import atomic
from conlinucb._version import __version__
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import number, whole
from conlinucb.people import People
from conlinucb.progress import Progress
from conlinucb.simulation.batch import Plan
from conlinucb.simulation.executors import Executor
from conlinucb.simulation.halving import Halving
from conlinucb.simulation.job import make_job
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.search import APART, Sampler, search
from conlinucb.simulation.sensitivity import Sensitivity, sensitivities
from conlinucb.simulation.simulate import simulate
from conlinucb.simulation.space import Space
from conlinucb.simulation.store import FORMAT, refuse_another, refuse_format
from conlinucb.simulation.trial import Trial, Trials, best_of
from conlinucb.simulation.tuned import Tuned
from conlinucb.simulation.tuning_input import (
    halving_of,
    more_is_better,
    sampler_of,
    searched_of,
    split,
)
from conlinucb.simulation.visits import Arrivals, checked_arrivals

logger = logging.getLogger("conlinucb")


def tune(
    spaces: Mapping[str, Space | AnyAgent],
    people: People,
    *,
    rounds: int,
    budget: int = 64,
    scored_on: People | float = 0.5,
    repeats: int = 1,
    trial_repeats: int = 1,
    seed: int = 0,
    metric: str = "regret",
    better: Literal["less", "more"] | None = None,
    sampler: Any = "lines",
    halving: Halving | None = None,
    sensitivity: float | None = 2.0,
    log: Any = None,
    arrivals: Arrivals = "one by one",
    executor: str | Executor = "threads",
    threads: int | None = None,
    store: str | Path | None = None,
    progress: bool | Progress | None = None,
) -> Tuned:
    """Search the best parameters of every algorithm on one budget, and score them on others.

    ``spaces`` maps names to a ``Space``, or to an agent that has nothing to tune. Each has
    ``budget`` trials of ``rounds`` rounds on the same people under the same chance.
    ``scored_on`` are other people, or the share of ``people`` that is kept for the score, drawn by
    the seed; who is among both is refused. The score has ``repeats`` repeats and another seed than
    the trials.

    ``metric`` is anything that ``simulate`` logs, at the last round; ``better`` says whether
    "less" or "more" of it is (default: more of reward, hits and answered, else less).
    ``sampler`` is "lines" (spread points, then lines from the best), "tpe" or "cma-es" of Optuna,
    or an object with ``stages`` and ``start``. With ``halving`` points are stopped early, by the
    same schedule for all, and the same user-rounds reach more points. After the choice each
    parameter is divided and multiplied by ``sensitivity`` (None: not at all), on the people tuned
    on and beyond the budget, to report how much it matters.

    ``arrivals`` as of ``simulate``: the order in which people come, while tuning and scoring.
    ``executor`` and ``threads`` as of ``simulate``; neither changes a number. With ``store`` the
    same call goes on where an earlier one stopped.

    >>> import numpy as np, conlinucb as cl
    >>> rng = np.random.default_rng(0)
    >>> catalog = cl.Catalog(rng.normal(size=(40, 3)), np.ones((40, 2)))
    >>> people = cl.LinearUsers(rng.normal(size=(20, 3)), pool_size=10)
    >>> space = cl.Space(cl.linucb, catalog, alpha=cl.Log(0.01, 1.0), beta=cl.Log(0.01, 10.0))
    >>> tuned = cl.tune({"LinUCB": space}, people, rounds=50, budget=12)
    >>> sorted(tuned.best["LinUCB"])
    ['alpha', 'beta']
    >>> tuned.results.final_regret("LinUCB").shape, len(tuned.trials)
    ((1, 10), 12)
    """
    searched, agents = searched_of(spaces)
    tuned_on, others = split(people, scored_on, next(iter(agents.values())).catalog, seed)
    plan = Plan(
        tuned_on,
        whole("rounds", rounds, low=1),
        int(seed) + APART,
        whole("trial_repeats", trial_repeats, low=1),
        metric,
        more_is_better(metric, better),
        halving_of(halving),
        checked_arrivals(arrivals),
    )
    factor = None if sensitivity is None else number("sensitivity", sensitivity, low=1.001)
    score = {"rounds": rounds, "repeats": repeats, "seed": seed, "log": log, "arrivals": arrivals}
    work = _Work(
        searched, agents, others, plan, sampler_of(sampler), whole("budget", budget, low=1),
        factor, score, None if store is None else Path(store),
    )  # fmt: skip
    spec = work.spec()
    if work.store is not None:
        claim(work.store, spec)
    bar = progress if isinstance(progress, Progress) else Progress(work.size(), shown=progress)
    try:
        return work.done(executor=executor, threads=threads, progress=bar)
    except KeyboardInterrupt:
        _say_how_to_go_on(work.store)
        raise
    finally:
        if bar is not progress:
            bar.close()


@dataclass(frozen=True)
class _Work:
    """Everything that decides a search and its score."""

    spaces: dict[str, Space]
    agents: dict[str, AnyAgent]
    """At the first points, and those that have nothing to tune."""
    others: People
    plan: Plan
    sampler: Sampler
    budget: int
    factor: float | None
    score: dict[str, Any]
    store: Path | None

    def size(self) -> int:
        """User-rounds of the search and the score."""
        score = len(self.agents) * len(self.others) * int(self.score["repeats"])
        return self._user_rounds() * len(self.spaces) + score * self.plan.rounds

    def _user_rounds(self) -> int:
        return self.plan.user_rounds(self.sampler.stages(self.budget))

    def spec(self) -> dict[str, Any]:
        """What a stored search must agree on to be the same, as plain values."""
        plan = self.plan
        quiet: dict[str, Any] = {"trace": False, "timed": False, "lazy": True}
        alike: dict[str, Any] = {
            "rounds": plan.rounds,
            "repeats": plan.repeats,
            "seed": plan.seed,
            "log": 1,
            "arrivals": plan.arrivals,
        }
        trials = make_job(self.agents, plan.people, **alike, **quiet).spec()
        return {
            "conlinucb": __version__,
            "budget": self.budget,
            "sampler": repr(self.sampler),
            "halving": repr(plan.halving),
            "metric": plan.metric,
            "better": "more" if plan.most else "less",
            "sensitivity": self.factor,
            "spaces": {name: each.describe(plan.rounds) for name, each in self.spaces.items()},
            "trials": {name: each for name, each in trials.items() if name != "agents"},
            "score": make_job(self.agents, self.others, **self.score, **quiet).spec(),
        }

    def done(self, **how: Any) -> Tuned:
        """Search, choose, see what the choice depends on, score."""
        spaces, plan = self.spaces, self.plan
        rows = search(spaces, plan, self.sampler, self.budget, store=self._folder("trials"), **how)
        best = {name: best_of(trials) for name, trials in rows.items()}
        agents = {
            name: spaces[name].agent(best[name].parameters) if name in best else each
            for name, each in self.agents.items()
        }
        return Tuned(
            best={name: trial.parameters for name, trial in best.items()},
            agents=agents,
            results=simulate(agents, self.others, store=self._folder("score"), **self.score, **how),
            trials=Trials(rows),
            spaces=spaces,
            plan=plan,
            budget=self.budget,
            user_rounds=self._user_rounds(),
            sampler=repr(self.sampler),
            sensitivity=self._sensitivity(best, **how),
            factor=self.factor,
        )

    def _sensitivity(self, best: dict[str, Trial], **how: Any) -> dict[str, dict[str, Sensitivity]]:
        if self.factor is None:
            return {}
        after = len(self.sampler.stages(self.budget))
        folder = self._folder("trials")
        return sensitivities(self.spaces, best, self.plan, self.factor, after, store=folder, **how)

    def _folder(self, name: str) -> Path | None:
        return None if self.store is None else self.store / name


def claim(folder: Path, spec: dict[str, Any]) -> None:
    """Take the folder for this search, or refuse it if it holds another."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tune.json"
    if not path.exists():
        # A half-written file is that of another process with the same search.
        if any(each.suffix != ".partial" for each in folder.iterdir()):
            raise IncompatibleState(f"{folder} holds something else. Use another folder.")
        content = {"format": FORMAT, "spec": spec}
        atomic.write_first(path, json.dumps(content, indent=1).encode())
    try:
        kept = dict(json.loads(path.read_text("utf-8")))
    except ValueError as error:
        raise IncompatibleState(f"{path} is damaged: {error}. Use another folder.") from None
    refuse_format(path, kept, FORMAT)
    refuse_another(folder, kept.get("spec"), spec)


def _say_how_to_go_on(store: Path | None) -> None:
    where = (
        f"What was finished is in {store}; the same call with that store computes the rest."
        if store
        else "What was finished is lost; with store=FOLDER it would have been kept."
    )
    logger.warning("Interrupted. %s", where)
