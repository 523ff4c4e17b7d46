"""What a reproduction found, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.experiments import ITEMS
from conlinucb.experiments.claims import PAPER_SHARES, Record, times_text
from conlinucb.experiments.item import DATA_NAMES, Outcome
from conlinucb.experiments.table_1 import seconds, shares

HEADLINES = ("1a", "2a", "2b")


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
            for name, share in shares(seconds(outcome)).items()
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
        f"{times_text(analysis.get('t0', float('inf')))}."
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
