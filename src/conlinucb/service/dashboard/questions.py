"""What people say to each question, and which questions earn their place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.service.dashboard.rounds import LAST_ROUND
from conlinucb.service.dashboard.shares import (
    LEAST_PEOPLE,
    Floats,
    Sums,
    difference,
    share,
    sums_by_person,
)
from conlinucb.service.dashboard.tally import BETWEEN, NO, OPEN, SKIPPED, YES, Tally, Topic
from conlinucb.service.schemas.dashboard import QuestionsOut, QuestionStatOut

MOST_QUESTIONS = 200
"""Questions that are told of, the most asked first."""


def questions_of(tally: Tally) -> QuestionsOut:
    """Every question that enough people were asked, the most asked first."""
    asked, names = tally.asked, list(tally.topics)
    topic, person = np.asarray(asked.topic, dtype=int), np.asarray(asked.person, dtype=int)
    people = np.bincount(_pairs(topic, person, tally.people)[0], minlength=len(names))
    counts = np.bincount(topic, minlength=len(names))
    enough = [k for k in np.argsort(-counts, kind="stable") if people[k] >= LEAST_PEOPLE]
    effects = _Effects(tally)
    rows_of = _grouped(topic, len(names))
    shown = [_stat(tally, names[k], rows_of[k], effects, int(k)) for k in enough[:MOST_QUESTIONS]]
    return QuestionsOut(
        questions=shown,
        withheld=int(((people > 0) & (people < LEAST_PEOPLE)).sum()),
        left_off=max(0, len(enough) - MOST_QUESTIONS),
    )


def _pairs(one: NDArray[Any], other: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both columns, each pair once."""
    found = np.unique(one * max(1, size) + other)
    return found // max(1, size), found % max(1, size)


def _grouped(groups: NDArray[Any], count: int) -> list[NDArray[Any]]:
    """The rows of each group."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.cumsum(np.bincount(groups, minlength=count))[:-1]) if count else []


def _stat(
    tally: Tally, topic: Topic, rows: NDArray[Any], effects: _Effects, number: int
) -> QuestionStatOut:
    outcome = np.asarray(tally.asked.outcome, dtype=int)[rows]
    person = np.asarray(tally.asked.person, dtype=int)[rows]
    closed = outcome != OPEN
    came = {each: int((outcome == each).sum()) for each in (YES, NO, SKIPPED, BETWEEN, OPEN)}
    shares = {
        each: share(sums_by_person(person[closed], outcome[closed] == each))
        for each in (YES, NO, SKIPPED)
    }
    surprise = np.asarray(tally.asked.surprise)[rows]
    answered = surprise[~np.isnan(surprise)]
    told = shares[YES].share is not None
    return QuestionStatOut(
        about=topic[0],
        names=list(topic[1]),
        people=int(np.unique(person).size),
        asked=int(rows.size),
        yes=shares[YES],
        no=shares[NO],
        skip=shares[SKIPPED],
        between=came[BETWEEN] if told else None,
        unanswered=came[OPEN],
        uncertainty=float(np.asarray(tally.asked.radius)[rows].mean()),
        surprise=float(answered.mean()) if told and answered.size else None,
        after=share(effects.after(number)),
        without=share(effects.without(number)),
        difference=effects.difference(number),
    )


class _Effects:
    """Likes after an answer about a topic, against those of people who never met the question.

    Later rounds go better for everyone, and come after more answers. So the difference is one of
    residuals: of each rating the like share of its round, over all people, is taken off.
    """

    def __init__(self, tally: Tally) -> None:
        ratings, touched = tally.ratings, tally.touched
        person = np.asarray(ratings.person, dtype=int)
        liked = np.asarray(ratings.liked, dtype=float)
        round_ = np.minimum(np.asarray(ratings.round, dtype=int), LAST_ROUND + 1)
        rated, likes = np.bincount(round_), np.bincount(round_, weights=liked)
        usual = np.divide(likes, rated, out=np.zeros(rated.size), where=rated > 0)
        self._columns = (_running(liked), _running(liked - usual[round_]))
        self._first, self._end = np.asarray(touched.first, int), np.asarray(touched.end, int)
        self._person = np.asarray(touched.person, dtype=int)
        self._rows = _grouped(np.asarray(touched.topic, dtype=int), len(tally.topics))
        # Where each person's rows begin, and where those of the last one end.
        self._begin = np.searchsorted(person, np.arange(tally.people + 1))
        everyone = np.arange(tally.people)
        self._all = tuple(self._whole(each, everyone) for each in self._columns)

    def _whole(self, column: Floats, people: NDArray[Any]) -> Sums:
        first, end = self._begin[people], self._begin[people + 1]
        return Sums.of(column[end] - column[first], (end - first).astype(float))

    def _after(self, topic: int, column: Floats) -> Sums:
        rows = self._rows[topic]
        first, end = self._first[rows], self._end[rows]
        return Sums.of(column[end] - column[first], (end - first).astype(float))

    def _others(self, topic: int, which: int) -> Sums:
        touched = self._whole(self._columns[which], self._person[self._rows[topic]])
        return self._all[which].without(touched)

    def after(self, topic: int) -> Sums:
        """The likes of what was recommended after an answer."""
        return self._after(topic, self._columns[0])

    def without(self, topic: int) -> Sums:
        """The likes of people who were never asked and never spoke of it."""
        return self._others(topic, 0)

    def difference(self, topic: int) -> Any:
        """The one against the other, at the same rounds."""
        return difference(self._after(topic, self._columns[1]), self._others(topic, 1))


def _running(values: Floats) -> Floats:
    """Sums of the first 0, 1, 2, ... values."""
    return np.concatenate([[0.0], np.cumsum(values)])
