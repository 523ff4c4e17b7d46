"""What comes next for a person: a question or a recommendation. Decides, and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.question import Question
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices
from conlinucb.service.conversations.explore import drawn
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.opening import broad_terms, is_unknown, telling
from conlinucb.service.problems import Problem
from conlinucb.service.schemas import NextBody
from conlinucb.service.storage import Event, QuestionBody, RecommendationBody, RecommendedItem

REDRAWS = 64
"""How often a strategy that draws from a fixed set may draw again to avoid what rests."""


@dataclass(frozen=True)
class NextRequest:
    """What the caller of ``next`` asked for."""

    pool: Sequence[str] | None = None
    exclude: Sequence[str] = ()
    offered: Sequence[str] | None = None
    k: int = 1
    ask: bool = True
    event: str | None = None
    fresh: bool = False
    like: str | None = None

    @classmethod
    def of(cls, body: NextBody) -> NextRequest:
        """What the body of a request asks for."""
        return cls(
            body.pool,
            body.exclude,
            body.offered,
            body.k,
            body.ask == "due",
            body.event,
            body.fresh,
            body.like,
        )


def next_event(state: Conversation, request: NextRequest) -> Event | None:
    """The event that comes next, or None where the open question is to be repeated."""
    pool, exclude, offered = _indices(state, request)
    if request.ask and _may_ask(state):
        if state.user.open is not None:
            return None
        if request.fresh and offered is None and is_unknown(state):
            offered = broad_terms(state)
        question = _choose(state, pool, offered, exclude)
        if question is not None:
            return _question_event(state, question, request.event)
    return _recommendation_event(state, request, pool, exclude)


def _indices(
    state: Conversation, request: NextRequest
) -> tuple[Indices | None, Indices | None, Indices | None]:
    version = state.version
    pool = None if request.pool is None else version.arms(request.pool, "pool")
    if request.like is not None:
        pool = version.alike(request.like, pool)
    exclude = version.known(request.exclude) if request.exclude else None
    if request.fresh and state.memory.ratings:
        rated = np.fromiter(state.memory.ratings, dtype=np.int64)
        exclude = rated if exclude is None else np.union1d(exclude, rated)
    offered = None if request.offered is None else version.terms(request.offered, "offered")
    return pool, exclude, offered


def _may_ask(state: Conversation) -> bool:
    limit = state.version.settings.max_questions
    # The open question was counted when it was put, so it may be repeated at the limit.
    left = limit is None or state.asked < limit or state.user.open is not None
    return left and state.version.agent.questions_left(state.user) > 0


def _choose(
    state: Conversation, pool: Indices | None, offered: Indices | None, exclude: Indices | None
) -> Question | None:
    """A question about something that does not rest; None where everything does."""
    agent, user, resting = state.version.agent, state.user, state.resting()
    if agent.asks == "arm":
        hidden = resting if exclude is None else resting | set(exclude.tolist())
        arms = _without(state.version.catalog.live_arms if pool is None else pool, hidden)
        return agent.ask(replace(user), arms) if arms.size else None
    if agent.chooser is not None and agent.chooser.fixed_terms:
        return _redraw(agent, state, offered, resting)
    terms = _without(state.version.catalog.live_terms if offered is None else offered, resting)
    everything = offered is None and not resting
    return agent.ask(replace(user), pool, None if everything else terms) if terms.size else None


def _redraw(
    agent: Agent, state: Conversation, offered: Indices | None, resting: set[int]
) -> Question | None:
    for more in range(REDRAWS):
        twin = replace(state.user, questions=state.user.questions + more)
        question = agent.ask(twin, None, offered)
        if question is None or question.index not in resting:
            return question
    return None


def _without(found: Indices, resting: set[int]) -> Indices:
    return found[~np.isin(found, list(resting))] if resting else found


def _question_event(state: Conversation, question: Question, client: str | None) -> Event:
    version, about = state.version, asked_about(state, question)
    body = QuestionBody(
        **about,
        number=question.number,
        round=question.round,
        text=version.question_text(question.kind, [str(each) for each in question.ids]),
        strategy=_chosen_by(version.agent),
        **_uncertainty(state, question),
        **_under(state),
    )
    return Event(state.seq + 1, body, client)


def asked_about(state: Conversation, question: Question) -> dict[str, Any]:
    """The fields of a question and of its answer that name what they are about."""
    catalog = state.version.catalog
    known = catalog.arm_ids if question.kind == "arm" else catalog.term_ids
    ids = [str(known[each]) for each in question.indices]
    return {"about": question.kind, **({"id": ids[0]} if len(ids) == 1 else {"ids": ids})}


def _chosen_by(agent: Agent) -> str:
    return "best item" if agent.asks == "arm" or agent.chooser is None else agent.chooser.name


def _uncertainty(state: Conversation, question: Question) -> dict[str, Any]:
    """What is believed of the thing asked about, and how its radius ranks."""
    agent, user, index = state.version.agent, state.user, question.index
    if question.kind == "arm":
        found = agent.score(user, [index])
        return {"mean": float(found.means[0]), "radius": float(found.radii[0])}
    belief = agent.estimates(user)
    if question.others:
        mean, radius = agent.expects(user, question)
        return {"mean": mean, "radius": radius}
    live = belief.radii[state.version.catalog.live_terms]
    radius = float(belief.radii[index])
    rank = 1 + int((live > radius + 1e-9).sum())
    return {"mean": float(belief.means[index]), "radius": radius, "rank": rank, "of": live.size}


def _recommendation_event(
    state: Conversation, request: NextRequest, pool: Indices | None, exclude: Indices | None
) -> Event:
    if pool is not None and not pool.size and request.like is None:
        raise InvalidInput("pool holds no item that is still in the catalogue.")
    catalog = state.version.catalog
    among = catalog.live_arms if pool is None else pool
    if exclude is not None:
        among = among[~np.isin(among, exclude)]
    if not among.size:
        raise Problem(422, "nothing_left", _nothing_left(request))
    marks: dict[str, Any] = {}
    shown = _shown_lately(state) if request.fresh else among[:0]
    if shown.size and np.isin(among, shown).all():
        marks["again"] = True
        among = pool = _shown_longest_ago(state, among, request.k)
    elif shown.size:
        exclude = shown if exclude is None else np.union1d(exclude, shown)
        among = among[~np.isin(among, shown)]
    random = drawn(state, among, request.k)
    if random is not None:
        marks |= {"random": True, "propensity": random.arms.size / among.size}
        return _shown(state, request, random, marks)
    opening = telling(state, among, request.k) if request.fresh else None
    if opening is not None:
        return _shown(state, request, opening, marks)
    agent = state.version.agent
    advice = agent.recommend(replace(state.user), pool, request.k, exclude=exclude)
    return _shown(state, request, advice, marks)


def _nothing_left(request: NextRequest) -> str:
    if request.like is not None:
        return f"No item alike to {request.like!r} is left to recommend."
    if request.fresh:
        return "Everything was rated or is excluded: no item is left to recommend."
    return "exclude leaves no item to recommend."


def _shown_lately(state: Conversation) -> Indices:
    """What rests since it was shown, and is still in the catalogue."""
    rest = state.version.settings.rest_after_shown
    return state.version.known(state.memory.shown_since(state.user.rounds - rest))


def _shown_longest_ago(state: Conversation, among: Indices, k: int) -> Indices:
    """Of what was all shown lately, the k that were shown first: so everything has its turn."""
    places = state.version.known(list(state.memory.shown))  # the oldest first
    return np.asarray(places[np.isin(places, among)][:k])


def _under(state: Conversation) -> dict[str, Any]:
    """The population that was believed in, where there is one."""
    number = state.version.population_number
    return {"population": number} if number else {}


def _shown(
    state: Conversation, request: NextRequest, advice: Advice, marks: dict[str, Any]
) -> Event:
    ids = state.version.catalog.arm_ids
    columns = zip(
        advice.arms, advice.scores, advice.means, advice.radii, advice.exploring, strict=True
    )
    items = [
        RecommendedItem(
            item=str(ids[arm]),
            score=float(score),
            mean=float(mean),
            radius=float(radius),
            exploring=bool(exploring),
        )
        for arm, score, mean, radius, exploring in columns
    ]
    body = RecommendationBody(round=advice.round, items=items, **marks, **_under(state))
    return Event(state.seq + 1, body, request.event)
