"""tune: equal budgets, other people for the score, the same numbers however it is run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.people.part import part_of, persons
from conlinucb.simulation import batch, tuning
from conlinucb.simulation.executors import Threads
from support.worlds import small_catalog

CATALOG = small_catalog(arms=30, terms=8)
RNG = np.random.default_rng(2)
PEOPLE = cl.LinearUsers(RNG.normal(size=(12, 3)), pool_size=10)
OTHERS = cl.LinearUsers(RNG.normal(size=(5, 3)), pool_size=10)
ROUNDS, BUDGET = 25, 12


def own(alpha: float, n: int, kind: str = "max-radius") -> cl.Agent:
    return cl.conlinucb(CATALOG, strategy=kind, alpha=alpha, schedule=cl.Every(n))


def spaces() -> dict[str, cl.Space]:
    """With two parameters, with four, and one's own with whole numbers and options."""
    return {
        "MCR": cl.Space(cl.conlinucb, CATALOG),
        "ConUCB": cl.Space(cl.conucb, CATALOG),
        "own": cl.Space(
            own, alpha=cl.Uniform(0.0, 1.0), n=cl.Whole(1, 9), kind=cl.Choice(["ucb", "random"])
        ),
    }


def run(**options: Any) -> cl.Tuned:
    given = {"rounds": ROUNDS, "budget": BUDGET, "scored_on": OTHERS, **options}
    return cl.tune(spaces(), PEOPLE, **given)


@pytest.fixture(scope="module")
def usual() -> cl.Tuned:
    return run()


def same(one: cl.Tuned, other: cl.Tuned) -> None:
    assert one.best == other.best
    assert list(one.trials) == list(other.trials)
    assert one.sensitivity == other.sensitivity
    for name in one.agents:
        assert np.array_equal(one.results.metric(name), other.results.metric(name))


# Fair


def test_every_algorithm_has_the_same_budget(usual: cl.Tuned) -> None:
    for name in spaces():
        rows = usual.trials.of(name)
        assert len(rows) == BUDGET
        assert {(each.people, each.rounds, each.finished) for each in rows} == {(12, ROUNDS, True)}
    assert usual.user_rounds == BUDGET * 12 * ROUNDS


def test_a_search_begins_with_the_defaults(usual: cl.Tuned) -> None:
    firsts = {name: usual.trials.of(name)[0].parameters for name in spaces()}
    assert firsts["MCR"] == {"alpha": 0.1, "beta": 0.15}
    assert firsts["ConUCB"] == {"alpha": 0.25, "term_alpha": 0.25, "mix": 0.5, "term_beta": 1.0}
    assert firsts["own"] == {"alpha": 0.5, "n": 5, "kind": "random"}, "no default: the middle"


def test_a_trial_is_a_run_by_hand_and_the_least_wins(usual: cl.Tuned) -> None:
    for name, space in spaces().items():
        rows = usual.trials.of(name)
        agents = {str(i): space.agent(row.parameters) for i, row in enumerate(rows)}
        run = cl.simulate(agents, PEOPLE, rounds=ROUNDS, seed=1_000_003)
        by_hand = [run.final_regret(each).mean() for each in agents]
        assert [row.score for row in rows] == by_hand
        assert usual.best[name] == rows[int(np.argmin(by_hand))].parameters


def test_the_score_is_a_run_by_hand_on_the_others(usual: cl.Tuned) -> None:
    agents = {name: space.agent(usual.best[name]) for name, space in spaces().items()}
    run = cl.simulate(agents, OTHERS, rounds=ROUNDS, seed=0)
    for name in agents:
        assert np.array_equal(usual.results.metric(name), run.metric(name))
        assert usual.agents[name].parameters() == agents[name].parameters()


def test_people_who_share_are_tuned_and_scored_as_they_come() -> None:
    def shared(a: float) -> cl.Agent:
        return cl.linucb(CATALOG, sharing=cl.Clusters(a=a))

    space, usual = cl.Space(shared, a=cl.Log(0.03, 10.0)), {"rounds": ROUNDS, "progress": False}
    given: Any = {**usual, "budget": 3, "scored_on": OTHERS, "sensitivity": None}
    tuned = cl.tune({"it": space}, PEOPLE, arrivals="interleaved", **given)
    agents = {str(i): shared(**each.parameters) for i, each in enumerate(tuned.trials.of("it"))}
    found, others = {}, {}
    for arrivals in ("interleaved", "one by one"):
        how: Any = {**usual, "seed": 1_000_003, "arrivals": arrivals}
        run = cl.simulate(agents, PEOPLE, **how)
        found[arrivals] = [run.final_regret(each).mean() for each in agents]
        others[arrivals] = cl.simulate(tuned.agents, OTHERS, **{**how, "seed": 0}).metric("it")
    assert [each.score for each in tuned.trials.of("it")] == found["interleaved"]
    assert np.array_equal(tuned.results.metric("it"), others["interleaved"])
    assert found["interleaved"] != found["one by one"], "the order matters here"
    with pytest.raises(cl.InvalidInput, match="arrivals must be 'one by one' or 'interleaved'"):
        cl.tune({"it": space}, PEOPLE, arrivals="at once", **given)  # type: ignore[arg-type]


def test_what_scores_changes_nothing_of_the_search(usual: cl.Tuned) -> None:
    other = run(scored_on=cl.LinearUsers(np.eye(3), pool_size=10), repeats=3, log=[1, 5])
    assert list(other.trials) == list(usual.trials)
    assert other.results.final_regret("MCR").shape == (3, 3)


def test_people_are_split_by_seed_and_nobody_is_both() -> None:
    found = []
    for seed in (0, 1):
        tuned = run(scored_on=0.25, seed=seed, budget=1, sensitivity=None)
        everyone = set(persons(PEOPLE, CATALOG))
        tuned_on = set(persons(tuned.plan.people, CATALOG))
        assert len(tuned_on) == 9
        assert tuned_on < everyone
        scored = tuned.results.spec["people"]
        assert scored["users"] == 3
        mine = tuned.plan.people.fingerprint()["members"]  # type: ignore[attr-defined]
        assert scored["members"] != mine
        found.append(tuned_on)
    assert found[0] != found[1]


@pytest.mark.parametrize(
    "scored_on",
    [
        PEOPLE,
        cl.LinearUsers(PEOPLE.thetas[:2], pool_size=10),
        cl.YesNo(cl.LinearUsers(PEOPLE.thetas[5:], pool_size=10)),
        part_of(PEOPLE, [3]),
    ],
)
def test_whoever_is_tuned_on_cannot_score(scored_on: cl.People) -> None:
    with pytest.raises(cl.InvalidInput, match="tuned on, too"):
        run(scored_on=scored_on)


def test_another_seed_searches_elsewhere(usual: cl.Tuned) -> None:
    other = run(seed=1)
    assert other.trials.of("MCR")[0].parameters == usual.trials.of("MCR")[0].parameters
    assert other.trials.of("MCR")[1].parameters != usual.trials.of("MCR")[1].parameters


def test_an_agent_without_parameters_only_scores() -> None:
    fixed = cl.linucb(CATALOG)
    given: dict[str, cl.Space | cl.Agent] = {"fixed": fixed, "MCR": cl.Space(cl.conlinucb, CATALOG)}
    tuned = cl.tune(given, PEOPLE, rounds=10, budget=2, scored_on=OTHERS)
    assert list(tuned.agents) == ["fixed", "MCR"]
    assert tuned.agents["fixed"] is fixed
    assert list(tuned.best) == ["MCR"]
    assert "fixed: nothing to tune" in tuned.summary()


# The same numbers


def test_threads_change_nothing(usual: cl.Tuned) -> None:
    same(run(threads=1), usual)
    same(run(threads=2), usual)


class Stops(Threads):
    """An executor that is interrupted after some units."""

    def __init__(self, units: int) -> None:
        super().__init__(1)
        self.left = units

    def run(self, job: Any, units: Any) -> Any:
        for each in super().run(job, units):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            yield each


@pytest.mark.parametrize("units", [0, 5, 20, 37])
def test_resumed_equals_uninterrupted(usual: cl.Tuned, units: int, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(store=tmp_path, executor=Stops(units))
    same(run(store=tmp_path), usual)
    same(run(store=tmp_path, executor=Stops(0)), usual)  # everything is there


def test_the_store_of_another_search_is_refused(tmp_path: Path) -> None:
    small: dict[str, Any] = {"budget": 2, "rounds": 5, "store": tmp_path}
    run(**small)
    changes: tuple[dict[str, Any], ...] = (
        {"budget": 3},
        {"rounds": 6},
        {"seed": 4},
        {"metric": "error"},
        {"halving": cl.Halving()},
        {"sensitivity": None},
        {"scored_on": 0.5},
        {"trial_repeats": 2},
    )
    for change in changes:
        with pytest.raises(cl.IncompatibleState, match="holds another run"):
            run(**{**small, **change})
    wider = cl.Space(cl.conlinucb, CATALOG, alpha=cl.Log(0.001, 9.0))
    with pytest.raises(cl.IncompatibleState, match="spaces"):
        cl.tune({"MCR": wider}, PEOPLE, scored_on=OTHERS, **small)
    (tmp_path / "tune.json").write_text("{")
    with pytest.raises(cl.IncompatibleState, match="damaged"):
        run(**small)
    (tmp_path / "tune.json").unlink()
    with pytest.raises(cl.IncompatibleState, match="something else"):
        run(**small)


def test_the_store_says_what_it_is(tmp_path: Path) -> None:
    run(budget=2, rounds=5, store=tmp_path)
    spec = json.loads((tmp_path / "tune.json").read_text())["spec"]
    assert spec["budget"] == 2
    assert spec["spaces"]["MCR"]["ranges"] == {"alpha": "Log(0.003, 3)", "beta": "Log(0.001, 10)"}


# Early stopping


@pytest.mark.parametrize("over", ["people", "rounds"])
def test_stopping_early_spends_no_more_and_survivors_score_as_ever(over: Any) -> None:
    halving = cl.Halving(factor=2, rungs=3, over=over)
    tuned = run(halving=halving, budget=16)
    plain = 16 * 12 * ROUNDS
    assert 0.7 * plain <= tuned.user_rounds <= plain
    for name, space in spaces().items():
        rows = tuned.trials.of(name)
        assert len(rows) > 16
        if over == "people":
            assert sum(each.people * each.rounds for each in rows) == tuned.user_rounds
        finished = [each for each in rows if each.finished]
        assert tuned.best[name] in [each.parameters for each in finished]
        agents = {str(i): space.agent(each.parameters) for i, each in enumerate(finished)}
        whole = cl.simulate(agents, PEOPLE, rounds=ROUNDS, seed=1_000_003)
        assert [each.score for each in finished] == [whole.final_regret(a).mean() for a in agents]


def test_a_stopped_search_is_the_same_on_threads_and_resumed(tmp_path: Path) -> None:
    given: dict[str, Any] = {"halving": cl.Halving(), "budget": 10}
    one = run(**given, threads=1)
    with pytest.raises(KeyboardInterrupt):
        run(**given, store=tmp_path, executor=Stops(30))
    same(run(**given, store=tmp_path, threads=2), one)
    assert any(not each.finished for each in one.trials)


def test_the_schedule_is_that_of_the_budget() -> None:
    halving = cl.Halving(factor=3, rungs=3)
    steps = halving.steps(18, 10, seed=0)
    assert [each.members.size for each in steps] == [2, 4, 12]
    assert sorted(np.concatenate([each.members for each in steps])) == list(range(18))
    assert halving.cost(9, steps) == (9 * 2 + 3 * 4 + 1 * 12) * 10
    ways: tuple[Any, ...] = ("people", "rounds")
    for over in ways:
        each = cl.Halving(factor=3, rungs=4, over=over)
        for budget in range(1, 30):
            parts = each.steps(7, 11, seed=0)
            assert each.cost(each.points(budget, parts, 77), parts) <= budget * 77
    assert len(cl.Halving(rungs=5).steps(1, 10, 0)) == 1


# Metrics


def test_any_logged_metric_most_or_least() -> None:
    for metric, better, best in (
        ("reward", None, max),
        ("reward", "less", min),
        ("error", None, min),
        ("questions", "more", max),
    ):
        tuned = run(metric=metric, better=better, budget=2, sensitivity=None)
        for name in spaces():
            rows = tuned.trials.of(name)
            assert tuned.best[name] == best(rows, key=lambda each: each.score).parameters
    assert len({each.score for each in tuned.trials.of("own")}) == 2, "otherwise nothing is shown"


def test_what_cannot_be_tuned_by_is_refused() -> None:
    with pytest.raises(cl.UnknownName, match="Did you mean 'regret'"):
        run(metric="regrets")
    with pytest.raises(cl.InvalidInput, match="differs from run to run"):
        run(metric="arm_seconds")
    with pytest.raises(cl.InvalidInput, match="better must be 'less' or 'more', got 'min'"):
        run(better="min")
    with pytest.raises(cl.InvalidInput, match=r"halving must be .* got True"):
        run(halving=True)
    table = RNG.random((12, len(CATALOG)))
    people = cl.LoggedPeople(table, pool_size=5)
    with pytest.raises(cl.InvalidInput, match="no 'error' to tune by"):
        cl.tune(spaces(), people, rounds=5, metric="error")


# Bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"budget": 0}, "budget"),
        ({"rounds": 0}, "rounds"),
        ({"scored_on": 1.0}, "at least one must score"),
        ({"scored_on": 0.01}, "at least one must score"),
        ({"scored_on": "half"}, "scored_on"),
        ({"sampler": "tpee"}, "Did you mean 'tpe'"),
        ({"sampler": 3}, "sampler must be"),
        ({"sensitivity": 1.0}, "sensitivity"),
        ({"repeats": 0}, "repeats"),
        ({"seed": 1.5}, "seed"),
        ({"trial_repeats": 0}, "trial_repeats"),
    ],
)
def test_bad_input_is_refused_before_any_work(
    change: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (batch, tuning):
        monkeypatch.setattr(module, "simulate", None)
    with pytest.raises(cl.InvalidInput, match=message):
        run(**change)


@pytest.mark.parametrize("given", [{}, None, {"MCR": 3}, {1: spaces()["MCR"]}])
def test_spaces_that_are_none_are_refused(given: Any) -> None:
    with pytest.raises(cl.InvalidInput, match="spaces must"):
        cl.tune(given, PEOPLE, rounds=5)
    with pytest.raises(cl.InvalidInput, match="nothing to tune"):
        cl.tune({"it": cl.linucb(CATALOG)}, PEOPLE, rounds=5)


# What is said of it


def test_the_table_has_a_row_for_each_trial(usual: cl.Tuned) -> None:
    frame = usual.trials.to_frame("pandas")
    assert len(frame) == len(usual.trials) == 3 * BUDGET
    mine = frame[frame.agent == "own"]
    assert set(mine.kind) == {"ucb", "random"}
    assert mine.beta.isna().all()
    best = frame[frame.best].set_index("agent")
    assert best.loc["MCR", "alpha"] == usual.best["MCR"]["alpha"]
    assert best.loc["own", "kind"] == usual.best["own"]["kind"]
    assert usual.trials.to_frame("polars").shape == frame.shape
    with pytest.raises(cl.UnknownName, match="Did you mean 'MCR'"):
        usual.trials.of("mcr")


def test_sensitivity_is_a_run_by_hand(usual: cl.Tuned) -> None:
    best, space = usual.best["MCR"], spaces()["MCR"]
    for name in ("alpha", "beta"):
        agents = {
            "best": space.agent(best),
            "less": space.agent({**best, name: best[name] / 2}),
            "more": space.agent({**best, name: best[name] * 2}),
        }
        run = cl.simulate(agents, PEOPLE, rounds=ROUNDS, seed=1_000_003)
        mean = {each: float(run.final_regret(each).mean()) for each in agents}
        found = usual.sensitivity["MCR"][name]
        if found.divided is not None:
            assert found.divided == pytest.approx(100 * (mean["less"] / mean["best"] - 1))
        if found.multiplied is not None:
            assert found.multiplied == pytest.approx(100 * (mean["more"] / mean["best"] - 1))
        assert not found.divided == found.multiplied == None  # noqa: E711
    assert usual.sensitivity["own"]["kind"].divided is None


def test_the_summary_says_budget_spread_sensitivity_and_edges(usual: cl.Tuned) -> None:
    text = usual.summary()
    assert "12 trials for each algorithm on 12 people, 3,600 user-rounds each" in text
    assert "Scored on 5 people who were not tuned on" in text
    assert "worse when divided, multiplied by 2: alpha" in text
    for name in spaces():
        spread = usual.spread(name)
        scores = np.array([each.score for each in usual.trials.of(name)])
        assert spread.median == pytest.approx(100 * (np.median(scores) / scores.min() - 1))
        assert spread.worst == pytest.approx(100 * (scores.max() / scores.min() - 1))
        assert spread.close == (scores <= 1.02 * scores.min()).sum()
        assert f"{name}: " in text
    narrow = cl.Space(cl.conlinucb, CATALOG, alpha=cl.Log(2.0, 3.0), first={"alpha": 2.0})
    tuned = cl.tune({"MCR": narrow}, PEOPLE, rounds=ROUNDS, budget=2, sensitivity=None)
    assert tuned.at_edge == {"MCR": ["alpha"]}
    assert "a wider range might do better" in tuned.summary()


def test_a_picture_has_a_panel_for_each_parameter(usual: cl.Tuned, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    figure = usual.plot(path=tmp_path / "trials.png")
    assert (tmp_path / "trials.png").stat().st_size > 5000
    with pytest.raises(cl.InvalidInput, match=r"got 'trials\.pgn'"):
        usual.plot(path="trials.pgn")
    shown = [each.get_xlabel() for each in figure.axes if each.get_visible()]
    assert shown == [name for space in spaces().values() for name in space.ranges]
    figure.canvas.draw()
    plt.close(figure)
