"""An experiment's comparison, from the log to the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from conlinucb.numerics.confidence import confidence_sequence
from conlinucb.numerics.validation import Floats
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.experiments.experiments import Experiment
from conlinucb.service.experiments.outcomes import (
    HOUR,
    Measured,
    Outcome,
    in_order,
    outcomes_of,
)
from conlinucb.service.experiments.verdict import Pair, compared
from conlinucb.service.schemas.experiments import (
    ArmOutcome,
    LiveComparison,
    Metric,
    PairOutcome,
    ShadowOutcome,
)
from conlinucb.service.storage import Storage


@dataclass(frozen=True)
class Asked:
    """How to compare."""

    metric: Metric = "reward-per-recommendation"
    rounds: tuple[int, int] = (1, 5)
    window_hours: float = 24.0
    alpha: float = 0.05
    arms: tuple[str, ...] = ()
    """Only these; all that serve people by default."""


@dataclass(frozen=True)
class Found:
    """What a comparison is drawn and told from."""

    pairs: list[Pair]
    report: LiveComparison


def compare(
    storage: Storage,
    version: CatalogueVersion,
    experiment: Experiment,
    asked: Asked,
    seen: Callable[[int], None] = lambda people: None,
) -> Found:
    """All pairs of an experiment's arms, from the log as it is now; together they hold at 95 %."""
    measured = Measured(
        experiment.number,
        version.settings.range,
        asked.metric,
        asked.rounds,
        round(asked.window_hours * HOUR),
    )
    names = [experiment.arm(each).name for each in asked.arms]
    serving = names or [each.name for each in experiment.arms if not each.shadow]
    found = outcomes_of(storage, version.id, measured, seen)
    values = in_order(found)
    nobody: tuple[Floats, int] = (np.empty(0), 0)
    both = list(combinations(serving, 2))
    alpha = asked.alpha / max(1, len(both))
    shares = {each.name: each.share for each in experiment.arms}
    unit = _unit(asked.metric, version.settings.noun)
    pairs = [
        compared(
            (one, values.get(one, nobody)[0]),
            (other, values.get(other, nobody)[0]),
            measured.bounds,
            shares=shares,
            alpha=alpha,
            unit=unit,
        )
        for one, other in both
    ]
    arms = [_arm(each, *values.get(each, nobody), measured, asked.alpha) for each in serving]
    report = LiveComparison(
        experiment=experiment.number,
        metric=asked.metric,
        rounds=list(asked.rounds),
        window_hours=asked.window_hours,
        level=1.0 - asked.alpha,
        arms=arms,
        pairs=[_pair(each) for each in pairs],
        shadows=[_shadow(each.name, found) for each in experiment.arms if each.shadow],
        notes=_notes(found, serving),
    )
    return Found(pairs, report)


def _unit(metric: Metric, noun: str) -> str:
    return {
        "reward-per-recommendation": f"per {noun}",
        "likes": f"likes per {noun}",
        "rated": f"ratings per {noun}",
    }[metric]


def _arm(name: str, values: Floats, waiting: int, measured: Measured, alpha: float) -> ArmOutcome:
    sequence = confidence_sequence(values, *measured.bounds, alpha=alpha)
    ends = (sequence.means, sequence.lows, sequence.highs)
    mean, low, high = (float(each[-1]) if values.size else None for each in ends)
    return ArmOutcome(arm=name, people=values.size, waiting=waiting, mean=mean, low=low, high=high)


def _pair(pair: Pair) -> PairOutcome:
    low, high = pair.interval or (None, None)
    return PairOutcome(
        one=pair.one,
        other=pair.other,
        difference=pair.difference,
        low=low,
        high=high,
        better=pair.better,
        verdict=pair.verdict,
    )


def _shadow(name: str, found: Iterable[Outcome]) -> ShadowOutcome:
    each = [one.same[name] for one in found if name in one.same]
    of = sum(many for _, many in each)
    same = sum(agreed for agreed, _ in each)
    return ShadowOutcome(arm=name, decisions=of, same=same / of if of else None)


def _notes(found: Sequence[Outcome], serving: Sequence[str]) -> list[str]:
    notes = []
    for arm in serving:
        agents = {agent for each in found if each.arm == arm for agent in each.agents}
        if len(agents) > 1:
            notes.append(
                f"{arm} was {len(agents)} agents: settings were changed while it ran, or some "
                f"servers are of an older version. What is told of it is about their mixture."
            )
    return notes
