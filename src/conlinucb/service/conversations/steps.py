"""A whole step in one request: what was said, and what comes next.

Built on the use cases that take one thing each, so that there is one way to write an event. Each
thing said has its own event id: what was taken in before a connection broke is known again when
the whole is sent again.
"""

from __future__ import annotations

from typing import Literal

from conlinucb.errors import ConlinucbError
from conlinucb.service.conversations.decide import NextRequest
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.picture import picture
from conlinucb.service.conversations.replies import Given
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.conversations.views import next_out
from conlinucb.service.conversations.writer import Written
from conlinucb.service.problems import Problem, problem_of
from conlinucb.service.schemas import (
    AnswerBody,
    ErrorInside,
    NextBody,
    Receipt,
    Refusal,
    RewardBody,
    SaidBody,
    StepsBody,
    StepsOut,
)
from conlinucb.service.storage import Person, RecommendationBody

Ended = Literal["nothing_left", "all_shown"]
REPORTED = (404, 409, 422)
"""Refusals of one thing said, which keep no other from being taken in."""


def take_steps(use_cases: UseCases, catalogue: str, name: str, body: StepsBody) -> StepsOut:
    """Take in what was said, decide on what comes next, and look at what that makes of them."""
    receipts = [_taken(use_cases, catalogue, name, each) for each in body.said]
    written, ended = _next(use_cases, catalogue, name, body.next)
    new = [each for each in receipts if isinstance(each, Receipt) and not each.repeated]
    # Whoever has just written something has everything up to it at hand.
    wrote = bool(new) or (written is not None and not written.repeated)

    def see(state: Conversation, person: Person) -> StepsOut:
        step = None if written is None else next_out(written.event, state)
        return StepsOut(receipts=receipts, step=step, ended=ended, picture=picture(state))

    return use_cases.look(catalogue, name, see, newcomers=True, reread=not wrote)


def _taken(use_cases: UseCases, catalogue: str, name: str, said: SaidBody) -> Receipt | Refusal:
    try:
        written = _say(use_cases, catalogue, name, said)
    except ConlinucbError as error:
        problem = problem_of(error)
        if problem.status not in REPORTED:
            raise
        return Refusal(error=ErrorInside(code=problem.code, message=str(problem)))
    return Receipt(event=written.event.seq, repeated=written.repeated)


def _say(use_cases: UseCases, catalogue: str, name: str, said: SaidBody) -> Written:
    if said.answer is not None:
        return say_answer(use_cases, catalogue, name, said.answer)
    if said.reward is not None:
        return say_reward(use_cases, catalogue, name, said.reward)
    assert said.take_back is not None
    return use_cases.retract(catalogue, name, said.take_back.event)


def say_answer(use_cases: UseCases, catalogue: str, name: str, body: AnswerBody) -> Written:
    """Take in an answer, asked for or not."""
    if body.topic is not None:
        assert body.answer is not None
        return use_cases.volunteer(catalogue, name, body.topic, body.answer, body.event)
    assert body.question is not None
    given: Given | None = body.picked if body.answer is None else body.answer
    assert given is not None
    return use_cases.answer(catalogue, name, body.question, given, body.event)


def say_reward(use_cases: UseCases, catalogue: str, name: str, body: RewardBody) -> Written:
    """Take in how an item was liked."""
    return use_cases.reward(catalogue, name, body.decision, body.item, body.reward, body.event)


def _next(
    use_cases: UseCases, catalogue: str, name: str, body: NextBody | None
) -> tuple[Written | None, Ended | None]:
    if body is None:
        return None, None
    try:
        written = use_cases.next(catalogue, name, NextRequest.of(body))
    except Problem as problem:
        if problem.code != "nothing_left":
            raise
        return None, "nothing_left"
    decided = written.event.body
    again = isinstance(decided, RecommendationBody) and decided.again
    return written, "all_shown" if again else None
