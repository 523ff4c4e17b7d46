"""What the paper says against what was measured, record by record.

A claimed improvement *holds* when ours is an improvement beyond doubt (the 95 % interval lies
above 0) and reaches the claimed figure (the interval's upper end does). "better" and "best" hold
when the interval of the improvement over ConUCB, or over the best of the others, lies above 0.
Coverage of Lemma 2 holds when the interval reaches 1 - delta, a regret bound when the upper end of
the measured regret stays below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from conlinucb.experiments.analysis import InsideByDelta
from conlinucb.experiments.bounds import DELTA
from conlinucb.experiments.item import BASELINE, Kind
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.table_1 import PAPER_SECONDS, shares

PAPER_SHARES = shares(PAPER_SECONDS)
Unit = Literal["%", "% covered", "regret", "% time"]
Verdict = Literal["holds", "does not hold", "not claimed"]


@dataclass(frozen=True, kw_only=True)
class Record:
    """One claim, or one comparison that nobody claimed, and what was measured."""

    item: str
    setting: str
    protocol: str
    agent: str
    claimed: float | str | None
    measured: float | None
    low: float | None
    high: float | None
    unit: Unit
    against: str
    verdict: Verdict
    remark: str
    variant: str
    runs: int
    users: int
    rounds: int
    quick: bool

    def to_json(self) -> dict[str, Any]:
        """As claims.json holds it."""
        return asdict(self)


def place(of: Outcome | Record) -> str:
    """For example ``paper (Eq. 8)``: the protocol and the setting."""
    return f"{of.protocol} ({of.setting})" if of.setting else of.protocol


def records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Every claim, and every other improvement over ConUCB as "not claimed"."""
    return [record for outcome in outcomes for record in RECORDS[outcome.kind](outcome)]


def _record(outcome: Outcome, agent: str, **found: Any) -> Record:
    return Record(
        item=outcome.item,
        setting=outcome.setting,
        protocol=outcome.protocol,
        agent=agent,
        **found,
        variant=outcome.variant,
        runs=outcome.runs,
        users=outcome.users,
        rounds=outcome.rounds,
        quick=outcome.quick,
    )


def _of_regret(outcome: Outcome) -> list[Record]:
    baseline = outcome.compared_with
    if baseline not in outcome.agents:
        return []
    return [_of_agent(outcome, name) for name in outcome.agents if name != baseline]


def _of_agent(outcome: Outcome, agent: str) -> Record:
    claimed = _claimed(outcome, agent)
    against = _best_other(outcome, agent) if claimed == "best" else outcome.compared_with
    found = outcome.agents[agent].versus[against]
    verdict, remark = _judge(claimed, against, found.measured, found.low, found.high)
    return _record(
        outcome,
        agent,
        claimed=claimed,
        measured=found.measured,
        low=found.low,
        high=found.high,
        unit="%",
        against=against,
        verdict=verdict,
        remark=remark,
    )


def _claimed(outcome: Outcome, agent: str) -> float | str | None:
    for claim in outcome.declared.claims if outcome.declared else ():
        if (claim.point, claim.agent) == (outcome.point, agent):
            return claim.improvement
    return None


def _best_other(outcome: Outcome, agent: str) -> str:
    """The rival with the least regret among the paper's algorithms."""
    declared = outcome.declared.agents if outcome.declared else ()
    return min((name for name in declared if name != agent), key=outcome.regret)


def _judge(
    claimed: float | str | None,
    against: str,
    measured: float | None,
    low: float | None,
    high: float | None,
) -> tuple[Verdict, str]:
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
    covered = [
        _coverage(outcome, agent, row)
        for agent, coverage in outcome.theory.coverage.items()
        for row in coverage.by_delta
        if row.delta == DELTA
    ]
    return covered + [_bound(outcome, agent) for agent in outcome.theory.bounds]


def _bound(outcome: Outcome, agent: str) -> Record:
    """A regret bound at the last round."""
    bound, curve = outcome.theory.bounds[agent][-1], outcome.agents[agent].curve
    measured, high = curve.mean[-1], curve.high[-1]
    return _record(
        outcome,
        agent,
        claimed=bound,
        measured=measured,
        low=curve.low[-1],
        high=high,
        unit="regret",
        against="its bound",
        verdict="holds" if (high or measured) <= bound else "does not hold",
        remark=f"the bound is {_ratio(bound, measured)} times the regret",
    )


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
        for agent, share in shares(outcome.choosing_seconds).items()
    ]


def _coverage(outcome: Outcome, agent: str, row: InsideByDelta) -> Record:
    """Lemma 2: the share of people for whom every checked round and arm is inside."""
    from scipy import stats

    people = outcome.theory.coverage[agent].people
    kept = round(row.people_always_inside * people)
    interval = stats.binomtest(kept, people).proportion_ci()
    claimed = 100 * (1 - row.delta)
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


RECORDS: dict[Kind, Callable[[Outcome], list[Record]]] = {
    "curves": _of_regret,
    "sweep": _of_regret,
    "crossed": _of_regret,
    "seconds": _of_times,
    "theory": _of_theory,
}
