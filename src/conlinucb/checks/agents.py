"""Whether an agent with rounds of its own can be relied on."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from conlinucb.checks.common import ByHand, require, require_same_run
from conlinucb.errors import ConlinucbError
from conlinucb.people import LinearUsers, People
from conlinucb.simulation.four_verbs import rounds_of
from conlinucb.simulation.own_rounds import NEEDED, AnyAgent, is_agent
from conlinucb.simulation.simulate import simulate


def check_agent(agent: Any, people: People | None = None, *, rounds: int = 30) -> None:
    """Check an agent on its own catalogue, with a few people (default: of random linear tastes).

    It must name itself in plain values, recommend arms of the pool only, do the same for the same
    seed and beside other users, ask no more than it says, change nothing of the catalogue, go on
    after save and load where it can, and do the same in its compiled rounds, if it has any.
    """
    require(is_agent(agent), f"{agent!r} is no agent: it must have a catalog, {', '.join(NEEDED)}.")
    name = type(agent).__name__
    met = _people(agent) if people is None else people
    before = _content(agent)
    try:
        _check_parameters(agent, name)
        for each in (_check_people_apart, _check_pools, _check_compiled, _check_going_on):
            each(agent, name, met, rounds)
            require(before == _content(agent), f"{name} changed its catalogue.")
    except ConlinucbError as error:
        raise AssertionError(f"{name}: {error}") from error


def _people(agent: AnyAgent) -> People:
    tastes = np.random.default_rng(2).normal(size=(3, agent.catalog.d))
    return LinearUsers(tastes, pool_size=min(12, agent.catalog.live_arms.size))


def _content(agent: AnyAgent) -> list[bytes]:
    catalog = agent.catalog
    arrays = (catalog._arms, catalog._terms, catalog._live_arms, catalog._live_terms)
    return [each.tobytes() for each in (*arrays, *catalog._graph)]


def _check_parameters(agent: AnyAgent, name: str) -> None:
    told = agent.parameters()
    try:
        text = json.dumps(told)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{name}: parameters() are not what JSON can hold: {error}.") from None
    require(
        text == json.dumps(agent.parameters()), f"{name}: parameters() differ from call to call."
    )


def _check_people_apart(agent: AnyAgent, name: str, people: People, rounds: int) -> None:
    """Everyone alone, and all of them turn by turn."""
    own = rounds_of(agent, name)
    users = [own.new_user(people.user_seed(5, 0, i)) for i in range(len(people))]
    turns: list[list[Any]] = [[] for _ in users]
    for t in range(1, rounds + 1):
        for i, user in enumerate(users):
            place = people.place(agent.catalog, 5, 0, i, t)
            turns[i].append(_what(own.play_round(user, people, place)))
    for i, seen in enumerate(turns):
        user = own.new_user(people.user_seed(5, 0, i))
        places = (people.place(agent.catalog, 5, 0, i, t) for t in range(1, rounds + 1))
        alone = [_what(own.play_round(user, people, place)) for place in places]
        require(alone == seen, f"{name}: what one user gets depends on chance, or on other users.")


def _what(happened: Any) -> Any:
    asked = [(question.kind, question.indices) for question, _ in happened.questions]
    return happened.arm, happened.reward, asked


def _check_pools(agent: AnyAgent, name: str, people: People, rounds: int) -> None:
    results = simulate({name: agent}, ByHand(people), rounds=rounds, seed=3, trace=True)
    for user in range(len(people)):
        arms, _ = results.trace(name, 0, user)
        for t, arm in enumerate(arms, start=1):
            pool = people.round(people.place(agent.catalog, 3, 0, user, t)).pool
            require(arm in pool, f"{name} recommended arm {arm} in round {t}, not in the pool.")


def _check_compiled(agent: AnyAgent, name: str, people: People, rounds: int) -> None:
    require_same_run(name, {name: agent}, people, rounds)


def _check_going_on(agent: AnyAgent, name: str, people: People, rounds: int) -> None:
    """After ``user.to_arrays()`` and ``load_user``, where there are both."""
    own, load = rounds_of(agent, name), getattr(agent, "load_user", None)
    seed = people.user_seed(5, 0, 0)
    user, again = own.new_user(seed), own.new_user(seed)
    if load is None or not hasattr(user, "to_arrays"):
        return
    for t in range(1, rounds + 1):
        place = people.place(agent.catalog, 5, 0, 0, t)
        again = load({key: np.array(array) for key, array in again.to_arrays().items()})
        one, other = (_what(own.play_round(each, people, place)) for each in (user, again))
        require(one == other, f"{name}: a user saved and loaded goes on in another way, round {t}.")
