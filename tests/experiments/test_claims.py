"""Verdicts and findings, on outcomes made by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args

import pytest
from scipy import stats

from conlinucb.experiments import ITEMS, claims
from conlinucb.experiments.findings import findings, percent
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.verdicts import SMALLER, Verdict

KEYS = {"item", "setting", "protocol", "agent", "claimed", "measured", "low", "high", "verdict"}
PAPER = ("LinUCB", "Arm-Con", "ConUCB", "UCB", "BS", "MCR")
REGRET = {"LinUCB": 300.0, "Arm-Con": 250.0, "ConUCB": 200.0, "UCB": 190.0, "BS": 180.0, "MCR": 150}
Interval = tuple[float | None, float | None]


def records(outcomes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is found in outcomes as files hold them, as claims.json holds it."""
    found = claims.records([Outcome.from_json(each) for each in outcomes])
    return [each.to_json() for each in found]


def made(item: str = "1a", *agents: str, **given: Any) -> dict[str, Any]:
    """The file of an outcome in which everyone improves on everyone else by 20 % (10 to 30)."""
    names = agents or PAPER
    versus = {"measured": 20.0, "low": 10.0, "high": 30.0, "p_value": 0.01}
    found: dict[str, Any] = {
        name: {
            "parameters": {},
            "curve": {"rounds": [1000], "mean": [1.0], "low": [0.5], "high": [1.5]},
            "last": {
                "regret": float(REGRET.get(name, 220.0)),
                "error": 0.5,
                "questions": 30.0,
                "repeated": 0.0,
                "arm_seconds": 3.0 if name == "ConUCB" else 1.0,
                "term_seconds": 1.0,
            },
            "versus": {other: dict(versus) for other in names if other != name},
            "improvement": dict(versus),
        }
        for name in names
    }
    outcome: dict[str, Any] = {
        "item": item,
        "protocol": "authors",
        "setting": "",
        "point": "",
        "at": 1.0,
        "variant": "",
        "constants": "authors",
        "schedule": "Logarithmic(5)",
        "tuning_seconds": 0.0,
        "command": "",
        "seed": 0,
        "seconds": 1.0,
        "resumed": False,
        "versions": {},
        "machine": {"processor": "", "cores": 2},
        "spec": {},
        "quick": False,
        "runs": 10,
        "users": 200,
        "rounds": 1000,
        "data": {"name": ITEMS[item].data if item in ITEMS else "mine"},
        "agents": found,
        "analysis": None,
        "tuning": None,
    }
    return {**outcome, **given}


def measured(outcome: dict[str, Any], a: str, b: str, value: float | None, *ends: Any) -> None:
    low, high = ends or (None, None)
    outcome["agents"][a]["versus"][b] = {
        "measured": value,
        "low": low,
        "high": high,
        "p_value": 0.01,
    }


def judged(claim: tuple[str, str, str], value: float, *ends: float) -> dict[str, Any]:
    """The record of one agent whose improvement over ConUCB is this."""
    item, point, agent = claim
    outcome = made(item, point=point, setting=point)
    measured(outcome, agent, "ConUCB", value, *ends)
    (record,) = [each for each in records([outcome]) if each["agent"] == agent]
    return record


MCR_431, UCB_BETTER, BS_BETTER = ("1a", "", "MCR"), ("2a", "", "UCB"), ("1b", "f_q 10", "BS")


@pytest.mark.parametrize(
    ("claim", "value", "ends", "verdict", "remark"),
    [
        (MCR_431, 40.0, (35.0, 45.0), "holds", "better than ConUCB"),
        (MCR_431, 40.0, (35.0, 43.1), "holds", "better than ConUCB"),
        (MCR_431, 50.0, (45.0, 55.0), "holds", "better than ConUCB, by more than claimed"),
        (MCR_431, 35.0, (33.0, 37.0), SMALLER, "but by less than claimed"),
        (MCR_431, 35.0, (33.0, 43.09), SMALLER, "but by less than claimed"),
        (MCR_431, 40.0, (-5.0, 85.0), "does not hold", "cannot be told apart from ConUCB"),
        (MCR_431, 40.0, (0.0, 80.0), "does not hold", "cannot be told apart from ConUCB"),
        (MCR_431, -9.0, (-12.0, -6.0), "does not hold", "worse than ConUCB"),
        (MCR_431, 0.2, (0.01, 0.4), SMALLER, "but by less than claimed"),
        (UCB_BETTER, 3.0, (0.1, 5.9), "holds", "better than ConUCB"),
        (UCB_BETTER, 3.0, (-0.1, 6.1), "does not hold", "cannot be told apart from ConUCB"),
        (UCB_BETTER, -3.0, (-6.0, -0.1), "does not hold", "worse than ConUCB"),
        (BS_BETTER, 90.0, (80.0, 99.0), "holds", "better than ConUCB"),
    ],
)
def test_a_verdict_goes_by_the_interval(
    claim: tuple[str, str, str], value: float, ends: tuple[float, float], verdict: str, remark: str
) -> None:
    record = judged(claim, value, *ends)
    assert record["verdict"] == verdict
    assert record["remark"].endswith(remark)
    assert (record["measured"], record["low"], record["high"]) == (value, *ends)
    assert record["against"] == "ConUCB"


@pytest.mark.parametrize("claim", [MCR_431, UCB_BETTER])
def test_without_an_interval_no_claim_holds(claim: tuple[str, str, str]) -> None:
    record = judged(claim, 60.0)
    assert record["verdict"] == "does not hold"
    assert "too few" in record["remark"]
    assert (record["low"], record["high"]) == (None, None)


def test_best_is_against_the_best_rival() -> None:
    outcome = made("1b", point="f_q 20", setting="f_q 20")
    for interval, verdict in [((1.0, 9.0), "holds"), ((-1.0, 9.0), "does not hold")]:
        measured(outcome, "MCR", "BS", 5.0, *interval)
        (record,) = [each for each in records([outcome]) if each["agent"] == "MCR"]
        assert (record["claimed"], record["against"]) == ("best", "BS")
        assert (record["low"], record["high"]) == interval
        assert record["verdict"] == verdict
    outcome["agents"]["LinUCB"]["last"]["regret"] = 1.0
    (record,) = [each for each in records([outcome]) if each["agent"] == "MCR"]
    assert record["against"] == "LinUCB"


def test_best_is_among_the_papers_algorithms() -> None:
    """What ``fair`` adds is no rival in the paper's claim, and has a record of its own."""
    outcome = made("1b", *PAPER, "ConLinUCB-random", point="f_q 5", protocol="fair")
    outcome["agents"]["ConLinUCB-random"]["last"]["regret"] = 1.0
    found = {each["agent"]: each for each in records([outcome])}
    assert found["MCR"]["against"] == "BS"
    assert found["ConLinUCB-random"]["verdict"] == "not claimed"


def test_every_other_improvement_is_not_claimed() -> None:
    found = {each["agent"]: each for each in records([made()])}
    assert set(found) == set(PAPER) - {"ConUCB"}
    claimed = {name: each["claimed"] for name, each in found.items()}
    assert claimed == {"LinUCB": None, "Arm-Con": None, "UCB": 34.91, "BS": 37.0, "MCR": 43.1}
    verdicts = {each["verdict"] for each in found.values() if each["claimed"] is None}
    assert verdicts == {"not claimed"}


def test_a_claim_is_about_its_point_alone() -> None:
    for point, expected in {"pool 25": [34.99, 40.21], "pool 50": [None, None]}.items():
        found = records([made("1c", point=point, setting=f"{point}, Eq. 8")])
        assert [each["claimed"] for each in found if each["agent"] in ("BS", "MCR")] == expected


@pytest.mark.parametrize("quick", [True, False])
def test_every_record_has_the_same_keys(quick: bool) -> None:
    outcomes = [
        made(quick=quick, setting="Eq. 8", protocol="paper"),
        made("2c", *(name for name in PAPER if name != "BS"), quick=quick),
        theory(quick=quick),
    ]
    found = records(outcomes)
    assert {tuple(each) for each in found} == {tuple(found[0])}
    assert set(found[0]) >= KEYS
    assert all(each["quick"] is quick for each in found)
    assert {each["verdict"] for each in found} <= set(get_args(Verdict))
    first = {name: found[0][name] for name in ("item", "setting", "protocol", "agent")}
    assert first == {"item": "1a", "setting": "Eq. 8", "protocol": "paper", "agent": "LinUCB"}


def test_one_without_the_baseline_has_no_records() -> None:
    assert records([made("mine", "LinUCB", "MCR")]) == []


def test_time_is_claimed_as_percent_less_than_conucbs() -> None:
    (found,) = records([made("table1", "ConUCB", "BS")])
    assert (found["unit"], found["measured"]) == ("% time", 50.0)
    assert found["claimed"] == pytest.approx(100 * (1 - 3126 / 11297))
    assert found["verdict"] == SMALLER


@pytest.mark.parametrize(
    ("arms", "terms", "verdict"),
    [(0.1, 0.5, "holds"), (1.0, 1.0, SMALLER), (3.0, 1.0, "does not hold")],
)
def test_a_time_is_judged_as_its_own_interval(arms: float, terms: float, verdict: str) -> None:
    """BS takes 0.28 of ConUCB's time in the paper; ConUCB takes 4 seconds here."""
    outcome = made("table1", "ConUCB", "BS")
    outcome["agents"]["BS"]["last"] |= {"arm_seconds": arms, "term_seconds": terms}
    (found,) = records([outcome])
    assert found["verdict"] == verdict


def test_ones_own_comparison_has_its_own_baseline() -> None:
    found = records([made("mine", "LinUCB", "MCR", baseline="LinUCB")])
    assert [(each["agent"], each["against"]) for each in found] == [("MCR", "LinUCB")]
    assert found[0]["verdict"] == "not claimed"


# The theory


def theory(inside: float = 1.0, regret: float = 100.0, **given: Any) -> dict[str, Any]:
    """Forty people, of whom a share was always inside; a bound of 1,000 for everyone."""
    outcome = made("theory", "ConUCB", "BS", "MCR", point="noise 1", **given)
    for agent in outcome["agents"].values():
        agent["curve"] = {
            "rounds": [1, 1000],
            "mean": [1.0, regret],
            "low": [0.5, regret - 5],
            "high": [2, regret + 5],
        }
        agent["last"]["regret"] = regret
    by_delta = [
        {"delta": 0.5, "people_always_inside": 0.0, "share": 0.0},
        {"delta": 0.05, "people_always_inside": inside, "share": inside},
    ]
    covered = {
        "people": 40,
        "by_delta": by_delta,
        "arms": 5000,
        "practice": {"alpha": 0.1, "share": 0.5, "people_always_inside": 0.0},
        "rounds": [1, 1000],
        "alpha": [5.0, 13.6],
        "needed_max": [3.0, 2.5],
        "needed_median": [1.0, 1.0],
    }
    outcome["analysis"] = {
        "coverage": {"BS": covered, "MCR": covered},
        "bounds": {name: [10.0, 1000.0] for name in ("MCR", "ConUCB", "BS")},
        "t0": 3.2e12,
        "lambda_B": 0.1,
        "delta": 0.05,
        "b": 0.1,
        "rounds": [1, 1000],
    }
    return outcome


@pytest.mark.parametrize(("kept", "verdict"), [(40, "holds"), (36, "holds"), (30, "does not hold")])
def test_coverage_holds_when_its_interval_reaches_what_is_promised(kept: int, verdict: str) -> None:
    found = [each for each in records([theory(kept / 40)]) if each["unit"] == "% covered"]
    assert [each["agent"] for each in found] == ["BS", "MCR"]
    interval = stats.binomtest(kept, 40).proportion_ci()
    for each in found:
        assert (each["claimed"], each["measured"]) == (95.0, 100 * kept / 40)
        assert (each["low"], each["high"]) == (100 * interval.low, 100 * interval.high)
        assert each["verdict"] == verdict
        assert each["remark"] == f"{kept} of 40 people always inside"


@pytest.mark.parametrize(
    ("regret", "verdict"), [(100.0, "holds"), (996.0, "does not hold"), (995.0, "holds")]
)
def test_a_bound_holds_when_all_of_the_interval_is_below(regret: float, verdict: str) -> None:
    found = [each for each in records([theory(regret=regret)]) if each["unit"] == "regret"]
    assert {each["agent"] for each in found} == {"BS", "MCR", "ConUCB"}
    for each in found:
        assert (each["claimed"], each["measured"]) == (1000.0, regret)
        assert (each["low"], each["high"]) == (regret - 5, regret + 5)
        assert each["verdict"] == verdict


# Findings


def gist(*outcomes: dict[str, Any]) -> list[str]:
    read = [Outcome.from_json(each) for each in outcomes]
    return findings(read, claims.records(read))


def test_the_score_comes_first_protocol_by_protocol() -> None:
    weak, sure = made(protocol="paper"), made("2b")
    measured(sure, "MCR", "ConUCB", 18.0, 15.0, 21.0)
    measured(weak, "UCB", "ConUCB", 18.0, -1.0, 37.0)
    first = gist(sure, weak)[0]
    assert "authors 3 of 3 hold;" in first
    told = "paper 0 of 3 hold, 2 have the right direction but a smaller effect, 1 does not hold."
    assert told in first
    assert first.index("authors 3") < first.index("paper 0")


def test_improvements_that_nobody_claimed_do_not_count() -> None:
    first = gist(made("1d", *PAPER, point="300 of 500 key-terms"))[0]
    assert "authors 0 of 1 hold, 1 has the right direction but a smaller effect." in first
    assert not any(" of " in each for each in gist(made("1c", point="pool 50")))


def test_mcr_against_conucb_on_every_data_set() -> None:
    told = " ".join(gist(made(), made("2a", protocol="fair"), made("2b")))
    for data, claimed in {"synthetic data": 43.1, "Last.FM": 17.12, "MovieLens": 16.93}.items():
        assert f"on {data} (the paper: {claimed} % less)" in told
    assert "fair 20.0 % less (10.0 to 30.0)" in told


@pytest.mark.parametrize(
    ("value", "ends", "told"),
    [
        (38.24, (37.5, 38.9), "38.2 % less (37.5 to 38.9)"),
        (-5.0, (-9.0, -1.0), "5.0 % more (1.0 to 9.0)"),
        (4.0, (-1.0, 9.0), "4.0 % less (1.0 more to 9.0 less, not beyond doubt)"),
        (-4.0, (-9.0, 1.0), "4.0 % more (9.0 more to 1.0 less, not beyond doubt)"),
        (4.0, (None, None), "4.0 % less"),
    ],
)
def test_an_improvement_in_words(value: float, ends: Interval, told: str) -> None:
    (record, *_) = claims.records([Outcome.from_json(made())])
    assert percent(replace(record, measured=value, low=ends[0], high=ends[1])) == told


CROSSED = (
    "LinUCB", "ConUCB", "ConUCB-max-radius", "ConLinUCB-optimal-greedy", "UCB", "BS", "MCR",
)  # fmt: skip


def test_estimate_and_questions_taken_apart() -> None:
    outcomes = [made("crossed-lastfm", *CROSSED, protocol=each) for each in ("authors", "fair")]
    agents = outcomes[1]["agents"]
    agents["ConLinUCB-optimal-greedy"]["improvement"]["measured"] = 25.0
    agents["ConUCB-max-radius"]["improvement"]["measured"] = -10.0
    (told,) = [each for each in gist(*outcomes) if "Last.FM" in each]
    assert "by: authors -20.0 %; fair -25.0 %; with MCR's questions" in told
    assert told.endswith("by: authors -20.0 %; fair +10.0 %.")


def test_the_theory_in_a_sentence() -> None:
    (told,) = [each for each in gist(made(), theory()) if each.startswith("Theory")]
    assert "alpha is 13.6 after 1,000 rounds" in told
    assert "3.0 would have covered everyone" in told
    assert "bound is 10 times MCR's regret" in told
    assert "before round 3e12" in told


def search(edges: dict[str, list[str]]) -> dict[str, Any]:
    return {"trials": {}, "chosen": {}, "edges": edges, "ranges": {}, "users": 2}


def test_tuned_points_at_an_edge_are_named() -> None:
    edges = {"MCR": ["beta"], "BS": [], "ConUCB": ["alpha", "term_alpha"]}
    outcome = made(protocol="fair", setting="raw theta, dense graph", tuning=search(edges))
    last = gist(made(), outcome)[-1]
    assert "edge of their range" in last
    assert "MCR (beta; fair (raw theta, dense graph), 1a)" in last
    assert "ConUCB (alpha, term_alpha;" in last
    assert "BS" not in last
    edgeless = {**outcome, "tuning": search({"MCR": []})}
    assert not any("edge" in each for each in gist(made(), edgeless))


def test_ones_own_comparison_names_the_best() -> None:
    outcome = made("mine", "LinUCB", "MCR", title="My films")
    assert any("My films: MCR has the least regret, 150.0" in each for each in gist(outcome))


def test_a_small_run_is_said_to_be_small() -> None:
    assert any("much smaller" in each for each in gist(made(rounds=100)))
    assert any("much smaller" in each for each in gist(made(users=10)))
    assert not any("much smaller" in each for each in gist(made()))


def test_something_is_always_said() -> None:
    for outcomes in ((), (made("table1", "ConUCB", "UCB", "BS", "MCR", rounds=5000, users=500),)):
        assert all(gist(*outcomes))
        assert len(gist(*outcomes)) == 1


def test_the_best_of_those_tuned_alike_are_named() -> None:
    told = gist(made("2a", "LinUCB", "ConUCB", "MCR", tuning=search({})))
    assert any("Tuned alike" in each and "Last.FM: MCR 150.0" in each for each in told)


def test_table_1_is_said_as_shares_of_conucbs_time() -> None:
    told = gist(made("table1", "ConUCB", "MCR"))
    assert any("MCR 0.50 (in the paper 0.43)" in each for each in told)
