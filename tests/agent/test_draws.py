"""What a strategy says of chance is so, and the service's log keeps it."""

from __future__ import annotations

from typing import Any

import pytest

import conlinucb as cl
from conlinucb.service.conversations.recorded import question_chance
from support.worlds import refused, small_catalog

CATALOG = small_catalog(
    arms=40, terms=12, d=8, seed=3
)  # of fewer features the design has one member


class Last:
    """Asks about the last key-term that is offered."""

    name = "last"

    def __init__(self, draws: Any = None) -> None:
        self.draws = draws

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.draws!r})"

    def choose(self, view: cl.View) -> int:
        return int(view.offered[-1])


class Ucb(Last):
    """Has the name of one of ours, and nothing else of it."""

    name = "ucb"


def asked_of_all(strategy: Any, people: int = 60) -> set[tuple[int, ...]]:
    """What people are asked who differ in nothing but their seeds."""
    agent, found = cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Linear(1)), set()
    for seed in range(people):
        user = agent.new_user(seed=seed)
        agent.learn(user, 1, 0.7)
        question = agent.ask(user, pool=range(20))
        assert question is not None
        found.add(tuple(question.indices))
    return found


@pytest.mark.parametrize("name", sorted(cl.STRATEGIES))
def test_a_strategy_says_whether_it_draws(name: str) -> None:
    asked = asked_of_all(name)
    assert (cl.STRATEGIES[name]().draws == "never") == (len(asked) == 1), asked


def test_what_is_drawn_evenly_is_any_of_the_offered() -> None:
    assert [name for name, each in cl.STRATEGIES.items() if each.draws == "evenly"] == ["random"]
    assert len(asked_of_all("random", people=200)) == CATALOG.live_terms.size


@pytest.mark.parametrize(
    ("strategy", "kept"),
    [
        ("thinnest", {"propensity": 1.0}),
        ("max-radius-pairs", {"propensity": 1.0}),
        ("pick-any", {"propensity": 1.0}),
        (cl.STRATEGIES["pick-any"](by="random"), {}),  # type: ignore[call-arg]
        ("random", {"propensity": 0.25}),
        ("spanner", {}),
        (Last("never"), {"propensity": 1.0}),
        (Last("evenly"), {"propensity": 0.25}),
        (Last(), {}),
        (Ucb(), {}),
    ],
    ids=str,
)
def test_the_log_keeps_how_likely_a_question_was(strategy: Any, kept: dict[str, float]) -> None:
    assert question_chance(cl.conlinucb(CATALOG, strategy=strategy), 4) == kept


def test_anything_else_is_refused() -> None:
    refused(lambda: cl.conlinucb(CATALOG, strategy=Last("often")), "'often'", cl.InvalidInput)
