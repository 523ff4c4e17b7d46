"""Optuna's samplers, asked in fixed batches: the same points on any number of threads."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

from conlinucb.errors import MissingExtra, UnknownName, nearest
from conlinucb.numerics.validation import seed_of, whole
from conlinucb.simulation.job import fingerprint_of
from conlinucb.simulation.ranges import Choice, Range, Whole
from conlinucb.simulation.space import Point, Space
from conlinucb.simulation.trial import Trial

BATCH = 8
"""Points asked for at once; they do not know of one another."""


def _tpe(optuna: Any, seed: int) -> Any:
    return optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)


def _cma_es(optuna: Any, seed: int) -> Any:
    if importlib.util.find_spec("cmaes") is None:  # Optuna would say so at the first point only
        raise MissingExtra("tune", "the sampler 'cma-es'")
    return optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)


NAMES: dict[str, Callable[[Any, int], Any]] = {"tpe": _tpe, "cma-es": _cma_es}


class Optuna:
    """A sampler of Optuna: "tpe", "cma-es", or a function from a seed to any of its samplers.

    ``batch`` points are asked for, played, and told together. A batch is a part of what decides
    the points, so it is the same whatever plays them.
    """

    def __init__(self, sampler: str | Callable[[int], Any], batch: int = BATCH) -> None:
        if isinstance(sampler, str) and sampler not in NAMES:
            raise UnknownName(f"Optuna: no {sampler!r} here.{nearest(sampler, NAMES)}")
        self.sampler, self.batch = sampler, whole("batch", batch, low=1)

    def __repr__(self) -> str:
        given = self.sampler
        named = repr(given) if isinstance(given, str) else fingerprint_of(given)
        return f"Optuna({named}, batch={self.batch})"

    def stages(self, budget: int) -> list[int]:
        """Whole batches, and what is left.

        >>> Optuna("tpe").stages(20)
        [8, 8, 4]
        """
        full, rest = divmod(budget, self.batch)
        return [self.batch] * full + ([rest] if rest else [])

    def start(self, space: Space, seed: int) -> OptunaSearch:
        """The search of one algorithm."""
        optuna = _optuna()
        own = int(seed_of(seed)) % 2**32
        made = (
            NAMES[self.sampler](optuna, own) if isinstance(self.sampler, str) else self.sampler(own)
        )
        with _silent(optuna):
            return OptunaSearch(optuna, optuna.create_study(sampler=made), space)


class OptunaSearch:
    """One algorithm's study; a parameter is a place in its range, so its scale is ours."""

    def __init__(self, optuna: Any, study: Any, space: Space) -> None:
        self.optuna, self.study, self.space = optuna, study, space
        self.axes = {name: _axis(optuna, each) for name, each in space.ranges.items()}
        self.asked: list[Any] = []
        first = {name: _told(space.ranges[name], value) for name, value in space.first.items()}
        study.enqueue_trial({name: first[name] for name in space.ranges})

    def ask(self, stage: int, count: int) -> list[Point]:
        """The next points, the first of all being the space's own."""
        with _silent(self.optuna):
            self.asked = [self.study.ask(self.axes) for _ in range(count)]
        points = [self._point(each.params) for each in self.asked]
        if stage == 0:  # exactly: a place would round it
            points[0] = dict(self.space.first)
        return points

    def tell(self, trials: list[Trial]) -> None:
        """Losses; what was stopped early is told as pruned, with the loss it had."""
        states = self.optuna.trial.TrialState
        with _silent(self.optuna):
            for asked, trial in zip(self.asked, trials, strict=True):
                if trial.finished:
                    self.study.tell(asked, trial.loss)
                else:
                    asked.report(trial.loss, trial.people * trial.rounds)
                    self.study.tell(asked, state=states.PRUNED)

    def _point(self, asked: dict[str, Any]) -> Point:
        ranges = self.space.ranges
        return {name: _value(ranges[name], asked[name]) for name in ranges}


def _axis(optuna: Any, given: Range) -> Any:
    kinds = optuna.distributions
    if isinstance(given, Choice):
        return kinds.CategoricalDistribution(list(range(len(given.options))))
    if isinstance(given, Whole):
        return kinds.IntDistribution(int(given.low), int(given.high), log=given.log)
    return kinds.FloatDistribution(0.0, 1.0)


def _value(given: Range, asked: Any) -> Any:
    if isinstance(given, Choice):
        return given.options[asked]
    return int(asked) if isinstance(given, Whole) else given.value(float(asked))


def _told(given: Range, value: Any) -> Any:
    if isinstance(given, Choice):
        return given.options.index(value)
    return int(value) if isinstance(given, Whole) else min(max(given.place(value), 0.0), 1.0)


def _optuna() -> Any:
    try:
        import optuna
    except ModuleNotFoundError:
        raise MissingExtra("tune", "a sampler of Optuna") from None
    return optuna


@contextlib.contextmanager
def _silent(optuna: Any) -> Iterator[None]:
    """Without a line for every study; what the caller set comes back."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
