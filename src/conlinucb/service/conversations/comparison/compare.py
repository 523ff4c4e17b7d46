"""One person shown step by step, and the forty beside: computed once, and kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from conlinucb.agent.picked import Picked
from conlinucb.agent.question import Question
from conlinucb.agent.relative import Word, as_number
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.comparison.agents import Contender, contender
from conlinucb.service.conversations.comparison.crowd import (
    PEOPLE,
    Crowd,
    Step,
    crowd,
    played,
    rounds_of_all,
    share_within,
)
from conlinucb.service.conversations.comparison.logged import LoggedKinds
from conlinucb.service.conversations.comparison.meet import SIMULATED, Meeting
from conlinucb.service.schemas import (
    ComparisonAnswer,
    ComparisonBody,
    ComparisonOut,
    ComparisonPeople,
    ComparisonPerson,
    ComparisonRound,
    ComparisonRun,
    PagePeople,
)

MOST_TERMS, MOST_FEATURES = 2_000, 301
"""Larger catalogues are compared with ``conlinucb simulate``, not while a page waits."""
KEPT = 32
"""Results about forty people that are kept: steps to another person need no new ones."""


class Comparisons:
    """Comparisons by order; nothing of them outlasts the process."""

    def __init__(self) -> None:
        self._crowds: OrderedDict[Any, Crowd] = OrderedDict()
        self._lock = threading.Lock()
        self._logged = LoggedKinds()

    def kinds(self) -> list[PagePeople]:
        """The people who can be met: simulated ones, and those whose data are here."""
        simulated = [PagePeople(name=each, real=False, ready=True) for each in SIMULATED]
        return [*simulated, *self._logged.found()]

    def compare(
        self,
        version: CatalogueVersion,
        order: ComparisonBody,
        check: Callable[[], None] = lambda: None,
    ) -> ComparisonOut:
        """The same people, rounds and luck for each agent; ``check`` may raise to end it early."""
        meeting = self._meeting(version, order)
        contenders = [contender(each, order.schedule, meeting.version) for each in order.agents]
        everybody = self._crowd(meeting, contenders, order, check)
        person = everybody.typical if order.person is None else order.person - 1
        runs = [_run(meeting, each, order, person) for each in contenders]
        return ComparisonOut(
            person=person + 1,
            typical=everybody.typical + 1,
            likes=meeting.likes[person],
            dislikes=meeting.dislikes[person],
            runs=runs,
            everybody=_told(everybody),
        )

    def _meeting(self, version: CatalogueVersion, order: ComparisonBody) -> Meeting:
        if order.people in SIMULATED:
            _check_size(version)
            return SIMULATED[order.people](version, order, PEOPLE)
        if order.people in self._logged.names:
            return self._logged.meet(order.people, order, PEOPLE)
        known = (*SIMULATED, *self._logged.names)
        raise UnknownName(f"No people are called {order.people!r}.{nearest(order.people, known)}")

    def _crowd(
        self,
        meeting: Meeting,
        contenders: list[Contender],
        order: ComparisonBody,
        check: Callable[[], None],
    ) -> Crowd:
        version = meeting.version
        rounds = rounds_of_all(order.rounds, version.catalog.d)
        asked = order.people, *order.agents, order.schedule, order.noise, order.seed
        learned = 0 if version.population is None else version.population.number
        key = version.name, version.id, version.number, learned, *asked, rounds
        with self._lock:
            if key in self._crowds:
                self._crowds.move_to_end(key)
                return self._crowds[key]
        found = crowd(meeting, contenders, order.seed, rounds, check)
        with self._lock:
            self._crowds[key] = found
            while len(self._crowds) > KEPT:
                self._crowds.popitem(last=False)
        return found


def _check_size(version: CatalogueVersion) -> None:
    catalog = version.catalog
    if len(catalog.term_ids) > MOST_TERMS or catalog.d > MOST_FEATURES:
        raise InvalidInput(
            f"The comparison takes catalogues of at most {MOST_TERMS} key-terms and "
            f"{MOST_FEATURES} features; this one has {len(catalog.term_ids)} and {catalog.d}."
        )


def _run(
    meeting: Meeting, contender: Contender, order: ComparisonBody, person: int
) -> ComparisonRun:
    regret, rounds = 0.0, []
    for step in played(meeting, contender, order.seed, person, order.rounds):
        regret += step[1].regret
        rounds.append(_round(meeting, step, person, regret))
    return ComparisonRun(agent=contender.name, rounds=rounds)


def _round(meeting: Meeting, step: Step, person: int, regret: float) -> ComparisonRound:
    place, happened, value, user = step
    taste = meeting.people.taste(place)
    return ComparisonRound(
        asked=[_answer(question, answer) for question, answer in happened.questions],
        item=str(place.catalog.arm_ids[happened.arm]),
        reward=value,
        liked=bool(value >= meeting.liked_from[person]),
        regret=regret,
        error=None if taste is None else float(np.linalg.norm(user.theta - taste)),
    )


def _answer(question: Question, answer: float | Word | Picked | None) -> ComparisonAnswer:
    about = " / ".join(map(str, question.ids))
    if not isinstance(answer, Picked):
        number = None if answer is None else as_number(answer)
        liked = None if question.kind != "pair" or not number else str(question.ids[number < 0])
        return ComparisonAnswer(about=about, answer=number, preferred=liked)
    names = zip(question.indices, question.ids, strict=True)
    return ComparisonAnswer(
        about=about, answer=None, picked=[str(name) for k, name in names if k in answer.which]
    )


def _told(found: Crowd) -> ComparisonPeople:
    better = found.better
    decided = sum(better)
    both = len(better) == 2 and decided > 0
    low, high = share_within(better[0], decided) if both else (None, None)
    return ComparisonPeople(
        rounds=found.rounds,
        better=better,
        alike=len(found.regret) - decided,
        share_low=low,
        share_high=high,
        people=[
            ComparisonPerson(regret=regret.tolist(), liked=liked.tolist())
            for regret, liked in zip(found.regret, found.liked, strict=True)
        ],
    )
