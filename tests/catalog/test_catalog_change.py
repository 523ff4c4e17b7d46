"""Catalogues that grow and shrink: indices, terms, versions, and users who go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import conlinucb as cl
from support.worlds import (
    ARM_IDS,
    ARMS,
    RECIPES,
    TERM_IDS,
    WEIGHTS,
    films,
    means,
    played,
    same_state,
    settle,
    small_catalog,
)


def test_add_arms() -> None:
    old = films()
    before = old.version
    new = old.add_arms([[2.0, 2.0], [0.0, 3.0]], [[0.0, 0.0, 1.0], [0.0, 4.0, 0.0]], ["new", 99])
    assert np.array_equal(new.arms, np.vstack([ARMS, [[2.0, 2.0], [0.0, 3.0]]]))
    assert new.arm_ids == (*ARM_IDS, "new", 99)
    assert [new.arm_index(each) for each in old.arm_ids] == [0, 1, 2, 3]
    assert np.allclose(new.terms, means(np.asarray(new.arms), new.weights.toarray()))
    assert (len(old), old.version) == (4, before)
    assert np.array_equal(old.terms, films().terms)


def test_adding_equals_building_at_once() -> None:
    part = cl.Catalog(ARMS[:3], WEIGHTS[:3], ARM_IDS[:3], TERM_IDS)
    whole = part.add_arms(ARMS[3:], sparse.csr_array(WEIGHTS[3:]), [ARM_IDS[3]])
    assert whole.version == films().version
    assert np.array_equal(whole.terms, films().terms)


def test_remove_arms() -> None:
    old = films()
    new = old.remove_arms([0])
    assert len(new) == 4
    assert new.arm_ids == old.arm_ids
    assert np.array_equal(new.arms, old.arms)
    assert new.live_arms.tolist() == [1, 2, 3]
    assert np.allclose(new.terms, [[0.6, 0.8], [0.0, 1.0], [0.0, 1.0]])
    assert old.live_arms.tolist() == [0, 1, 2, 3]
    assert np.array_equal(old.terms, films().terms)


def test_a_term_retires_with_its_last_arm_and_comes_back_with_a_new_one() -> None:
    gone = films().remove_arms([1])
    assert gone.live_terms.tolist() == [0, 2]
    assert np.array_equal(gone.terms[1], films().terms[1])
    back = gone.add_arms([[5.0, 5.0]], [[0.0, 1.0, 0.0]], ["back"])
    assert back.live_terms.tolist() == [0, 1, 2]
    assert np.array_equal(back.terms[1], [5.0, 5.0])


def test_removing_twice_and_in_any_order_is_the_same() -> None:
    versions = {
        films().remove_arms([0, 3]).version,
        films().remove_arms([3]).remove_arms([0]).version,
        films().remove_arms([3, 0]).remove_arms([0]).version,
    }
    assert len(versions) == 1


def test_default_ids_go_on_counting() -> None:
    larger = cl.Catalog(ARMS, WEIGHTS).add_arms([[1.0, 1.0]], [[1.0, 0.0, 0.0]])
    assert larger.arm_ids == (0, 1, 2, 3, 4)
    clash = cl.Catalog(ARMS, WEIGHTS, arm_ids=[1, 2, 3, 4])
    with pytest.raises(cl.InvalidInput, match="index 4 is already an id"):
        clash.add_arms([[1.0, 1.0]], [[1.0, 0.0, 0.0]])


BAD_ADDITIONS: dict[str, tuple[tuple[Any, ...], str]] = {
    "columns": (([[1.0, 1.0, 1.0]], [[1.0, 0.0, 0.0]], ["n"]), "(1, 3)"),
    "terms": (([[1.0, 1.0]], [[1.0, 0.0]], ["n"]), "(1, 2)"),
    "rows": (([[1.0, 1.0]], [[1.0, 0.0, 0.0]] * 2, ["n"]), "(2, 3)"),
    "nan": (([[1.0, np.nan]], [[1.0, 0.0, 0.0]], ["n"]), "nan"),
    "negative": (([[1.0, 1.0]], [[-1.0, 0.0, 0.0]], ["n"]), "-1.0"),
    "known id": (([[1.0, 1.0]], [[1.0, 0.0, 0.0]], [7]), "7"),
    "too many ids": (([[1.0, 1.0]], [[1.0, 0.0, 0.0]], ["n", "m"]), "2"),
}


@pytest.mark.parametrize("bad", sorted(BAD_ADDITIONS))
def test_bad_additions(bad: str) -> None:
    arguments, received = BAD_ADDITIONS[bad]
    with pytest.raises(cl.InvalidInput) as caught:
        films().add_arms(*arguments)
    assert received in str(caught.value)


@pytest.mark.parametrize(
    ("removed", "received"), [([4], "4"), ([-1], "-1"), ([1, 1], "1"), ([0.5], "float64")]
)
def test_bad_removals(removed: Any, received: str) -> None:
    with pytest.raises(cl.InvalidInput, match=received):
        films().remove_arms(removed)


def test_the_last_arm_stays() -> None:
    with pytest.raises(cl.InvalidInput, match="every arm is removed"):
        films().remove_arms([0, 1, 2, 3])


# Versions


def test_equal_content_has_an_equal_version() -> None:
    forms = [
        films(),
        cl.Catalog(ARMS.tolist(), sparse.csc_array(WEIGHTS), tuple(ARM_IDS), TERM_IDS),
        cl.Catalog(np.asfortranarray(ARMS), WEIGHTS.astype(np.float32), ARM_IDS, TERM_IDS),
        films().remove_arms([]),
    ]
    assert len({each.version for each in forms}) == 1


def test_any_change_has_another_version() -> None:
    nudged = ARMS.copy()
    nudged[0, 0] = np.nextafter(1.0, 2.0)
    heavier = WEIGHTS.copy()
    heavier[0, 2] = 0.6
    others = [
        films(),
        cl.Catalog(nudged, WEIGHTS, ARM_IDS, TERM_IDS),
        cl.Catalog(ARMS, heavier, ARM_IDS, TERM_IDS),
        cl.Catalog(ARMS, WEIGHTS, ["Amélie", "7", 7, "映画 🎬"], TERM_IDS),
        cl.Catalog(ARMS, WEIGHTS, ARM_IDS, ["calm", "tense", "3"]),
        films().remove_arms([3]),
        films().add_arms([[1.0, 1.0]], [[0.0, 0.0, 0.0]], ["n"]),
    ]
    assert len({each.version for each in others}) == len(others)


# Users on a changed catalogue


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_users_go_on_with_a_changed_catalogue(recipe: str) -> None:
    agent = RECIPES[recipe](small_catalog())
    user = played(agent)
    before, due = user.to_arrays(), agent.questions_due(user)
    larger = agent.catalog.add_arms([[9.0, 0.0, 0.0], [-9.0, 0.0, 0.0]], np.eye(6)[:2])
    changed = agent.on(larger.remove_arms([0, 1]))
    assert changed.parameters() == agent.parameters()
    assert changed.questions_due(user) == due
    assert same_state(before, user.to_arrays())
    if user.open is not None:
        changed.hear(user, user.open, 0.5)
        settle(changed, user)
    advice = changed.recommend(user, k=20)
    assert sorted(advice.arms.tolist()) == list(range(2, 14))
    changed.learn(user, 0, 1.0)
    assert user.rounds == 3


def test_a_question_about_a_term_that_retired_can_still_be_answered() -> None:
    agent = cl.conlinucb(films(), strategy="random", beta=1.0, schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user, offered=[1])
    assert question is not None
    smaller = agent.on(films().remove_arms([1]))
    smaller.hear(user, question, 1.0)
    assert np.allclose(user.theta, [0.0, 0.5])


@pytest.mark.parametrize("strategy", sorted(cl.STRATEGIES))
def test_retired_terms_are_never_asked(strategy: str) -> None:
    catalog = films().remove_arms([1])
    agent = cl.conlinucb(catalog, strategy=strategy, schedule=cl.Linear(20))
    user = agent.new_user()
    asked: set[int] = set()
    while (question := agent.ask(user)) is not None:
        asked.update(question.indices)
        agent.hear(user, question, 1.0)
    assert asked
    assert asked <= {0, 2}
