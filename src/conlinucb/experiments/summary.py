"""From the results of a run to what is kept of it in short."""

from __future__ import annotations

import os
import platform
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.experiments.outcome import AgentOutcome, Curve, Improvement, Last, Machine
from conlinucb.simulation.results import Results


def summary(results: Results, baseline: str, together: int = 1) -> dict[str, AgentOutcome]:
    """Each agent's parameters, regret curve, last values and improvement over the baseline.

    Intervals of so many improvements hold ``together`` at 95 % (Bonferroni).
    """
    level = 1 - 0.05 / together
    return {name: _summary(results, name, baseline, level) for name in results.agents}


def _summary(results: Results, name: str, baseline: str, level: float) -> AgentOutcome:
    described = results.spec["agents"][name]
    shown = [each.name for each in fields(Last)]
    last = Last(**{each: float(results.metric(name, each)[..., -1].mean()) for each in shown})
    if last.error is not None and np.isnan(last.error):  # JSON has no NaN
        last = replace(last, error=None)
    others = [other for other in results.agents if other != name]
    return AgentOutcome(
        parameters={k: v for k, v in described.items() if k != "asked"},
        curve=_curve(results, name),
        last=last,
        versus={other: _versus(results, name, other, level) for other in others},
        improvement=_versus(results, name, baseline, level) if baseline in results.agents else None,
    )


def _curve(results: Results, name: str) -> Curve:
    rounds, mean, low, high = results.curve(name)
    return Curve(
        rounds=tuple(rounds.tolist()),
        mean=tuple(mean.tolist()),
        low=_plain(low),
        high=_plain(high),
    )


def _versus(results: Results, name: str, other: str, level: float) -> Improvement:
    found = results.compare(name, other, level)
    percents = (found.improvement, found.improvement_low, found.improvement_high)
    measured, low, high = _plain(100 * np.array(percents))
    (p_value,) = _plain([found.p_value])
    return Improvement(measured=measured, low=low, high=high, p_value=p_value)


def _plain(values: Any) -> tuple[float | None, ...]:
    """JSON has no NaN."""
    return tuple(each if np.isfinite(each) else None for each in np.asarray(values).tolist())


def machine() -> Machine:
    """What the processor calls itself, and how many cores there are."""
    return Machine(processor=_processor(), cores=os.cpu_count())


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
