"""Which question: what a strategy is shown of one person, and what is made of its choice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conlinucb.agent import schedule as schedules
from conlinucb.agent.among import rows_of
from conlinucb.agent.gates import GO, STOP
from conlinucb.agent.question import Kind, Question
from conlinucb.agent.strategies import View
from conlinucb.agent.strategies.chooser import Chooser
from conlinucb.agent.strategies.valuable import Valuable, best_question
from conlinucb.agent.user import User
from conlinucb.errors import InvalidInput, QuestionClosed, StrategyError
from conlinucb.numerics.linalg import products
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Indices

if TYPE_CHECKING:
    from conlinucb.agent.agent import Agent


class Worth(NamedTuple):
    """The most valuable key-term, -1 where there is none, and what asking about it gains."""

    term: int
    gain: float


def probed(agent: Agent, user: User, question: Question) -> Question:
    """The question with the direction that the strategy takes an answer for."""
    chooser = agent.chooser
    if chooser is None or chooser.probe is None or question.kind != "term":
        return question
    out, terms = np.empty(agent.catalog.d), agent.catalog._terms
    asked = question.number - 1
    chooser.probe(terms, question.index, user.seed, asked, chooser.constants, out)
    return replace(question, probe=out)


def can_be_asked(agent: Agent, terms: Indices) -> bool:
    """False for a pair or group of fewer than two."""
    return agent.chooser is None or agent.chooser.kind == "term" or terms.size >= 2


def choose_if_open(
    agent: Agent, user: User, arms: Indices, offered: Indices
) -> tuple[Kind, tuple[int, ...]] | None:
    """What the next question is about; None where the schedule's gate lets none through."""
    found = decided(agent, user, arms, offered)
    if found == STOP:
        return None
    if found == GO:
        return choose(agent, user, arms, offered)
    if agent.chooser is not None and agent.chooser.kind != "term":
        raise StrategyError(
            f"Strategy {agent.chooser.name!r} asks about pairs or groups, but its gate named term "
            f"{found}."
        )
    return "term", (found,)


def decided(agent: Agent, user: User, arms: Indices, offered: Indices) -> int:
    """What the schedule's gate says of a further question; GO where there is no gate."""
    if agent.gate is None:
        return GO
    return agent.gate.decide(view_of(agent, user, agent.gate, arms, offered))


def choose(
    agent: Agent, user: User, arms: Indices, offered: Indices
) -> tuple[Kind, tuple[int, ...]]:
    """What the next question is about."""
    if agent.asks == "arm":
        return "arm", (int(arms[first_best(agent._ranking(user).scores(arms).scores)]),)
    chooser = agent.chooser
    assert chooser is not None
    chooser.check_offered(offered, agent.catalog)
    return chooser.kind, chooser.choose(view_of(agent, user, chooser, arms, offered))


def most_valuable(agent: Agent, user: User, arms: Indices, offered: Indices) -> Worth:
    """What ``valuable`` would ask, whatever the agent's own strategy is."""
    if not offered.size:
        return Worth(-1, 0.0)
    if agent._worth is None:
        own = agent.chooser if isinstance(agent.strategy, Valuable) else None
        agent._worth = own or Chooser(Valuable(), agent.catalog)
    return Worth(*best_question(view_of(agent, user, agent._worth, arms, offered)))


def check_open(user: User, question: Any) -> None:
    """Refuse what is no question, or not the open one."""
    if not isinstance(question, Question):
        raise InvalidInput(f"question must be a Question from ask(), got {question!r}.")
    if question != user.open:
        raise QuestionClosed(
            f"{question} is not open: it was answered before, or never asked of this user. "
            f"Open now: {user.open}."
        )


def view_of(agent: Agent, user: User, chooser: Chooser, arms: Indices, offered: Indices) -> View:
    """All that a strategy may base its choice on, as ``chooser`` wants it."""
    catalog, estimator, state = agent.catalog, agent.estimator, user.state
    t = user.rounds + 1
    belief = estimator.term_belief(state, t, schedules.asked_by(agent.schedule, t))
    if chooser.needs_pool:
        rows = rows_of(catalog, arms)
        reach, means = estimator.reach(state, rows), products(rows, state.theta)
    else:
        arms, reach, means = arms[:0], np.empty((0, catalog.d)), np.empty(0)
    return View(
        catalog._terms,
        offered,
        belief.theta,
        belief.cov,
        belief.alpha,
        arms,
        reach,
        *catalog._graph,
        np.full(len(catalog.term_ids), np.inf),
        chooser.constants,
        user.seed,
        user.questions,
        t,
        agent.answers.weight * estimator.answer_weight,
        agent.answers.chance,
        _times(user, len(catalog.term_ids)),
        means,
        estimator.reach_noise(),
        _pairs(user, len(catalog.term_ids)),
    )


def _pairs(user: User, terms: int) -> Indices:
    return np.array([one * terms + other for one, other in user.pairs], dtype=np.int64)


def _times(user: User, terms: int) -> Indices:
    times = np.zeros(terms, dtype=np.int64)
    for term, count in user.times.items():
        times[term] = count
    return times
