"""A state is moved to another population only where that comes to the fold of the log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.agent.priors import Answers, plain_answers
from conlinucb.service.catalogues.learned import LearnedPrior, takes_population
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.audit import difference
from conlinucb.service.conversations.fold import fold
from conlinucb.service.conversations.move import moved, settled
from support.service_conversation import TERMS
from support.service_crowd import COMMON, crowd
from support.service_talk import RECIPES, Talk
from support.service_world import client_of

COVARIANCE = np.array([[0.3, 0.1, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.4]])


class Calibrated(cl.Population):
    """Where answers about one key-term count double."""

    term = 0

    def answers(self, catalog: cl.Catalog) -> Answers:
        found = plain_answers(len(catalog.term_ids))
        found.weight[self.term] = 2.0
        return found


def version_under(talk: Talk, number: int, prior: cl.Population) -> CatalogueVersion:
    return replace(talk.state().version, population=LearnedPrior(number, prior))


PLAIN = cl.Population([0.5, 0.0, 0.1], COVARIANCE, 0.04)
OTHER = Calibrated([0.1, 0.2, 0.1], COVARIANCE / 2, 0.09)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of() as found:
        yield found


@pytest.fixture
def talk(client: TestClient, request: pytest.FixtureRequest) -> Talk:
    """Someone who gave rewards only."""
    crowd(client, request.node.name, people=0)
    found = Talk(client, request.node.name)
    for number in range(7):
        found.reward(item=f"item {number}", reward=number / 7)
    return found


def under(talk: Talk, version: CatalogueVersion) -> Any:
    state, broken = fold(version, talk.person.seed, talk.log())
    assert not broken
    return state


def test_rewards_are_moved_to_what_the_fold_comes_to(talk: Talk) -> None:
    one, other = version_under(talk, 1, PLAIN), version_under(talk, 2, OTHER)
    state = under(talk, one)
    found = moved(state, other)
    assert found is not None
    assert found.version is other
    direct = under(talk, other)
    assert np.allclose(found.user.theta, direct.user.theta, atol=1e-10)
    assert difference(settled(direct).snapshot().arrays, settled(found).snapshot().arrays) is None
    back = moved(found, one)
    assert back is not None
    assert np.allclose(back.user.theta, state.user.theta, atol=1e-10)


@pytest.mark.parametrize(("term", "may"), [(0, False), (1, True)])
def test_answers_that_are_understood_otherwise_are_read_anew(
    talk: Talk, term: int, may: bool
) -> None:
    talk.answer(topic=TERMS[term], answer=0.5)
    state = under(talk, version_under(talk, 1, PLAIN))
    found = moved(state, version_under(talk, 2, OTHER))
    assert (found is not None) == may


def spreading(version: CatalogueVersion, spread: str | None) -> CatalogueVersion:
    agent = {"recipe": "conlinucb", "spread": spread} if spread else {"recipe": "conlinucb"}
    return replace(version, settings=version.settings.model_copy(update={"agent": agent}))


def test_answers_that_spread_go_by_what_is_expected_and_are_read_anew(talk: Talk) -> None:
    talk.answer(topic=TERMS[1], answer=0.5)
    for spread in (None, "edges"):
        one, other = (
            spreading(version_under(talk, number, prior), spread)
            for number, prior in ((1, PLAIN), (2, OTHER))
        )
        state = under(talk, one)
        assert (moved(state, other) is None) == (spread is not None)
        assert moved(state, spreading(version_under(talk, 3, PLAIN), spread)) is not None


def test_states_whose_answers_spread_are_those_of_one_graph(talk: Talk) -> None:
    plain, spreads = (spreading(version_under(talk, 1, PLAIN), each) for each in (None, "edges"))
    catalog = plain.catalog.with_graph([(0, 1, 0.5)])
    content = replace(plain.content, catalog=catalog)
    assert replace(plain, content=content).basis == plain.basis
    assert replace(spreads, content=content).basis != spreads.basis
    assert spreads.basis == spreading(version_under(talk, 1, PLAIN), "edges").basis


def test_what_the_catalogue_misses_or_another_agent_is_read_anew(talk: Talk) -> None:
    one, other = version_under(talk, 1, PLAIN), version_under(talk, 2, OTHER)
    state = under(talk, one)
    assert moved(replace(state, missed=1), other) is None
    settings = one.settings.model_copy(update={"agent": RECIPES["linucb"]})
    assert moved(state, replace(other, settings=settings)) is None
    assert moved(state, replace(other, base=other.base + 1)) is None


def test_a_moved_state_is_kept_as_one(talk: Talk) -> None:
    one, other = version_under(talk, 1, PLAIN), version_under(talk, 2, OTHER)
    found = moved(under(talk, one), other)
    assert found is not None
    again = type(found).from_snapshot(other, found.snapshot())
    assert again is not None
    assert again.moved
    assert difference(found.snapshot().arrays, again.snapshot().arrays) is None


@pytest.mark.parametrize(
    ("agent", "takes"),
    [
        (COMMON["agent"], True),
        (RECIPES["arm_con"], True),
        (RECIPES["conucb"], False),
        ({"recipe": "own"}, False),
        ({"recipe": "linucb", "prior": "mine:Prior"}, False),
    ],
)
def test_who_takes_a_population(agent: dict[str, Any], takes: bool) -> None:
    assert takes_population(agent) == takes
