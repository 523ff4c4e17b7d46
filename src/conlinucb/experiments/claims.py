"""What the paper says against what was measured, record by record.

What a verdict means is in ``verdicts``. "better" is judged by the improvement over ConUCB, "best"
by that over the best of the others. Coverage of Lemma 2 holds when the interval reaches 1 - delta,
a regret bound when the upper end of the measured regret stays below it. Times have no interval:
there the measured value is both its ends.
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
from conlinucb.experiments.verdicts import HOLDS, SMALLER, Verdict, kept_if, verdict_on

PAPER_SHARES = shares(PAPER_SECONDS)
Unit = Literal["%", "% covered", "regret", "% time"]


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
    verdict = verdict_on(claimed, low, high)
    remark = _remark(against, measured, low, high)
    if verdict == SMALLER:
        return verdict, f"{remark}, but by less than claimed"
    if verdict == HOLDS and isinstance(claimed, int | float) and low is not None and low > claimed:
        return verdict, f"{remark}, by more than claimed"
    return verdict, remark


def _remark(against: str, measured: float | None, low: float | None, high: float | None) -> str:
    if measured is None:
        return f"{against} has no regret to compare with"
    if low is None or high is None:
        return "one person is too few for an interval"
    if low > 0:
        return f"better than {against}"
    return f"worse than {against}" if high < 0 else f"cannot be told apart from {against}"


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
        verdict=kept_if((high or measured) <= bound),
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
        _time(outcome, agent, share) for agent, share in shares(outcome.choosing_seconds).items()
    ]


def _time(outcome: Outcome, agent: str, share: float) -> Record:
    claimed, measured = 100 * (1 - PAPER_SHARES[agent]), 100 * (1 - share)
    return _record(
        outcome,
        agent,
        claimed=claimed,
        measured=measured,
        low=None,
        high=None,
        unit="% time",
        against=BASELINE,
        verdict=verdict_on(claimed, measured, measured),
        remark=f"{share:.2f} of {BASELINE}'s time; {PAPER_SHARES[agent]:.2f} in the paper",
    )


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
        verdict=kept_if(100 * interval.high >= claimed),
        remark=f"{kept} of {people} people always inside",
    )


RECORDS: dict[Kind, Callable[[Outcome], list[Record]]] = {
    "curves": _of_regret,
    "sweep": _of_regret,
    "crossed": _of_regret,
    "seconds": _of_times,
    "theory": _of_theory,
}
