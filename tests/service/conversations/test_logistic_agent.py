"""A catalogue in stars under the logistic recipe: it is told the range, and speaks in it."""

from __future__ import annotations

import numpy as np
import pytest

from conlinucb.agent.estimators import Logistic
from conlinucb.datasets import demo
from conlinucb.service.catalogues.version import CatalogueVersion, Content
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.liking import likings
from conlinucb.service.conversations.picture import known
from conlinucb.service.conversations.reasons import Reasons
from conlinucb.service.conversations.views import explained, profile
from conlinucb.service.settings import Settings
from conlinucb.service.storage import AnswerBody, Body, Event, QuestionBody, RewardBody

SETTINGS = Settings(agent={"recipe": "logistic", "strategy": "ucb"}, range=(1.0, 5.0))
VERSION = CatalogueVersion(1, "films", 1, 1, Content(demo(d=None).catalog), SETTINGS)
LIKED, DISLIKED = (str(each) for each in VERSION.catalog.term_ids[:2])


def talk(*bodies: Body) -> Conversation:
    state = Conversation.new(VERSION, 0)
    for seq, body in enumerate(bodies, start=1):
        state.apply(Event(seq, body))
    return state


def test_the_range_is_the_catalogues() -> None:
    estimator = VERSION.agent.estimator
    assert isinstance(estimator, Logistic)
    assert estimator.range == (1.0, 5.0)
    belief = VERSION.agent.estimates(VERSION.newcomer)
    np.testing.assert_allclose(belief.means, 3.0)


def test_what_is_said_is_learned_shown_and_explained() -> None:
    tags = [set(VERSION.terms_of(str(each))) for each in VERSION.catalog.arm_ids]
    arm = next(i for i, each in enumerate(tags) if LIKED in each and DISLIKED not in each)
    film = str(VERSION.catalog.arm_ids[arm])
    state = talk(
        AnswerBody(about="term", id=LIKED, answer=5.0),
        AnswerBody(about="term", id=DISLIKED, answer=1.0),
        RewardBody(item=film, reward=5.0),
    )
    terms = {each.term: each for each in profile(state, "ann").terms}
    assert 1.0 < terms[DISLIKED].mean < terms[LIKED].mean < 5.0
    assert terms[LIKED].mean > 3.0
    assert 0.0 < known(state) < 1.0
    found = likings(state)
    assert (found[0], found[1]) == (1.0, -1.0)
    others = {each: found[each] for each in range(2, found.size)}
    nearest = max(others, key=lambda k: float(VERSION.catalog.terms[k] @ state.user.theta))
    assert 0.0 < others[nearest] < 1.0
    best = str(VERSION.catalog.arm_ids[VERSION.agent.recommend(state.user, k=2).arms[1]])
    assert Reasons(state).because(best)
    parts = explained(state, film).influence
    assert parts.of_reward(VERSION.catalog.arms[arm], 5.0) > 0
    assert parts.of_reward(VERSION.catalog.arms[arm], 1.0) < 0
    assert 3.0 < explained(state, film).scores.means[0] < 5.0


@pytest.mark.parametrize(("answer", "higher"), [(5.0, True), (1.0, False)])
def test_a_pair_is_heard_over_the_width_of_the_range(answer: float, higher: bool) -> None:
    pair = [LIKED, DISLIKED]
    asked = QuestionBody(
        about="pair", ids=pair, number=1, round=1, text="", strategy="", mean=0.0, radius=1.0
    )
    state = talk(asked, AnswerBody(question=1, about="pair", ids=pair, answer=answer))
    terms = {each.term: each.mean for each in profile(state, "ann").terms}
    assert (terms[LIKED] > terms[DISLIKED]) is higher
