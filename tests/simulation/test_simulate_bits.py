"""Threads, shards and company change no bit of a result."""

from __future__ import annotations

from typing import Any

import pytest

import conlinucb as cl
from support.runs import Counting, same_bits, same_traces, some_agents, some_people

AGENTS = some_agents()
PEOPLE = some_people(11, offered_size=4)


def run(agents: dict[str, cl.Agent] | None = None, **options: Any) -> cl.Results:
    return cl.simulate(
        AGENTS if agents is None else agents,
        PEOPLE,
        **{"rounds": 90, "repeats": 2, "seed": 4, "trace": True, **options},
    )


@pytest.fixture(scope="module")
def usual() -> cl.Results:
    return run()


def test_a_repeated_call_gives_the_same_bits(usual: cl.Results) -> None:
    again = run(some_agents())
    assert same_bits(usual, again)
    assert same_traces(usual, again)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("shard", [1, 3, 7, 1000])
def test_threads_and_shards_change_no_bit(usual: cl.Results, threads: int, shard: int) -> None:
    other = run(threads=threads, shard=shard)
    assert same_bits(usual, other)
    assert same_traces(usual, other)


def test_an_executor_of_ones_own_changes_no_bit(usual: cl.Results) -> None:
    mine = Counting()
    assert same_bits(usual, run(executor=mine, shard=4))
    assert len(mine.played) == 4 * 2 * 3


@pytest.mark.parametrize("name", AGENTS)
def test_company_changes_no_bit(usual: cl.Results, name: str) -> None:
    alone = run({name: AGENTS[name]})
    assert same_bits(usual, alone, name)
    assert same_traces(usual, alone, name)


def test_the_order_of_agents_changes_no_bit(usual: cl.Results) -> None:
    backwards = run(dict(reversed(AGENTS.items())))
    assert backwards.agents == usual.agents[::-1]
    assert same_bits(usual, backwards)
    assert same_traces(usual, backwards)


def test_names_change_no_bit(usual: cl.Results) -> None:
    renamed = run({f"my {name}": agent for name, agent in AGENTS.items()})
    for name in AGENTS:
        assert (renamed.metric(f"my {name}") == usual.metric(name)).all()


def test_fewer_repeats_are_the_first_of_more(usual: cl.Results) -> None:
    once = run(repeats=1)
    for name in AGENTS:
        assert (once.metric(name)[0] == usual.metric(name)[0]).all()


def test_fewer_rounds_are_the_first_of_more(usual: cl.Results) -> None:
    short = run(rounds=40)
    for name in AGENTS:
        assert (short.final_regret(name) == usual.metric(name)[..., 39]).all()


def test_another_seed_is_another_run(usual: cl.Results) -> None:
    other = run(seed=5)
    assert not any(same_bits(usual, other, name) for name in AGENTS)
