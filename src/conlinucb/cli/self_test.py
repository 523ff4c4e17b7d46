"""A few seconds that show whether the installation computes what it should."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.recipes import conlinucb
from conlinucb.agent.schedule import Every
from conlinucb.catalog.catalog import Catalog
from conlinucb.datasets import synthetic
from conlinucb.people import LinearUsers, play_round
from conlinucb.simulation.simulate import simulate

ROUNDS, SEED = 60, 7


def world() -> tuple[Catalog, Agent, LinearUsers]:
    """A small catalogue, an agent that asks often, and people to meet it."""
    data = synthetic(arms=200, terms=20, users=3, d=8)
    agent = conlinucb(data.catalog, strategy="max-radius", schedule=Every(3))
    return data.catalog, agent, LinearUsers(np.asarray(data.thetas), pool_size=25)


def same_decisions() -> str:
    """What is wrong where the compiled rounds decide otherwise than rounds by hand, or nothing."""
    catalog, agent, people = world()
    results = simulate({"it": agent}, people, rounds=ROUNDS, seed=SEED, trace=True, progress=False)
    for user in range(len(people)):
        arms, questions = results.trace("it", 0, user)
        places = [
            people.place(catalog, seed=SEED, repeat=0, user=user, round=each + 1)
            for each in range(ROUNDS)
        ]
        talk = agent.new_user(places[0].seed)
        happened = [play_round(agent, talk, people, place) for place in places]
        asked = [question.index for each in happened for question, _ in each.questions]
        if [each.arm for each in happened] != arms.tolist() or asked != questions.tolist():
            return f"simulate decides otherwise than the same rounds by hand, for person {user}"
    return ""


def same_after_a_file() -> str:
    """What is wrong where a catalogue or a person comes back from a file as another."""
    catalog, agent, people = world()
    place = people.place(catalog, seed=SEED, repeat=0, user=0, round=1)
    user = agent.new_user(place.seed)
    play_round(agent, user, people, place)
    with tempfile.TemporaryDirectory() as folder:
        catalog.save(Path(folder) / "catalog.npz")
        if Catalog.load(Path(folder) / "catalog.npz").version != catalog.version:
            return "a catalogue comes back from a file as another"
        np.savez(Path(folder) / "user.npz", allow_pickle=False, **user.to_arrays())
        with np.load(Path(folder) / "user.npz", allow_pickle=False) as stored:
            same = agent.load_user({name: stored[name] for name in stored.files})
    before, after = (agent.recommend(each, k=10).scores for each in (user, same))
    return "" if np.array_equal(before, after) else "a person comes back from a file as another"


CHECKS: dict[str, Callable[[], str]] = {
    "the same decisions compiled and by hand": same_decisions,
    "the same after saving and loading": same_after_a_file,
}
