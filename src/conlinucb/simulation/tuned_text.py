"""A search in words: budget, best parameters, spread, sensitivity and edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conlinucb.shown import people_text

if TYPE_CHECKING:
    from conlinucb.simulation.tuned import Tuned


def summary(tuned: Tuned) -> str:
    """The whole report."""
    return "\n".join(
        [*_about(tuned), *(line for name in tuned.agents for line in _of(tuned, name))]
    )


def _about(tuned: Tuned) -> list[str]:
    plan, results = tuned.plan, tuned.results
    users = int(results.spec["people"]["users"])
    trials = "1 trial" if tuned.budget == 1 else f"{tuned.budget} trials"
    goal = "most" if plan.most else "least"
    halving = "nothing stopped early" if plan.halving.rungs == 1 else f"stopped by {plan.halving}"
    return [
        f"Tuned by {goal} {plan.metric} after {plan.rounds:,} rounds.",
        f"Budget: {trials} for each algorithm on {people_text(len(plan.people))}, "
        f"{tuned.user_rounds:,} user-rounds each; {tuned.sampler}, {halving}.",
        f"Scored on {people_text(users)} who {'was' if users == 1 else 'were'} not tuned on, with "
        f"another seed, {_times(results.spec['repeats'])}.",
    ]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _of(tuned: Tuned, name: str) -> list[str]:
    from conlinucb.simulation.tuned import point_text

    score = tuned.results.metric(name, tuned.plan.metric)[..., -1].mean()
    if name not in tuned.best:
        return ["", f"{name}: nothing to tune; score {score:.4g}"]
    return [
        "",
        f"{name}: {point_text(tuned.best[name])}; score {score:.4g}",
        f"  trials: {_spread(tuned, name)}",
        *_sensitivity(tuned, name),
        *(_edge(tuned, name, each) for each in tuned.at_edge.get(name, [])),
    ]


def _spread(tuned: Tuned, name: str) -> str:
    spread = tuned.spread(name)
    first = "was stopped" if np.isnan(spread.first) else f"+{spread.first:.1f} %"
    stopped = f", {spread.stopped} stopped early" if spread.stopped else ""
    return (
        f"{spread.close} of {spread.trials} within 2 % of the best, median +{spread.median:.1f} %, "
        f"worst +{spread.worst:.1f} %, first {first}{stopped}"
    )


def _sensitivity(tuned: Tuned, name: str) -> list[str]:
    if tuned.factor is None:
        return []
    moved = "; ".join(
        f"{parameter} {_percent(each.divided)}, {_percent(each.multiplied)}"
        for parameter, each in tuned.sensitivity[name].items()
    )
    return [f"  worse when divided, multiplied by {tuned.factor:g}: {moved}"]


def _percent(worse: float | None) -> str:
    return "-" if worse is None else f"{worse:+.1f} %"


def _edge(tuned: Tuned, name: str, parameter: str) -> str:
    each, value = tuned.spaces[name].ranges[parameter], tuned.best[name][parameter]
    return f"  at the edge: {parameter} {value:g} in {each!r}; a wider range might do better"
