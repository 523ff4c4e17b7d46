"""What a reproduction found, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.experiments import ITEMS
from conlinucb.experiments.algorithms import algorithm
from conlinucb.experiments.claims import PAPER_SHARES, Record, place, times_text
from conlinucb.experiments.item import DATA_NAMES
from conlinucb.experiments.later import FAMILY
from conlinucb.experiments.later_algorithms import LATER
from conlinucb.experiments.newcomers import EARLY
from conlinucb.experiments.outcome import OWN, Improvement, Outcome
from conlinucb.experiments.table_1 import shares
from conlinucb.experiments.verdicts import NOT_CLAIMED, Verdict, score


def findings(outcomes: Sequence[Outcome], found: Sequence[Record]) -> list[str]:
    """The gist in plain sentences, most important first."""
    made = [
        *_scores(found),
        *_headlines(outcomes, found),
        *_tuned(outcomes),
        *_newcomers(outcomes),
        *later_findings(outcomes),
        *_apart(outcomes),
        *_times_taken(outcomes),
        *_theory(outcomes),
        *_small(outcomes),
        *_warnings(outcomes),
    ]
    return made or ["Nothing was compared with the baseline."]


def _scores(found: Sequence[Record]) -> list[str]:
    """What became of the paper's claims about regret under each reading of each protocol."""
    readings: dict[str, list[Verdict]] = {}
    for record in found:
        if record.unit == "%" and record.verdict != NOT_CLAIMED:
            name = f"{record.protocol} ({record.variant})".replace(" ()", "")
            readings.setdefault(name, []).append(record.verdict)
    parts = [f"{name} {score(verdicts)}" for name, verdicts in readings.items()]
    return [f"Of the paper's claims about regret: {'; '.join(parts)}."] if parts else []


def _small(outcomes: Sequence[Outcome]) -> list[str]:
    """A warning where runs are much smaller than the paper's."""
    small = [
        each
        for each in outcomes
        if (item := each.declared) and (each.rounds < item.rounds or each.users < item.users / 2)
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
    for item in (each for each in ITEMS.values() if each.headline):
        about = [r for r in found if r.item == item.name and r.protocol != OWN]
        mine = [r for r in about if r.agent == "MCR"]
        if mine:
            parts = [f"{place(r)} {percent(r)}" for r in mine]
            sentences.append(
                f"MCR's regret against ConUCB's on {DATA_NAMES[item.data]} (the paper: "
                f"{mine[0].claimed} % less): {'; '.join(parts)}."
            )
    return sentences + [_best(each) for each in outcomes if not each.declared]


def _best(outcome: Outcome) -> str:
    """Who has the least regret in a comparison of one's own."""
    best, *others = sorted(outcome.agents, key=outcome.regret)
    other = outcome.compared_with if outcome.compared_with in others else "".join(others[:1])
    than = f", {_than(outcome.agents[best].versus[other], other)}" if other else ""
    return outcome.headed(
        f"{best} has the least regret, {outcome.regret(best):.1f} after {outcome.rounds:,} "
        f"rounds{than}."
    )


def _than(versus: Improvement, other: str) -> str:
    same = versus.measured == versus.low == versus.high == 0.0
    return f"the same as {other}" if same else f"{percent(versus)} than {other}"


def percent(record: Record | Improvement) -> str:
    """For example ``38.2 % less (37.5 to 38.9)``."""
    value, low, high = record.measured, record.low, record.high
    if value is None:
        return "nothing to compare with"
    word = "less" if value >= 0 else "more"
    if low is None or high is None:
        return f"{abs(value):.1f} % {word}"
    if low < 0 < high:
        span = f"{-low:.1f} more to {high:.1f} less"
        return f"{abs(value):.1f} % {word} ({span}, not beyond doubt)"
    ends = sorted((abs(low), abs(high)))
    return f"{abs(value):.1f} % {word} ({ends[0]:.1f} to {ends[1]:.1f})"


def _tuned(outcomes: Sequence[Outcome]) -> list[str]:
    """Who is best once everyone is tuned alike."""
    parts = []
    for outcome in outcomes:
        item = outcome.declared
        if outcome.tuning and item and item.headline:
            best = sorted(outcome.agents, key=outcome.regret)[:3]
            where = ", ".join(filter(None, (DATA_NAMES[item.data], outcome.variant)))
            told = ", ".join(f"{name} {outcome.regret(name):.1f}" for name in best)
            parts.append(f"{where}: {told}")
    return [f"Tuned alike, the least regret have: {'; '.join(parts)}."] if parts else []


def _newcomers(outcomes: Sequence[Outcome]) -> list[str]:
    """A population learned from others against the best of those with constants."""
    return [
        _newcomer(each, name)
        for each in outcomes
        if each.declared is not None and each.declared.logged
        for name in each.agents
        if algorithm(name).prior
    ]


def _newcomer(outcome: Outcome, mine: str) -> str:
    others = [name for name in outcome.agents if not algorithm(name).prior]
    best, at = min(others, key=outcome.regret), outcome.agents[mine].curve.rounds
    early = at.index(EARLY) if EARLY in at else 0
    curves = {name: outcome.agents[name].curve.mean for name in (mine, *others)}
    first = min(others, key=lambda name: curves[name][early])
    less = [
        100 * (1 - curves[mine][at_row] / curves[name][at_row])
        for name, at_row in ((first, early), (best, -1))
    ]
    found = outcome.agents[mine].versus[best]
    ends = "" if found.low is None else f" (95 %: {found.low:.1f} to {found.high:.1f} less)"
    return (
        f"Newcomers, {place(outcome)}, {DATA_NAMES[str(outcome.data['name'])]}: a population "
        f"learned from others, asking by {algorithm(mine).asks}, with nothing tuned, has "
        f"{_less(less[0])} regret than {first} in the first {at[early]:,} rounds and "
        f"{_less(less[1])} than {best} at the end{ends}."
    )


def later_findings(outcomes: Sequence[Outcome]) -> list[str]:
    """Of what came later, who beats MCR beyond the interval under each protocol."""
    by_protocol: dict[str, list[tuple[str, str, Improvement]]] = {}
    for outcome in outcomes:
        if outcome.declared is not None and outcome.declared.family == FAMILY:
            by_protocol.setdefault(outcome.protocol, []).extend(
                (name, outcome.item, each.versus["MCR"])
                for name, each in outcome.agents.items()
                if name in LATER
            )
    return [_against_mcr(protocol, found) for protocol, found in by_protocol.items()]


def _against_mcr(protocol: str, found: Sequence[tuple[str, str, Improvement]]) -> str:
    known = [(name, item, v) for name, item, v in found if v.low is not None and v.high is not None]
    better = [f"{name} ({item}) {percent(v)}" for name, item, v in known if (v.low or 0.0) > 0]
    worse = sum(1 for *_, v in known if (v.high or 0.0) < 0)
    told = f"less regret than MCR have {'; '.join(better)}" if better else "none beats MCR"
    return (
        f"What came later, {protocol}: beyond the interval {told}; of {len(found)} in all, {worse} "
        f"have more, and {len(found) - worse - len(better)} cannot be told apart."
    )


def _less(percent: float) -> str:
    return f"{abs(percent):.1f} % {'less' if percent >= 0 else 'more'}"


def _apart(outcomes: Sequence[Outcome]) -> list[str]:
    """How much the estimate does and how much the questions do, where both were crossed."""
    sentences = []
    for item in (each for each in ITEMS.values() if each.kind == "crossed"):
        mine = [each for each in outcomes if each.declared == item]
        if mine:
            estimate = [f"{place(o)} {_change(o, 'ConLinUCB-optimal-greedy')}" for o in mine]
            questions = [f"{place(o)} {_change(o, 'ConUCB-max-radius')}" for o in mine]
            sentences.append(
                f"Taken apart on {DATA_NAMES[item.data]}, ConUCB's regret changes with the "
                f"one-step estimate and its own questions by: {'; '.join(estimate)}; with MCR's "
                f"questions and its own estimate by: {'; '.join(questions)}."
            )
    return sentences


def _change(outcome: Outcome, agent: str) -> str:
    found = outcome.agents[agent].improvement
    return "n/a" if found is None or found.measured is None else f"{-found.measured:+.1f} %"


def _times_taken(outcomes: Sequence[Outcome]) -> list[str]:
    """Table 1 in a sentence: each algorithm's time for choosing, as a share of ConUCB's."""
    return [
        f"Time for choosing with ConUCB's as 1, {place(outcome)}: "
        + ", ".join(
            f"{name} {share:.2f} (in the paper {PAPER_SHARES[name]:.2f})"
            for name, share in shares(outcome.choosing_seconds).items()
        )
        + "."
        for outcome in outcomes
        if outcome.kind == "seconds"
    ]


def _theory(outcomes: Sequence[Outcome]) -> list[str]:
    """Of the run with most noise, the one that the theory's assumptions just allow."""
    runs = [outcome for outcome in outcomes if outcome.kind == "theory"]
    if not runs:
        return []
    outcome = max(runs, key=_noise)
    analysis = outcome.theory
    mcr = analysis.coverage["MCR"]
    ratio = analysis.bounds["MCR"][-1] / outcome.regret("MCR")
    t0 = float("inf") if analysis.t0 is None else analysis.t0
    return [
        f"Theory, {outcome.setting}: Eq. 8's alpha is {mcr.alpha[-1]:.1f} after "
        f"{outcome.rounds:,} rounds where {max(mcr.needed_max):.1f} would have covered "
        f"everyone at the {len(mcr.rounds)} rounds checked; Theorem 2's bound is {ratio:.0f} "
        f"times MCR's regret, and Theorem 1 says nothing before round {times_text(t0)}."
    ]


def _noise(outcome: Outcome) -> float:
    points = outcome.declared.points if outcome.declared else ()
    return max((each.noise for each in points if each.label == outcome.point), default=0.0)


def _warnings(outcomes: Sequence[Outcome]) -> list[str]:
    """Tuned points at the end of a range."""
    edges = [
        f"{agent} ({', '.join(names)}; {place(outcome)}, {outcome.item})"
        for outcome in outcomes
        if outcome.tuning
        for agent, names in outcome.tuning.edges.items()
        if names
    ]
    if not edges:
        return []
    shown = "; ".join(edges[:6]) + (f"; and {len(edges) - 6} more" if len(edges) > 6 else "")
    return [
        f"Tuned parameters at the edge of their range, where a wider one might do better: {shown}."
    ]
