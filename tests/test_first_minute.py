"""A new person gets useful recommendations within the steps of a minute, on the demo films."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import conlinucb as cl
from conlinucb import datasets
from conlinucb.agent.spec import agent_of
from conlinucb.service.settings import ASKING, DEFAULT_AGENT
from support.tastes import STEADY

FILMS = datasets.demo(d=None).catalog
TAGGED = FILMS.weights.toarray() > 0
ROUNDS, SHOWN = 3, 3
"""A question and three films take some ten seconds."""
Taste = list[int]


def steady() -> list[Taste]:
    return [[FILMS.term_index(each) for each in taste] for taste in STEADY]


def mixed(count: int, seed: int) -> list[Taste]:
    """Tastes of one to three topics, any of them."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, size=count)
    return [rng.choice(TAGGED.shape[1], size, replace=False).tolist() for size in sizes]


class Visit(NamedTuple):
    fitting: int
    """Films that fit, of the first nine."""
    answers: list[float]
    events: list[tuple[str, Any, float]]


def visit(
    agent: cl.Agent,
    taste: Taste,
    seed: int,
    *,
    favourite: bool = False,
    volunteered: bool = False,
    rounds: int = ROUNDS,
) -> Visit:
    """Someone who likes films with one of these topics, and says so.

    As on the page: films come first, and nothing is asked twice.
    """
    fits, user = TAGGED[:, taste].any(axis=1), agent.new_user(seed)
    seen: list[int] = []
    events: list[tuple[str, Any, float]] = []
    if favourite:
        seen.append(favourite_of(taste, seed))
        agent.learn(user, seen[0], 1.0)
    for topic in taste if volunteered else ():
        agent.volunteer(user, topic, 1.0)
    shown: list[int] = []
    left = list(range(TAGGED.shape[1]))
    for number in range(rounds):
        while number and (question := agent.ask(user, offered=left)) is not None:
            left = [topic for topic in left if topic not in question.indices]
            picked = [topic for topic in question.indices if topic in taste]
            said = float(bool(picked))
            agent.hear(user, question, picked if question.kind == "group" else said)
            events.append(("answer", question.ids[0], said))
        arms = agent.recommend(user, k=SHOWN, exclude=seen or None).arms.tolist()
        for arm in arms:
            agent.learn(user, arm, float(fits[arm]))
            events.append(("reward", FILMS.arm_ids[arm], float(fits[arm])))
        seen += arms
        shown += arms
    return Visit(int(fits[shown].sum()), [v for kind, _, v in events if kind == "answer"], events)


def favourite_of(taste: Taste, seed: int) -> int:
    """A film with as many of the topics as any has."""
    chance = np.random.default_rng([seed, 9]).random(len(FILMS))
    return int(np.argmax(TAGGED[:, taste].sum(axis=1) + 0.5 * chance))


def visits(agent: cl.Agent, tastes: Sequence[Taste], **how: bool) -> list[Visit]:
    return [visit(agent, taste, seed, **how) for seed, taste in enumerate(tastes)]


def share(found: Sequence[Visit]) -> float:
    return 100 * float(np.mean([each.fitting for each in found])) / (ROUNDS * SHOWN)


def yes(found: Sequence[Visit]) -> float:
    return 100 * float(np.mean([said for each in found for said in each.answers]))


GROUPS = {"steady": steady(), "mixed": mixed(100, seed=1)}
NOBODY = agent_of(DEFAULT_AGENT, FILMS)
SEVERAL = agent_of({**DEFAULT_AGENT, **ASKING["any"]}, FILMS)
SILENT = agent_of({**DEFAULT_AGENT, "schedule": {"name": "never"}}, FILMS)


@pytest.mark.parametrize("group", GROUPS)
def test_after_one_favourite_three_of_four_films_fit(group: str) -> None:
    found = visits(SILENT, GROUPS[group], favourite=True)
    assert share(found) >= 75
    assert min(each.fitting for each in found) >= 3


@pytest.mark.parametrize("group", GROUPS)
def test_after_the_liked_topics_nearly_every_film_fits(group: str) -> None:
    assert share(visits(SILENT, GROUPS[group], volunteered=True)) >= 85


@pytest.mark.parametrize(("group", "before"), [("steady", 46), ("mixed", 37)])
def test_with_nothing_volunteered_more_fit_than_with_the_papers_constants(
    group: str, before: float
) -> None:
    assert share(visits(NOBODY, GROUPS[group])) > before


def test_one_question_in_five_is_a_yes() -> None:
    assert yes([each for tastes in GROUPS.values() for each in visits(NOBODY, tastes)]) >= 20
    named = [each for tastes in GROUPS.values() for each in visits(NOBODY, tastes, favourite=True)]
    assert yes(named) >= 40


@pytest.mark.parametrize("begun", ["favourite", "volunteered"])
def test_who_said_what_they_like_is_helped_more_by_one_topic_than_by_several(begun: str) -> None:
    """As the page begins; so one topic a question, the most promising, is what it asks."""
    one, several = (visits(each, GROUPS["mixed"], **{begun: True}) for each in (NOBODY, SEVERAL))
    assert share(one) > share(several)


def test_who_said_nothing_is_helped_more_by_several_topics_at_once() -> None:
    one, several = (visits(each, GROUPS["mixed"]) for each in (NOBODY, SEVERAL))
    assert share(several) > share(one)


def population() -> cl.Population:
    """Learned from 200 visitors of mixed tastes, of five rounds each, as the service would."""
    rows = [
        (person, *event)
        for person, taste in enumerate(mixed(200, seed=77))
        for event in visit(NOBODY, taste, 1000 + person, rounds=5).events
    ]
    columns = zip(*rows, strict=True)
    log = dict(zip(("person", "kind", "id", "value"), map(list, columns), strict=True))
    return cl.Population.fit(FILMS, log)


def test_after_200_others_who_have_nothing_in_common_no_less_fits() -> None:
    """Their tastes are drawn apart from each other, so there is nothing to learn but how much."""
    agent = cl.for_newcomers(FILMS, prior=population())
    found = visits(agent, GROUPS["mixed"])
    assert share(found) > 37 + 5
    assert share(found) > share(visits(NOBODY, GROUPS["mixed"])) - 5
    steady = visits(agent, GROUPS["steady"])
    assert share(steady) > 46 + 5
    assert yes([*found, *steady]) >= 20
