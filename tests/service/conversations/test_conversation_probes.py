"""A log with questions about several things at once can be read, shown and gone on with."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from conlinucb.service.storage import AnswerBody
from support import service_conversation
from support.service_conversation import TERMS, Start, adds_up
from support.service_pairs import PAIR, ask_about_a_pair, write
from support.service_talk import Talk

start = service_conversation.start


@pytest.fixture
def talk(start: Start) -> Talk:
    found = start()
    found.go_on(8)
    return found


@pytest.mark.parametrize(("said", "heard"), [(1.0, 1.0), (0.25, -0.5), (0.0, -1.0)])
def test_a_pair_tells_how_much_more_the_first_is_liked(
    talk: Talk, said: float, heard: float
) -> None:
    agent = talk.state().version.agent
    twin = deepcopy(talk.state().user)
    asked, terms = talk.state().asked, agent.catalog.terms
    seq = ask_about_a_pair(talk)
    write(talk, AnswerBody(question=seq, about="pair", ids=PAIR, answer=said))
    agent.estimator.learn_term(twin.state, terms[0] - terms[1], heard)
    state = talk.state()
    assert (state.asked, state.missed, state.open_seq) == (asked + 1, 0, 0)
    assert np.allclose(state.user.theta, twin.theta, atol=1e-12)
    assert adds_up(talk.explain("item 2"))


def test_a_pair_of_what_is_not_there_counts_as_asked_and_teaches_nothing(talk: Talk) -> None:
    before = talk.state().user.theta.copy()
    body = AnswerBody(
        question=ask_about_a_pair(talk), about="pair", ids=[TERMS[0], "?"], answer=1.0
    )
    write(talk, body)
    assert talk.state().missed == 1
    assert talk.state().user.theta.tolist() == before.tolist()


def test_a_pair_is_shown_exported_and_the_conversation_goes_on(talk: Talk) -> None:
    seq = ask_about_a_pair(talk)
    profile = talk.got("GET", "")
    assert profile["open_question"]["about"] == "pair"
    assert profile["open_question"]["terms"] == PAIR
    assert profile["damaged_events"] == 0
    assert profile["events"][0]["about"]["ids"] == PAIR
    assert talk.answer(question=f"q{seq}", answer="skip")["event"] == seq + 1
    said = talk.bodies(AnswerBody)[-1]
    assert (said.about, said.ids, said.id, said.answer) == ("pair", PAIR, None, None)
    talk.go_on(4)
