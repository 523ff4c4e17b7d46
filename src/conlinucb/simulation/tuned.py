"""What a search found: the best of each algorithm, its score on other people, and how sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.numerics.validation import Floats
from conlinucb.shown import Shown, people_text
from conlinucb.simulation.batch import Plan
from conlinucb.simulation.looks import METADATA, picture_type
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.results import Results
from conlinucb.simulation.sensitivity import Sensitivity, percent_above
from conlinucb.simulation.space import Point, Space
from conlinucb.simulation.trial import Trial, Trials, best_of

CLOSE = 2.0
"""Percent above the best within which trials are counted as close to it."""


@dataclass(frozen=True)
class Spread:
    """How the finished trials of one algorithm lie above their best, in percent."""

    trials: int
    stopped: int
    """Trials that were stopped early; they are not in the other figures."""
    first: float
    """Of the first point, the recipe's defaults; NaN if it was stopped."""
    median: float
    worst: float
    close: int
    """How many lie within 2 % of the best, itself among them."""


@dataclass(frozen=True, eq=False)
class Tuned(Shown):
    """The result of ``tune``."""

    best: dict[str, Point]
    """The parameters chosen for each algorithm."""
    agents: dict[str, AnyAgent]
    """Ready agents, those that had nothing to tune among them."""
    results: Results
    """Of the people who were not tuned on."""
    trials: Trials
    spaces: dict[str, Space]
    plan: Plan
    budget: int
    """Whole trials for each algorithm."""
    user_rounds: int
    """What each algorithm's search played."""
    sampler: str
    sensitivity: dict[str, dict[str, Sensitivity]]
    """By algorithm and parameter: how much worse when it moves by ``factor`` and others stay."""
    factor: float | None

    @property
    def at_edge(self) -> dict[str, list[str]]:
        """Parameters whose best lies at an end of the range: a wider one might do better."""
        found = {name: self.spaces[name].at_edge(point) for name, point in self.best.items()}
        return {name: each for name, each in found.items() if each}

    def spread(self, agent: str) -> Spread:
        """How much the choice of parameters mattered."""
        rows = self.trials.of(agent)
        above = above_best(rows)
        known = above[~np.isnan(above)]
        return Spread(
            trials=len(rows),
            stopped=len(rows) - known.size,
            first=float(above[0]),
            median=float(np.median(known)),
            worst=float(known.max()),
            close=int((known <= CLOSE).sum()),
        )

    def summary(self) -> str:
        """Budget, best parameters, spread, sensitivity and edges, as text."""
        from conlinucb.simulation.tuned_text import summary

        return summary(self)

    def plot(self, *, path: str | Path | None = None) -> Any:
        """A matplotlib figure: every trial over each parameter, percent above the best.

        ``path`` writes it to a file (.svg, .png, .pdf).
        """
        from conlinucb.simulation.draw_trials import draw_trials

        kind = None if path is None else picture_type(path)
        figure = draw_trials(self.spaces, self.trials, self.plan.metric)
        if path is not None:
            figure.savefig(path, format=kind, dpi=150, metadata=METADATA.get(str(kind)))
        return figure

    def facts(self) -> dict[str, object]:
        """What a notebook shows: what was chosen, its score, and where a range ended it."""
        found: dict[str, object] = {}
        for name in self.agents:
            score = self.results.metric(name, self.plan.metric)[..., -1].mean()
            chosen = point_text(self.best[name]) if name in self.best else "nothing to tune"
            edges = ", ".join(self.at_edge.get(name, []))
            at = f"; at the edge of its range: {edges}" if edges else ""
            found[name] = f"{chosen}; {self.plan.metric} {score:.4g}{at}"
        scored = people_text(int(self.results.spec["people"]["users"]))
        return found | {"trials of each": self.budget, "scored on": f"{scored} not tuned on"}

    def __repr__(self) -> str:
        chosen = "; ".join(f"{name}: {point_text(point)}" for name, point in self.best.items())
        return f"Tuned({chosen})"


def point_text(point: Mapping[str, Any]) -> str:
    """For example ``alpha 0.1, beta 0.15``."""
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in point.items()
    )


def above_best(rows: list[Trial]) -> Floats:
    """How many percent each trial lies above the best one, (n,); NaN for what was stopped.

    >>> about = dict(agent="it", number=0, stage=0, parameters={}, people=1, rounds=1)
    >>> above_best([Trial(score=loss, loss=loss, **about) for loss in (2.0, 3.0)])
    array([ 0., 50.])
    """
    best = best_of(rows).loss
    return np.array([percent_above(row.loss, best) if row.finished else np.nan for row in rows])
