"""A question about a pair in someone's log, as another version of the service writes it."""

from __future__ import annotations

from conlinucb.service.storage import Body, Event, QuestionBody
from support.service_conversation import TERMS
from support.service_talk import Talk

PAIR = [TERMS[0], TERMS[1]]


def write(talk: Talk, body: Body) -> int:
    """As another version of the service writes it; the event's number."""
    log = talk.use_cases.storage.log
    return log.append(talk.person.id, Event(log.last(talk.person.id) + 1, body)).seq


def ask_about_a_pair(talk: Talk) -> int:
    user = talk.state().user
    body = QuestionBody(
        about="pair",
        ids=PAIR,
        number=user.questions + 1,
        round=user.rounds + 1,
        text="Which of the two do you like better?",
        strategy="pairs",
        mean=0.0,
        radius=1.0,
    )
    return write(talk, body)
