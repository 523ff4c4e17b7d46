"""What the paper says against what was measured, record by record, and the gist in words.

A claimed improvement *holds* when ours is an improvement beyond doubt (the 95 % interval lies
above 0) and reaches the claimed figure (the interval's upper end does). "better" and "best" hold
when the interval of the improvement over ConUCB, or over the best of the others, lies above 0.
Coverage of Lemma 2 holds when the interval reaches 1 - delta, a regret bound when the upper end of
the measured regret stays below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from conlinucb.experiments import ITEMS
from conlinucb.experiments.bounds import DELTA
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.table_1 import PAPER_SECONDS

HEADLINES = ("1a", "2a", "2b")
DATA_NAMES = {"synthetic": "synthetic data", "lastfm": "Last.FM", "movielens": "MovieLens"}
PAPER_SHARES = {
    name: sum(each) / sum(PAPER_SECONDS[BASELINE]) for name, each in PAPER_SECONDS.items()
}
Record = dict[str, Any]
Outcome = dict[str, Any]


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


def _baseline(outcome: Outcome) -> str:
    return str(outcome.get("baseline", BASELINE))


def _compared(outcome: Outcome) -> list[str]:
    baseline = _baseline(outcome)
    return [name for name in outcome["agents"] if name != baseline] * (
        baseline in outcome["agents"]
    )


def _record(outcome: Outcome, agent: str, **found: Any) -> Record:
    where = {name: outcome[name] for name in ("item", "setting", "protocol")}
    size = {name: outcome[name] for name in ("variant", "runs", "users", "rounds", "quick")}
    return {**where, "agent": agent, **found, **size}


def _of_agent(outcome: Outcome, agent: str) -> Record:
    claimed = _claimed(outcome, agent)
    against = _best_other(outcome, agent) if claimed == "best" else _baseline(outcome)
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
                remark=f"the bound is {_times(bound[-1] / max(measured, 1e-12))} times the regret",
            )
        )
    return found


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio < 1e6 else f"{ratio:.0e}".replace("e+", "e")


def _of_times(outcome: Outcome) -> list[Record]:
    """Table 1: how much less time choosing takes than ConUCB's, in percent."""
    shares = _shares(outcome)
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
        for agent, share in shares.items()
    ]


def _shares(outcome: Outcome) -> dict[str, float]:
    """Each algorithm's time for choosing as a share of ConUCB's."""
    last = {name: each["last"] for name, each in outcome["agents"].items()}
    total = {name: m["arm_seconds"] + m["term_seconds"] for name, m in last.items()}
    return {n: total[n] / total[BASELINE] for n in total if n != BASELINE and total[BASELINE]}


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


def findings(outcomes: Sequence[Outcome], found: Sequence[Record]) -> list[str]:
    """The gist in plain sentences, most important first."""
    made = [
        *_scores(found),
        *_headlines(outcomes, found),
        *_tuned(outcomes),
        *_apart(outcomes),
        *_times_taken(outcomes),
        *_theory(outcomes),
        *_small(outcomes),
        *_warnings(outcomes),
    ]
    return made or ["Nothing was compared with the baseline."]


def _scores(found: Sequence[Record]) -> list[str]:
    """How many of the paper's claims about regret hold under each reading of each protocol."""
    parts = []
    readings: dict[str, list[Record]] = {}
    for record in found:
        if record["unit"] == "%" and record["verdict"] != "not claimed":
            name = f"{record['protocol']} ({record['variant']})".replace(" ()", "")
            readings.setdefault(name, []).append(record)
    for name, claims in readings.items():
        held = [r for r in claims if r["verdict"] == "holds"]
        better = [r for r in claims if r["low"] is not None and r["low"] > 0]
        doubtless = f" (better beyond doubt in {len(better)})" * (len(better) > len(held))
        parts.append(f"{name} {len(held)} of {len(claims)}{doubtless}")
    return [f"Claims of the paper about regret that hold: {'; '.join(parts)}."] if parts else []


def _small(outcomes: Sequence[Outcome]) -> list[str]:
    """A warning where runs are much smaller than the paper's."""
    small = [
        each
        for each in outcomes
        if (item := ITEMS.get(each["item"]))
        and (each["rounds"] < item.rounds or each["users"] < item.users / 2)
    ]
    if not small:
        return []
    return [
        f"{len(small)} of {len(outcomes)} settings are much smaller than the paper's: look at "
        f"them, but decide nothing by them."
    ]


def _headlines(outcomes: Sequence[Outcome], found: Sequence[Record]) -> list[str]:
    """MCR against ConUCB on each data set, protocol by protocol, where nothing is swept."""
    sentences = []
    for item in HEADLINES:
        data = DATA_NAMES[ITEMS[item].data]
        mine = [r for r in found if r["item"] == item and r["agent"] == "MCR"]
        if mine:
            parts = [f"{_where(r)} {percent(r)}" for r in mine]
            sentences.append(
                f"MCR's regret against ConUCB's on {data} (the paper: "
                f"{mine[0]['claimed']} % less): {'; '.join(parts)}."
            )
    for outcome in outcomes:
        if outcome["item"] not in ITEMS:
            agents = outcome["agents"]
            best = min(agents, key=lambda name: agents[name]["last"]["regret"])
            sentences.append(
                f"{outcome.get('title', outcome['item'])}: {best} has the least regret, "
                f"{agents[best]['last']['regret']:.1f} after {outcome['rounds']:,} rounds."
            )
    return sentences


def _where(record: Record) -> str:
    return f"{record['protocol']} ({record['setting']})".replace(" ()", "")


def percent(record: Record) -> str:
    """For example ``38.2 % less (37.5 to 38.9)``."""
    if record["measured"] is None:
        return "nothing to compare with"
    value, word = record["measured"], "less" if record["measured"] >= 0 else "more"
    if record["low"] is None:
        return f"{abs(value):.1f} % {word}"
    if record["low"] < 0 < record["high"]:
        span = f"{-record['low']:.1f} more to {record['high']:.1f} less"
        return f"{abs(value):.1f} % {word} ({span}, not beyond doubt)"
    ends = sorted((abs(record["low"]), abs(record["high"])))
    return f"{abs(value):.1f} % {word} ({ends[0]:.1f} to {ends[1]:.1f})"


def _tuned(outcomes: Sequence[Outcome]) -> list[str]:
    """Who is best once everyone is tuned alike."""
    parts = []
    for outcome in outcomes:
        if outcome["tuning"] and outcome["item"] in HEADLINES:
            regret = {name: each["last"]["regret"] for name, each in outcome["agents"].items()}
            best = sorted(regret, key=lambda name: regret[name])[:3]
            where = ", ".join(
                filter(None, (DATA_NAMES[outcome["data"]["name"]], outcome["variant"]))
            )
            parts.append(f"{where}: " + ", ".join(f"{name} {regret[name]:.1f}" for name in best))
    return [f"Tuned alike, the least regret have: {'; '.join(parts)}."] if parts else []


def _apart(outcomes: Sequence[Outcome]) -> list[str]:
    """How much the estimate does and how much the questions do, where both were crossed."""
    sentences = []
    for item in dict.fromkeys(each["item"] for each in outcomes):
        mine = [each for each in outcomes if each["item"] == item and item.startswith("crossed")]
        if mine:
            estimate = [f"{_where(o)} {_change(o, 'ConLinUCB-optimal-greedy')}" for o in mine]
            questions = [f"{_where(o)} {_change(o, 'ConUCB-max-radius')}" for o in mine]
            data = mine[0]["data"]["name"]
            sentences.append(
                f"Taken apart on {DATA_NAMES[data]}, ConUCB's regret changes with the one-step "
                f"estimate and its own questions by: {'; '.join(estimate)}; with MCR's questions "
                f"and its own estimate by: {'; '.join(questions)}."
            )
    return sentences


def _change(outcome: Outcome, agent: str) -> str:
    improvement = outcome["agents"][agent]["improvement"]["measured"]
    return "n/a" if improvement is None else f"{-improvement:+.1f} %"


def _times_taken(outcomes: Sequence[Outcome]) -> list[str]:
    """Table 1 in a sentence: each algorithm's time for choosing, as a share of ConUCB's."""
    return [
        f"Time for choosing with ConUCB's as 1, {_where(outcome)}: "
        + ", ".join(
            f"{name} {share:.2f} (in the paper {PAPER_SHARES[name]:.2f})"
            for name, share in _shares(outcome).items()
        )
        + "."
        for outcome in outcomes
        if outcome["item"] in ITEMS and ITEMS[outcome["item"]].timed
    ]


def _theory(outcomes: Sequence[Outcome]) -> list[str]:
    """Of the run with most noise, the one that the theory's assumptions just allow."""
    runs = [outcome for outcome in outcomes if outcome["analysis"]]
    if not runs:
        return []
    outcome = max(runs, key=lambda each: each["spec"]["people"]["noise"])
    analysis = outcome["analysis"]
    mcr = analysis["coverage"]["MCR"]
    ratio = analysis["bounds"]["MCR"][-1] / outcome["agents"]["MCR"]["last"]["regret"]
    return [
        f"Theory, {outcome['setting']}: Eq. 8's alpha is {mcr['alpha'][-1]:.1f} after "
        f"{outcome['rounds']:,} rounds where {max(mcr['needed_max']):.1f} would have covered "
        f"everyone at the {len(mcr['rounds'])} rounds checked; Theorem 2's bound is {ratio:.0f} "
        f"times MCR's regret, and Theorem 1 says nothing before round "
        f"{_times(analysis.get('t0', float('inf')))}."
    ]


def _warnings(outcomes: Sequence[Outcome]) -> list[str]:
    """Tuned points at the end of a range."""
    edges = [
        f"{agent} ({', '.join(names)}; {_where(outcome)}, {outcome['item']})"
        for outcome in outcomes
        if outcome["tuning"]
        for agent, names in outcome["tuning"]["edges"].items()
        if names
    ]
    if not edges:
        return []
    shown = "; ".join(edges[:6]) + (f"; and {len(edges) - 6} more" if len(edges) > 6 else "")
    return [
        f"Tuned parameters at the edge of their range, where a wider one might do better: {shown}."
    ]
