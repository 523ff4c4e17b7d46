"""The search of ``fair``: an equal budget, people and chance of its own, and nothing leaks."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conlinucb as cl
from conlinucb.experiments import ITEMS
from conlinucb.experiments.algorithms import ALGORITHMS, authors_constants
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.run import run_setting
from conlinucb.experiments.setting import Setting, Size, settings_of
from conlinucb.experiments.tuning import RANGES, names_of, trials, tune
from conlinucb.progress import Progress
from conlinucb.simulation.lines import Lines
from support.reproductions import real

pytestmark = pytest.mark.more  # whole searches

SMALL = {"runs": 2, "users": 3, "rounds": 25, "trials": 3, "tuning_users": 2}
ONE = "1d"
"""An item on synthetic data without a spanner, which takes a moment to compute."""
BOTH = [ONE, pytest.param("2c", marks=real)]


def silent() -> Progress:
    return Progress(None, shown=False)


def fair(item: str = ONE, seed: int = 0, variant: int = 0, **size: int) -> Setting:
    given = Size(**{**SMALL, **size})  # type: ignore[arg-type]
    return settings_of(ITEMS[item], PROTOCOLS["fair"], given, seed)[variant]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fair")


@lru_cache
def outcome(folder: Path) -> Any:
    """The usual small run."""
    return run_setting(fair(), folder, silent())


def search(folder: Path) -> Any:
    outcome(folder)
    return json.loads((folder / "fair" / ONE / f"{fair().slug}.tuning.json").read_text())


def rows(thetas: Any) -> set[bytes]:
    return {row.tobytes() for row in thetas}


# Nobody is both


@pytest.mark.parametrize("item", BOTH)
def test_nobody_scores_who_was_tuned_on(item: str) -> None:
    """On real data at most 450 of 500 people score, where the item asks for all of them."""
    for users in (3, ITEMS[item].users):
        for seed in (0, 1, 5):
            scoring, tuning = fair(item, seed, users=users, tuning_users=50).thetas()
            assert len(rows(scoring)) == len(scoring) == min(users, 450)
            assert len(rows(tuning)) == len(tuning) == 50
            assert not rows(scoring) & rows(tuning)


@real
def test_real_people_are_mixed_before_they_are_split() -> None:
    """They come ordered by how much they did; other seeds split them in other ways."""
    everyone = fair("2c").dataset.thetas
    assert everyone is not None
    splits = [fair("2c", seed, users=500, tuning_users=50).thetas() for seed in (0, 1)]
    for scoring, tuning in splits:
        assert rows(scoring) | rows(tuning) == rows(everyone)
        assert rows(tuning) != rows(everyone[-50:])
    assert rows(splits[0][1]) != rows(splits[1][1])


def test_people_are_split_in_every_variant() -> None:
    for variant in range(4):
        scoring, tuning = fair(variant=variant).thetas()
        assert not rows(scoring) & rows(tuning)
        assert [len(scoring), len(tuning)] == [3, 2]


def test_chance_is_never_that_of_the_search() -> None:
    for seed in (0, 1, 7):
        setting = fair(seed=seed, users=200, runs=10, tuning_users=50)
        assert setting.tuning_seed != setting.scoring_seed
        people = [setting.people(each) for each in setting.thetas()]
        scoring = {
            people[0].user_seed(setting.scoring_seed, run, user)
            for run in range(setting.runs)
            for user in range(200)
        }
        tuning = {people[1].user_seed(setting.tuning_seed, 0, user) for user in range(50)}
        assert (len(scoring), len(tuning)) == (2000, 50)
        assert not scoring & tuning


def test_what_was_run_has_other_people_and_seeds(folder: Path) -> None:
    scored, tuned = outcome(folder).spec, search(folder)["spec"]
    assert scored["seed"] != tuned["seed"]
    assert scored["people"]["thetas"] != tuned["people"]["thetas"]
    assert (scored["people"]["users"], tuned["people"]["users"]) == (3, 2)
    assert (scored["repeats"], tuned["repeats"]) == (2, 1)
    for each in ("pool_size", "offered_size", "noise", "term_noise", "shared_noise"):
        assert scored["people"][each] == tuned["people"][each]
    assert scored["catalog"] == tuned["catalog"]


@pytest.mark.parametrize("item", BOTH)
@pytest.mark.parametrize("change", [{"runs": 1}, {"users": 4}], ids=["runs", "users"])
def test_the_search_knows_nothing_of_the_score(
    item: str, change: dict[str, int], tmp_path: Path
) -> None:
    """Neither who scores nor how often changes what is tried and chosen."""
    usual, other = fair(item), fair(item, **change)
    assert np.array_equal(usual.thetas()[1], other.thetas()[1])
    found = [
        tune(each, tmp_path / str(i), silent(), executor="threads")
        for i, each in enumerate((usual, other))
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("item", BOTH)
def test_the_score_knows_nothing_of_the_search(item: str) -> None:
    usual = fair(item).thetas()[0]
    for change in ({"tuning_users": 7}, {"trials": 9}):
        assert np.array_equal(fair(item, **change).thetas()[0], usual)
        assert fair(item, **change).scoring_seed == fair(item).scoring_seed


def test_the_same_people_score_as_under_the_authors_protocol() -> None:
    (authors,) = settings_of(ITEMS[ONE], PROTOCOLS["authors"], Size(users=3), 0)
    assert np.array_equal(authors.thetas()[0], fair().thetas()[0])


@real
def test_more_people_to_tune_on_than_there_are_is_refused() -> None:
    with pytest.raises(cl.InvalidInput, match="500 people to tune on leave none of 500"):
        fair("2c", tuning_users=500).thetas()
    assert len(fair("2c", users=500, tuning_users=499).thetas()[0]) == 1


@pytest.mark.parametrize("item", BOTH)
def test_any_integer_is_a_seed(item: str) -> None:
    for seed in (-3, -2_000_000, 2**70):
        setting = fair(item, seed)
        assert [len(each) for each in setting.thetas()] == [3, 2]
        assert len(trials("MCR", "synthetic", 3, setting.tuning_seed)) == 3


# What is tried


@given(
    st.sampled_from(sorted(ALGORITHMS)),
    st.sampled_from(["synthetic", "lastfm", "movielens"]),
    st.integers(1, 40),
    st.integers(0, 2**40),
)
def test_trials_are_so_many_within_the_ranges_and_begin_as_published(
    name: str, data: str, count: int, seed: int
) -> None:
    points = trials(name, data, count, seed)
    assert len(points) == count
    assert points[0] == authors_constants(name, data)
    assert points == trials(name, data, count, seed)
    for point in points:
        assert set(point) == set(names_of(name))
        assert all(RANGES[each].low <= point[each] <= RANGES[each].high for each in point)
    assert len({tuple(each.values()) for each in points}) == count


@pytest.mark.parametrize("name", ["MCR", "ConUCB"])
def test_another_seed_tries_other_points(name: str) -> None:
    one, other = (trials(name, "synthetic", 32, seed) for seed in (0, 1))
    assert one[0] == other[0]
    assert not {tuple(each.values()) for each in one[1:]} & {tuple(e.values()) for e in other[1:]}


@pytest.mark.parametrize("name", ["MCR", "ConUCB"])
def test_trials_fill_every_range_evenly(name: str) -> None:
    """Each eighth of each range has its share of 32 points, give or take what bases 5 and 7 do."""
    points = trials(name, "synthetic", 33, seed=0)[1:]
    for each in names_of(name):
        places = [RANGES[each].place(point[each]) for point in points]
        counts, _ = np.histogram(places, bins=8, range=(0, 1))
        assert counts.min() >= 2, each
        assert counts.max() <= 6, each


def test_every_algorithm_has_the_same_budget(folder: Path) -> None:
    found = search(folder)
    assert set(found["trials"]) == set(fair().agents) == set(outcome(folder).agents)
    assert {len(each) for each in found["trials"].values()} == {SMALL["trials"]}
    spread, *_ = Lines().stages(SMALL["trials"])
    assert len(found["spec"]["agents"]) == spread * len(fair().agents)
    for name, tried in found["trials"].items():
        points = trials(name, "synthetic", spread, fair().tuning_seed)
        assert [each["parameters"] for each in tried[:spread]] == points


def test_a_search_of_one_trial_takes_the_published_constants(tmp_path: Path) -> None:
    found = tune(fair(trials=1), tmp_path, silent(), executor="threads")
    assert found.chosen == {name: authors_constants(name, "synthetic") for name in fair().agents}


def test_lines_start_from_the_best_so_far_and_change_one_parameter(tmp_path: Path) -> None:
    found = tune(fair(trials=8), tmp_path, silent(), executor="threads")
    spread, *lines = Lines().stages(8)
    for name, tried in found.trials.items():
        assert len(tried) == 8
        done = spread
        for stage, count in enumerate(lines):
            best = min(tried[:done], key=lambda each: each.regret).parameters
            along = names_of(name)[stage % len(names_of(name))]
            for trial in tried[done : done + count]:
                changed = {k for k in best if trial.parameters[k] != best[k]}
                assert changed <= {along}
            done += count
        assert min(each.regret for each in tried) <= tried[0].regret
    again = tune(fair(trials=8), tmp_path / "again", silent(), executor="threads")
    assert again == found


# What is chosen


def test_least_mean_regret_wins_and_is_scored(folder: Path) -> None:
    found, scored = search(folder), outcome(folder)
    for name, tried in found["trials"].items():
        best = min(tried, key=lambda each: float(each["regret"]))
        assert found["chosen"][name] == best["parameters"]
        used = scored.agents[name].parameters
        assert {each: used[each] for each in best["parameters"]} == best["parameters"]
        assert found["edges"][name] == edges(best["parameters"])
    apart = {"format", "spec"}
    kept = {key: each for key, each in found.items() if key not in apart}
    assert scored.to_json()["tuning"] == kept
    firsts = {name: tried[0]["parameters"] for name, tried in found["trials"].items()}
    assert found["chosen"] != firsts, "otherwise this shows nothing"


def test_the_regret_of_a_trial_is_that_of_a_run_by_hand(folder: Path) -> None:
    setting = fair()
    data = cl.datasets.synthetic(graph="dense", normalized=False)
    people = cl.LinearUsers(setting.thetas()[1], offered_size=300)
    for name, recipe in {"MCR": "max-radius", "UCB": "ucb"}.items():
        for tried in search(folder)["trials"][name]:
            agent = cl.conlinucb(data.catalog, strategy=recipe, **tried["parameters"])
            run = cl.simulate({"it": agent}, people, rounds=25, seed=setting.tuning_seed)
            assert run.final_regret("it").mean() == tried["regret"]


def test_the_score_is_that_of_a_run_by_hand(folder: Path) -> None:
    data = cl.datasets.synthetic(users=3, graph="dense", normalized=False)
    assert data.thetas is not None
    chosen = outcome(folder).tuning.chosen
    agents = {
        "LinUCB": cl.linucb(data.catalog, **chosen["LinUCB"]),
        "Arm-Con": cl.arm_con(data.catalog, **chosen["Arm-Con"]),
        "ConUCB": cl.conucb(data.catalog, **chosen["ConUCB"]),
        "MCR": cl.conlinucb(data.catalog, **chosen["MCR"]),
        "ConLinUCB-random": cl.conlinucb(
            data.catalog, strategy="random", **chosen["ConLinUCB-random"]
        ),
    }
    people = cl.LinearUsers(data.thetas, offered_size=300)
    run = cl.simulate(agents, people, rounds=25, repeats=2, seed=0)
    for name in agents:
        assert run.final_regret(name).mean() == outcome(folder).regret(name)


# Ranges


def edges(point: dict[str, float]) -> list[str]:
    return [name for name, value in point.items() if RANGES[name].at_edge(value)]


def test_mix_is_searched_as_beta_is() -> None:
    """(1 - mix) / mix covers what beta covers, and as evenly."""
    mix, beta = RANGES["mix"], RANGES["beta"]
    assert (1 - mix.low) / mix.low == pytest.approx(beta.high, rel=1e-3)
    assert (1 - mix.high) / mix.high == pytest.approx(beta.low, rel=1e-3)
    for at in (0.1, 0.5, 0.8):
        assert 1 / mix.value(1 - at) - 1 == pytest.approx(beta.value(at), rel=2e-3)


@pytest.mark.parametrize("data", ["synthetic", "lastfm"])
def test_published_constants_are_at_no_edge(data: str) -> None:
    assert [name for name in ALGORITHMS if edges(authors_constants(name, data))] == []
