"""What comes next for a person: a question or a recommendation. Decides, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from conlinucb.service.conversations.recorded import (
    Candidates,
    asked_among,
    chances,
    chosen_among,
    decided_by,
    question_chance,
)
from conlinucb.service.problems import Problem
from conlinucb.service.schemas import NextBody
from conlinucb.service.storage import Event, QuestionBody, RecommendationBody, RecommendedItem

Choice = Callable[[Conversation], Advice]
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


Watched = Callable[[Choice], dict[str, list[str]]]
"""From how a state's own agent would choose to what others would, by name."""


def next_event(
    state: Conversation, request: NextRequest, watched: Watched | None = None
) -> Event | None:
    """The event that comes next, or None where the open question is to be repeated."""
    pool, exclude, offered = _indices(state, request)
    if request.ask and _may_ask(state):
        if state.user.open is not None:
            return None
        if request.fresh and offered is None and is_unknown(state):
            offered = broad_terms(state)
        chosen = _choose(state, pool, offered, exclude)
        if chosen is not None:
            return _question_event(state, *chosen, request.event)
    return _recommendation_event(state, request, pool, exclude, watched)


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
) -> tuple[Question, dict[str, Any]] | None:
    """A question about something that does not rest, and what it was chosen from.

    None where everything rests.
    """
    agent, user, resting = state.version.agent, state.user, state.resting()
    if agent.asks == "arm":
        hidden = resting if exclude is None else resting | set(exclude.tolist())
        found = _candidates(state, pool, np.array(sorted(hidden), dtype=np.int64))
        question = agent.ask(replace(user), found.among) if found.among.size else None
        return _with(question, _whole(chosen_among(state.version, found)))
    if agent.chooser is not None and agent.chooser.fixed_terms:
        question = _redraw(agent, state, offered, resting)
        return _with(question, asked_among(state.version, offered, 0))
    all_terms = state.version.catalog.live_terms if offered is None else offered
    terms = _without(all_terms, resting)
    everything = None if offered is None and not resting else terms
    question = agent.ask(replace(user), pool, everything) if terms.size else None
    rests = all_terms.size - terms.size
    return _with(question, asked_among(state.version, everything, rests))


def _with(
    question: Question | None, among: dict[str, Any]
) -> tuple[Question, dict[str, Any]] | None:
    return None if question is None else (question, among)


def _whole(among: dict[str, Any]) -> dict[str, Any]:
    """Of what was chosen from, what questions keep."""
    return {name: value for name, value in among.items() if name in QuestionBody.model_fields}


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


def _question_event(
    state: Conversation, question: Question, among: dict[str, Any], client: str | None
) -> Event:
    version, about = state.version, asked_about(state, question)
    body = QuestionBody(
        **about,
        number=question.number,
        round=question.round,
        text=version.question_text(
            question.kind, [str(each) for each in question.ids], question.pick
        ),
        strategy=_chosen_by(version.agent),
        **_uncertainty(state, question),
        **decided_by(version),
        **among,
        **question_chance(version.agent, among["pool_size"]),
    )
    return Event(state.seq + 1, body, client)


def asked_about(state: Conversation, question: Question) -> dict[str, Any]:
    """The fields of a question and of its answer that name what they are about."""
    catalog = state.version.catalog
    known = catalog.arm_ids if question.kind == "arm" else catalog.term_ids
    ids = [str(known[each]) for each in question.indices]
    pick = {} if question.pick is None else {"pick": question.pick}
    return {"about": question.kind, **({"id": ids[0]} if len(ids) == 1 else {"ids": ids}), **pick}


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
    state: Conversation,
    request: NextRequest,
    pool: Indices | None,
    exclude: Indices | None,
    watched: Watched | None,
) -> Event:
    found = _may_be_shown(state, request, pool, exclude)
    own = own_choice(state, request, found)
    random = drawn(state, found.among, request.k)
    shown = own if random is None else random
    marks: dict[str, Any] = {"again": True} if found.again else {}
    if random is not None:
        marks |= {"random": True, "propensity": random.arms.size / found.among.size}
    likely, first = chances(state, shown, own, found, random=random is not None)
    marks |= {**decided_by(state.version), **chosen_among(state.version, found), **first}
    if watched and (others := watched(lambda other: own_choice(other, request, found))):
        marks["shadow"] = others
    body = RecommendationBody(round=shown.round, items=_items(state, shown, likely), **marks)
    return Event(state.seq + 1, body, request.event)


def _may_be_shown(
    state: Conversation, request: NextRequest, pool: Indices | None, exclude: Indices | None
) -> Candidates:
    if pool is not None and not pool.size and request.like is None:
        raise InvalidInput("pool holds no item that is still in the catalogue.")
    found = _candidates(state, pool, exclude)
    if not found.among.size:
        raise Problem(422, "nothing_left", _nothing_left(request))
    shown = _shown_lately(state) if request.fresh else found.among[:0]
    if not shown.size:
        return found
    rested = _candidates(state, pool, shown if exclude is None else np.union1d(exclude, shown))
    if rested.among.size:
        return rested
    oldest = _shown_longest_ago(state, found.among, request.k)
    return Candidates(oldest, None, oldest, oldest[:0], again=True)


def _candidates(state: Conversation, pool: Indices | None, exclude: Indices | None) -> Candidates:
    among = state.version.catalog.live_arms if pool is None else pool
    if exclude is None or not exclude.size:
        return Candidates(pool, None, among, among[:0])
    out = np.isin(among, exclude)
    return Candidates(pool, exclude, among[~out], among[out])


def own_choice(state: Conversation, request: NextRequest, found: Candidates) -> Advice:
    """What the agent shows where chance does not step in."""
    opening = telling(state, found.among, request.k) if request.fresh else None
    if opening is not None:
        return opening
    agent = state.version.agent
    return agent.recommend(replace(state.user), found.pool, request.k, exclude=found.exclude)


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


def _items(
    state: Conversation, advice: Advice, likely: Sequence[float | None]
) -> list[RecommendedItem]:
    ids = state.version.catalog.arm_ids
    columns = zip(
        *(advice.arms, advice.scores, advice.means, advice.radii, advice.exploring, likely),
        strict=True,
    )
    return [
        RecommendedItem(
            item=str(ids[arm]),
            score=float(score),
            mean=float(mean),
            radius=float(radius),
            exploring=bool(exploring),
            **({} if chance is None else {"propensity": chance}),
        )
        for arm, score, mean, radius, exploring, chance in columns
    ]
