"""What the paper says against what was measured, record by record.

A claimed improvement *holds* when ours is an improvement beyond doubt (the 95 % interval lies
above 0) and reaches the claimed figure (the interval's upper end does). "better" and "best" hold
when the interval of the improvement over ConUCB, or over the best of the others, lies above 0.
Coverage of Lemma 2 holds when the interval reaches 1 - delta, a regret bound when the upper end of
the measured regret stays below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conlinucb.experiments import ITEMS
from conlinucb.experiments.bounds import DELTA
from conlinucb.experiments.item import BASELINE, Outcome, baseline_of
from conlinucb.experiments.table_1 import PAPER_SECONDS, seconds, shares

PAPER_SHARES = shares(PAPER_SECONDS)
Record = dict[str, Any]


def records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Every claim, and every other improvement over ConUCB as "not claimed"."""
    found = []
    for outcome in outcomes:
        if outcome["analysis"]:
            found += _of_theory(outcome)
        elif outcome["item"] in ITEMS and ITEMS[outcome["item"]].timed:
            found += _of_times(outcome)
        else:
            found += [_of_agent(outcome, name) for name in _compared(outcome)]
    return found


def _compared(outcome: Outcome) -> list[str]:
    baseline = baseline_of(outcome)
    return [name for name in outcome["agents"] if name != baseline] * (
        baseline in outcome["agents"]
    )


def _record(outcome: Outcome, agent: str, **found: Any) -> Record:
    where = {name: outcome[name] for name in ("item", "setting", "protocol")}
    size = {name: outcome[name] for name in ("variant", "runs", "users", "rounds", "quick")}
    return {**where, "agent": agent, **found, **size}


def _of_agent(outcome: Outcome, agent: str) -> Record:
    claimed = _claimed(outcome, agent)
    against = _best_other(outcome, agent) if claimed == "best" else baseline_of(outcome)
    measured = outcome["agents"][agent]["versus"][against]
    interval = {name: measured[name] for name in ("measured", "low", "high")}
    verdict, remark = _judge(claimed, against, **interval)
    return _record(
        outcome,
        agent,
        claimed=claimed,
        **interval,
        unit="%",
        against=against,
        verdict=verdict,
        remark=remark,
    )


def _claimed(outcome: Outcome, agent: str) -> float | str | None:
    item = ITEMS.get(outcome["item"])
    for claim in item.claims if item else ():
        if (claim.point, claim.agent) == (outcome["point"], agent):
            return claim.improvement
    return None


def _best_other(outcome: Outcome, agent: str) -> str:
    """The rival with the least regret among the paper's algorithms."""
    rivals = [name for name in ITEMS[outcome["item"]].agents if name != agent]
    return min(rivals, key=lambda name: outcome["agents"][name]["last"]["regret"])


def _judge(
    claimed: float | str | None,
    against: str,
    measured: float | None,
    low: float | None,
    high: float | None,
) -> tuple[str, str]:
    """The verdict, and a remark in plain words."""
    if measured is None:
        sure, remark = False, f"{against} has no regret to compare with"
    elif low is None or high is None:
        sure, remark = False, "one person is too few for an interval"
    elif low > 0:
        sure, remark = True, f"better than {against}"
    elif high < 0:
        sure, remark = False, f"worse than {against}"
    else:
        sure, remark = False, f"cannot be told apart from {against}"
    if claimed is None:
        return "not claimed", remark
    if isinstance(claimed, str):
        return ("holds" if sure else "does not hold"), remark
    if sure and high is not None and high < claimed:
        return "does not hold", f"{remark}, but by less than claimed"
    if sure and low is not None and low > claimed:
        return "holds", f"{remark}, by more than claimed"
    return ("holds" if sure else "does not hold"), remark


def _of_theory(outcome: Outcome) -> list[Record]:
    found = [
        _coverage(outcome, agent, row)
        for agent, coverage in outcome["analysis"]["coverage"].items()
        for row in coverage["by_delta"]
        if row["delta"] == DELTA
    ]
    for agent, bound in outcome["analysis"]["bounds"].items():
        curve = outcome["agents"][agent]["curve"]
        measured, low, high = (curve[name][-1] for name in ("mean", "low", "high"))
        found.append(
            _record(
                outcome,
                agent,
                claimed=bound[-1],
                measured=measured,
                low=low,
                high=high,
                unit="regret",
                against="its bound",
                verdict="holds" if (high or measured) <= bound[-1] else "does not hold",
                remark=f"the bound is {_ratio(bound[-1], measured)} times the regret",
            )
        )
    return found


def _ratio(bound: float, measured: float) -> str:
    return times_text(bound / max(measured, 1e-12))


def times_text(ratio: float) -> str:
    """A large number without digits that say nothing."""
    return f"{ratio:,.0f}" if ratio < 1e6 else f"{ratio:.0e}".replace("e+", "e")


def _of_times(outcome: Outcome) -> list[Record]:
    """Table 1: how much less time choosing takes than ConUCB's, in percent."""
    return [
        _record(
            outcome,
            agent,
            claimed=100 * (1 - PAPER_SHARES[agent]),
            measured=100 * (1 - share),
            low=None,
            high=None,
            unit="% time",
            against=BASELINE,
            verdict="holds" if share <= PAPER_SHARES[agent] else "does not hold",
            remark=f"{share:.2f} of {BASELINE}'s time; {PAPER_SHARES[agent]:.2f} in the paper",
        )
        for agent, share in shares(seconds(outcome)).items()
    ]


def _coverage(outcome: Outcome, agent: str, row: dict[str, float]) -> Record:
    """Lemma 2: the share of people for whom every checked round and arm is inside."""
    from scipy import stats

    people = outcome["analysis"]["coverage"][agent]["people"]
    kept = round(row["people_always_inside"] * people)
    interval = stats.binomtest(kept, people).proportion_ci()
    claimed = 100 * (1 - row["delta"])
    return _record(
        outcome,
        agent,
        claimed=claimed,
        measured=100 * kept / people,
        low=100 * float(interval.low),
        high=100 * float(interval.high),
        unit="% covered",
        against="Lemma 2",
        verdict="holds" if 100 * interval.high >= claimed else "does not hold",
        remark=f"{kept} of {people} people always inside",
    )
