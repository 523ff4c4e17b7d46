"""Little feedback, odd feedback, hostile feedback: a sane prior all the same."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.priors.fitting.fit import rewards_only
from conlinucb.agent.priors.fitting.held_out import judged
from conlinucb.agent.priors.fitting.sums import Belief
from conlinucb.agent.priors.fitting.table import Reader
from support.population import log_of, world

WORLD = world(d=5, noise=0.02)
OTHERS = Reader(WORLD.catalog, (0.0, 1.0)).events(log_of(WORLD, 400, 12, seed=77))


def fitted(log: Any = None, **options: Any) -> cl.Population:
    return cl.Population.fit(WORLD.catalog, log, **options)


def held_out(found: cl.Population) -> dict[str, float]:
    belief = Belief(found.mean, found.covariance, found.noise, np.ones(3))
    return judged(belief, rewards_only(WORLD.catalog), 200.0, OTHERS)


def sane(found: cl.Population) -> None:
    """Nothing is known for certain, and a random arm's reward is not believed far outside."""
    arms = WORLD.catalog.arms
    spread = np.sqrt(np.einsum("nd,de,ne->n", arms, found.covariance, arms))
    assert 1e-3 < found.noise < 1.0
    assert np.linalg.eigvalsh(found.covariance).min() > 1e-6
    assert spread.max() < 2.0
    assert np.abs(arms @ found.mean).max() < 2.0


@pytest.mark.slow
def test_more_people_are_never_worse() -> None:
    log = log_of(WORLD, 1000, 12)
    scores = []
    for people in (0, 1, 10, 100, 1000):
        some = {name: column[log["person"] < people] for name, column in log.items()}
        found = held_out(fitted(some))
        scores.append((found["held_out_likelihood_before"], found["held_out_likelihood"]))
    for before, after in pairwise(scores):
        assert after[0] > before[0] - 0.01
        assert after[1] > before[1] - 0.01
    assert scores[-1][0] > scores[0][0] + 0.2


def test_people_with_nothing_in_common_are_held_hard() -> None:
    """The covariance is held as hard as people held out find likeliest, and no harder."""
    apart = WORLD._replace(covariance=0.05 * np.eye(5))
    alike = WORLD._replace(covariance=np.diag([1.0, 0.001, 0.001, 0.001, 0.001]))
    found = {
        name: fitted(log_of(each, 100, 30), range=None).summary()["pull"]
        for name, each in (("apart", apart), ("alike", alike))
    }
    assert found["apart"] > found["alike"]
    log = log_of(apart, 100, 30)
    free, held = fitted(log, range=None), fitted(log, range=None, pull=7.0)
    assert held.summary()["pull"] == 7.0
    errors = [np.linalg.norm(each.covariance - apart.covariance) for each in (free, held)]
    assert errors[0] < errors[1]


def test_people_of_one_reward_each_leave_nothing_to_judge_by() -> None:
    log = {"person": np.arange(30), "id": np.arange(30), "value": np.linspace(0.0, 1.0, 30)}
    found = fitted(log)
    sane(found)
    assert found.summary()["pull"] == 7.0
    assert "coverage" not in found.summary()


def test_intervals_hold_what_they_say() -> None:
    found = fitted(log_of(WORLD, 500, 12)).summary()
    assert found["held_out_people"] == 100
    assert found["coverage"] == pytest.approx(0.9, abs=0.05)
    assert found["held_out_likelihood"] > found["held_out_likelihood_before"]
    assert "coverage" not in fitted(log_of(WORLD, 50, 12), held_out=False).summary()
    assert "coverage" not in fitted(log_of(WORLD, 9, 12)).summary()


def test_a_constant_begins_at_the_base_rate() -> None:
    catalog = cl.Catalog(WORLD.catalog.arms[:, :4], WORLD.catalog.weights).with_constant()
    arms = catalog.arms
    found = cl.Population.fit(catalog, range=(1.0, 5.0))
    np.testing.assert_allclose(found.mean, [0.0, 0.0, 0.0, 0.0, 2.0])
    spread = np.einsum("nd,de,ne->n", arms, found.covariance, arms)
    assert spread.mean() == pytest.approx(0.25 * 0.75 * 16 / 2)
    log = log_of(WORLD, 300, 8)
    high = cl.Population.fit(catalog, {**log, "value": 4.0 + 0.3 * log["value"]}, range=(1.0, 5.0))
    assert high.mean[4] == pytest.approx(4.0, abs=0.1)


def moved(log: dict[str, Any], more: dict[str, Any]) -> float:
    """How far the mean goes when one more person has said something."""
    after = fitted({name: np.concatenate([log[name], more[name]]) for name in log})
    sane(after)
    return float(np.linalg.norm(after.mean - fitted(log).mean))


def saying(value: float, events: int) -> dict[str, Any]:
    """A person who says the same of everything."""
    arm = np.random.default_rng(0).integers(60, size=events)
    return {"person": np.full(events, 999), "id": arm, "value": np.full(events, value)}


@pytest.fixture(scope="module")
def ordinary() -> tuple[dict[str, Any], float]:
    """People, and how far the one of forty others who moves the mean farthest moves it."""
    log, others = log_of(WORLD, 200, 12), log_of(WORLD, 41, 12, seed=2)
    others["person"] = others["person"] + 1000
    each = [{name: column[others["person"] == u] for name, column in others.items()}
            for u in range(1001, 1041)]  # fmt: skip
    return log, max(moved(log, person) for person in each)


@pytest.mark.parametrize("events", [12, 200, 10_000])
@pytest.mark.parametrize("value", [0.0, 1.0, 1e9])
def test_a_hostile_person_moves_the_mean_no_more_than_another(
    ordinary: tuple[dict[str, Any], float], value: float, events: int
) -> None:
    log, farthest = ordinary
    assert moved(log, saying(value, events)) <= farthest


@pytest.mark.parametrize("events", [1, 3, 200])
def test_one_person(events: int) -> None:
    log = log_of(WORLD, 2, events)
    sane(fitted({name: column[log["person"] == 1] for name, column in log.items()}))


@pytest.mark.parametrize("range", [(0.0, 1.0), None])
def test_identical_people_and_constant_rewards(range: tuple[float, float] | None) -> None:
    arm = np.tile(np.arange(20), 200)
    log = {"person": np.repeat(np.arange(200), 20), "id": arm}
    sane(fitted({**log, "value": np.full(arm.size, 0.5)}, range=(0.0, 1.0)))
    found = fitted({**log, "value": np.full(arm.size, 0.5)}, range=range)
    assert np.isfinite(found.mean).all()
    expected = np.clip(WORLD.catalog.arms[arm] @ WORLD.mean, 0, 1)
    same = fitted({**log, "value": expected}, range=range)
    assert np.linalg.eigvalsh(same.covariance).min() > 0


def test_all_values_at_one_end() -> None:
    sane(fitted({**log_of(WORLD, 30, 5), "value": np.ones(30 * 5 - 4)}))


@pytest.mark.parametrize("log", [None, {"person": [], "id": [], "value": []}])
def test_no_feedback(log: Any) -> None:
    assert fitted(log).digest() == fitted().digest()
    sane(fitted(log))


def test_below_the_least_number_nothing_is_learned() -> None:
    log = log_of(WORLD, 9, 5)
    found = fitted(log, least=10)
    assert found.people == 0
    np.testing.assert_array_equal(found.mean, fitted().mean)
    assert fitted(log, least=9).people == 9


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"range": (1.0, 0.0)}, "second above the first"),
        ({"range": 3}, "two numbers"),
        ({"base": 1.0}, "base must be"),
        ({"pull": 0.0}, "pull must be"),
        ({"cap": -1}, "cap must be"),
        ({"negatives": 0.5}, "negatives must be"),
        ({"unknown": "drop"}, "'error' or 'skip', got 'drop'"),
        ({"executor": "dask"}, "executor must be"),
        ({"threads": 0}, "threads must be"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(cl.InvalidInput, match=said):
        fitted(None, **options)


TAGS = {"item": ["a", "a", "b", "b", "c", "d", "e"], "tag": ["x", "y", "y", "z", "z", "x", "w"]}


@pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
@pytest.mark.parametrize(
    "catalog",
    [
        cl.Catalog.from_tags(TAGS).with_constant().remove_arms(["e"]),  # nobody is left with "w"
        cl.Catalog.from_tags(TAGS).with_popularity({}),  # nothing is popular
    ],
)
def test_a_feature_that_no_arm_has_is_believed_in_like_the_others(catalog: cl.Catalog) -> None:
    value = np.random.default_rng(0).random(80)
    log = {"person": np.repeat(np.arange(20), 4), "id": ["a", "b", "c", "d"] * 20, "value": value}
    for found in (cl.Population.fit(catalog), cl.Population.fit(catalog, log)):
        variances = np.diag(found.covariance)
        assert variances.max() < 30 * np.median(variances)
        assert variances.min() > 0


def test_a_catalogue_without_any_feature_gives_a_beginning() -> None:
    with pytest.warns(cl.RankWarning):
        catalog = cl.Catalog(np.zeros((2, 2)), np.ones((2, 1)))
    assert np.diag(cl.Population.fit(catalog).covariance).max() < 1


def test_a_scale_that_was_not_said_is_pointed_out(caplog: pytest.LogCaptureFixture) -> None:
    catalog = cl.Catalog.from_tags(TAGS)
    stars = {"person": [1, 1, 2, 2], "id": ["a", "b", "a", "b"], "value": [1, 5, 4, 2]}
    assert cl.Population.fit(catalog, stars).summary()["clipped"] == 3
    assert "3 of 4 values lie outside range=(0, 1)" in caplog.text
    caplog.clear()
    for allowed in ((1.0, 5.0), None):
        assert cl.Population.fit(catalog, stars, range=allowed).summary()["clipped"] == 0
    assert not caplog.text
