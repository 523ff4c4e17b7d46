"""People who come interleaved: the order itself, and agents that share against the reference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.sharing import Company
from conlinucb.simulation import shared
from conlinucb.simulation.visits import visits_of
from support.runs import Counting, same_bits, same_traces, some_agents, some_people
from support.shared_runs import PEOPLE, RECIPES, SHARINGS, Told, agent_of, order, told, world
from support.worlds import refused

WORLD = world()


class Held(cl.People):
    """The same people, met by hand."""

    def __init__(self, people: cl.LinearUsers) -> None:
        self.people = people
        self.pool_size, self.offered_size = people.pool_size, people.offered_size

    def __len__(self) -> int:
        return len(self.people)

    def __getattribute__(self, name: str) -> Any:
        own = name in ("people", "compiled", "pool_size", "offered_size") or name[:2] == "__"
        return object.__getattribute__(self, name) if own else getattr(self.people, name)


def simulate(agents: dict[str, cl.Agent], people: cl.People, **options: Any) -> cl.Results:
    usual = {"rounds": 60, "seed": 3, "trace": True, "arrivals": "interleaved", "progress": False}
    return cl.simulate(agents, people, **{**usual, **options})


@pytest.fixture
def groups_seen(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Who was with whom after each round of compiled visits."""
    seen: list[list[int]] = []
    closed = Company.closed

    def noted(self: Company, person: int, rounds: int = 1) -> None:
        closed(self, person, rounds)
        seen.extend([self.group_of.tolist()] * rounds)

    monkeypatch.setattr(Company, "closed", noted)
    return seen


def assert_as_told(results: cl.Results, name: str, repeat: int, found: Told) -> None:
    for user in range(PEOPLE):
        arms, asked = results.trace(name, repeat, user)
        assert arms.tolist() == found.arms[user], (name, repeat, user)
        assert asked.tolist() == found.asked[user], (name, repeat, user)
    errors = results.metric(name, "error")[repeat, :, -1]
    np.testing.assert_allclose(errors, found.errors, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("recipe", "sharing"), [
    ("conucb", "clusters"), ("ucb", "k-means"), ("max-radius", "answers"), ("arm_con", "groups"),
])  # fmt: skip
def test_arms_questions_and_groups_equal_the_reference(
    recipe: str, sharing: str, groups_seen: list[list[int]]
) -> None:
    agents = {"it": agent_of(recipe, SHARINGS[sharing], WORLD)}
    found = told(recipe, sharing, WORLD, rounds=60, seed=3, repeat=0)
    for people in (WORLD.people, Held(WORLD.people)):
        groups_seen.clear()
        results = simulate(agents, people)
        assert_as_told(results, "it", 0, found)
        assert groups_seen == found.groups


@pytest.mark.more
@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_all_of_them_equal_the_reference_for_longer(recipe: str, sharing: str) -> None:
    results = simulate({"it": agent_of(recipe, SHARINGS[sharing], WORLD)}, WORLD.people, rounds=130)
    assert_as_told(results, "it", 0, told(recipe, sharing, WORLD, rounds=130, seed=3, repeat=0))


@pytest.mark.parametrize("rounds", [1, 7, 40])
def test_the_order_is_the_one_that_is_documented(rounds: int) -> None:
    people = some_people(6)
    options: Any = {"seed": 5, "repeat": 2, "rounds": rounds}
    found = visits_of(people, **options, arrivals="interleaved")
    played = [(user, first + i + 1) for user, first, n in found for i in range(n)]
    assert played == order(people, 5, 2, rounds)
    assert sorted(played) == [(user, t) for user in range(6) for t in range(1, rounds + 1)]
    assert {n for _, _, n in found} <= {1, 2, 3, 4}


def test_when_somebody_comes_depends_on_nobody_else() -> None:
    many, few = some_people(9), some_people(9)
    some = cl.LinearUsers(few.thetas[:3], pool_size=6)
    options: Any = {"seed": 1, "repeat": 0, "rounds": 30, "arrivals": "interleaved"}
    both = [each for each in visits_of(many, **options) if each.user < 3]
    assert both == visits_of(some, **options)


def test_visits_are_spread_over_the_whole_repeat() -> None:
    found = visits_of(some_people(40), seed=0, repeat=0, rounds=200, arrivals="interleaved")
    lengths = np.bincount([each.rounds for each in found])[1:]
    assert (lengths > 0.2 * len(found)).all()
    half = {each.user for each in found[: len(found) // 2]}
    assert half == {each.user for each in found[len(found) // 2 :]} == set(range(40))


@pytest.mark.parametrize("lazy", [True, False])
def test_without_sharing_nobody_can_tell_in_which_order_people_come(lazy: bool) -> None:
    people = some_people(7, offered_size=4)
    alone = {name: cl.Groups(list(range(7))) for name in some_agents()}
    agents = some_agents()
    shared_alone = {name: agents[name].replace(sharing=alone[name]) for name in agents}
    usual = simulate(agents, people, lazy=lazy, arrivals="one by one", repeats=2)
    for other in (simulate(agents, people, repeats=2), simulate(shared_alone, people, repeats=2)):
        assert same_bits(usual, other)
        assert same_traces(usual, other)


SHARED = {name: agent_of("conucb", each, WORLD) for name, each in SHARINGS.items()}


@pytest.fixture(scope="module")
def usual() -> cl.Results:
    return simulate(SHARED, WORLD.people, repeats=2, threads=1)


@pytest.mark.parametrize("options", [{"threads": 3}, {"shard": 2}, {"shard": 100}, {"lazy": False}])
def test_threads_shards_and_laziness_change_no_bit(
    usual: cl.Results, options: dict[str, Any]
) -> None:
    other = simulate(SHARED, WORLD.people, repeats=2, **options)
    assert same_bits(usual, other)
    assert same_traces(usual, other)


def test_blocks_change_no_bit(usual: cl.Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "BLOCK", 24)
    assert same_bits(usual, simulate(SHARED, WORLD.people, repeats=2))


def test_company_in_a_run_changes_no_bit(usual: cl.Results) -> None:
    both = {"clusters": SHARED["clusters"], "alone": agent_of("conucb", None, WORLD)}
    assert same_bits(usual, simulate(both, WORLD.people, repeats=2), "clusters")


def test_a_whole_repeat_is_a_unit_and_an_interrupted_run_goes_on(
    usual: cl.Results, tmp_path: Path
) -> None:
    first, second = Counting(stop_after=3), Counting()
    with pytest.raises(KeyboardInterrupt):
        simulate(SHARED, WORLD.people, repeats=2, store=tmp_path, executor=first, shard=2)
    resumed = simulate(SHARED, WORLD.people, repeats=2, store=tmp_path, executor=second)
    assert same_bits(usual, resumed)
    assert same_traces(usual, resumed)
    units = first.played + second.played
    assert len(first.played) == 3
    assert len(set(units)) == len(units) == 2 * len(SHARED)
    assert all((each.first, each.last) == (0, PEOPLE) for each in units)


def test_a_folder_of_another_order_is_refused(tmp_path: Path) -> None:
    simulate({"it": SHARED["groups"]}, WORLD.people, rounds=3, store=tmp_path)
    with pytest.raises(cl.IncompatibleState, match="arrivals"):
        simulate(
            {"it": SHARED["groups"]},
            WORLD.people,
            rounds=3,
            store=tmp_path,
            arrivals="one by one",
        )


def test_one_by_one_later_people_learn_from_earlier_ones() -> None:
    agents = {
        "alone": agent_of("linucb", None, WORLD),
        "together": agent_of("linucb", cl.Groups([0] * PEOPLE), WORLD),
    }
    same = cl.LinearUsers(np.tile(WORLD.tastes[:1], (PEOPLE, 1)), pool_size=8)
    found = simulate(agents, same, arrivals="one by one", rounds=40)
    assert same_traces(
        simulate({"it": agents["alone"]}, same, rounds=40),
        simulate({"it": agents["alone"]}, same, rounds=40, arrivals="one by one"),
    )
    alone, together = found.final_regret("alone")[0], found.final_regret("together")[0]
    assert alone[0] == together[0]
    assert together[1:].mean() < 0.3 * alone[1:].mean()


class OwnWay(cl.Sharing):
    """Everyone in one group, until the first visit is over."""

    def course(self, company: Company) -> Callable[[int], None]:
        return lambda person: company.regroup(np.arange(len(company.own)))


def test_a_way_of_ones_own_is_simulated_compiled_and_by_hand() -> None:
    agents = {"own": agent_of("max-radius", OwnWay(), WORLD)}
    fast = simulate(agents, WORLD.people)
    assert same_traces(fast, simulate(agents, Held(WORLD.people)))
    assert "sharing_code" in str(fast.spec)


def test_one_person_alone() -> None:
    for sharing in (cl.Clusters(a=0.1), cl.KMeans(3), cl.Groups([4])):
        people = some_people(1)
        usual = simulate(some_agents(), people)
        agents = {name: each.replace(sharing=sharing) for name, each in some_agents().items()}
        assert same_bits(usual, simulate(agents, people))


def test_bad_input() -> None:
    agent, people = SHARED["groups"], some_people(4, d=5)
    refused(lambda: simulate({"it": agent}, people), "4", cl.InvalidInput)
    refused(
        lambda: simulate({"it": agent}, WORLD.people, arrivals="at once"),
        "'at once'",
        cl.InvalidInput,
    )


@pytest.mark.parametrize("strategy", ["pick-any", "best-of"])
def test_questions_about_groups_of_key_terms_teach_others_compiled_as_by_hand(
    strategy: str,
) -> None:
    make: Any = {"catalog": WORLD.catalog, "strategy": strategy, "schedule": cl.Linear(0.5)}
    agents = {
        name: recipe(**make, sharing=SHARINGS[name])
        for name, recipe in (("clusters", cl.conucb), ("answers", cl.conlinucb))
    }
    fast = simulate(agents, WORLD.people, rounds=20)
    assert same_traces(fast, simulate(agents, Held(WORLD.people), rounds=20))
    assert fast.metric("clusters", "answered")[..., -1].all()
