"""What was picked of a group, and what that teaches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.agent.question import Kind, Question
from conlinucb.agent.strategies.group import Teaching, lessons_into
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, indices, number


@dataclass(frozen=True)
class Picked:
    """What was picked of a group: indices or ids of key-terms, none for none of these.

    ``no`` and ``yes`` are what that comes to as numbers, on the scale of answers.
    """

    which: tuple[int | str, ...] = ()
    no: float = 0.0
    yes: float = 1.0


Picks = Picked | Iterable[int | str]
"""What was picked, or the indices and ids alone."""


def is_picked(answer: Any) -> bool:
    """Whether an answer is what was picked, not a number or a word."""
    alone = isinstance(answer, (str, bytes)) or getattr(answer, "ndim", 1) == 0
    return isinstance(answer, Picked) or (isinstance(answer, Iterable) and not alone)


def checked_picks(catalog: Catalog, question: Question, given: Picks) -> Picked:
    """What was picked, by index, if it is of the group, and one at most of the best."""
    picked = given if isinstance(given, Picked) else Picked(tuple(given))
    if question.kind != "group":
        raise InvalidInput(
            f"answer must be a number: only of a group one picks, and this is a {question.kind}; "
            f"got {given!r}."
        )
    size = len(catalog.term_ids)
    which = indices("answer", list(picked.which), size=size, find=catalog.term_index)
    strange = which[~np.isin(which, question.indices)]
    if strange.size:
        raise InvalidInput(
            f"answer holds key-term {strange[0]}, which is not of the group {question.indices}."
        )
    if question.pick == "best" and which.size > 1:
        raise InvalidInput(
            f"answer must be one of the group at most, the best, got {which.tolist()}."
        )
    no, yes = number("no", picked.no), number("yes", picked.yes)
    return Picked(tuple(int(each) for each in which), no, yes)


def plain_answers(
    question: Question, picked: Picked, teaching: Teaching
) -> list[tuple[Kind, tuple[int, ...], Floats, float, float]]:
    """What was picked as answers about key-terms and pairs, and their weights.

    >>> import conlinucb as cl
    >>> from conlinucb.agent.question import question_about
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> group = question_about(catalog, "group", (0, 1), 1, 1)
    >>> plain_answers(group, Picked((1,)), Teaching())
    [('term', (0,), array([1., 0.]), 0.0, 0.5), ('term', (1,), array([0., 1.]), 1.0, 1.0)]
    """
    marks = np.isin(question.indices, picked.which).astype(np.uint8)
    rows, best = np.empty((marks.size, 4)), int(question.pick == "best")
    found = lessons_into(teaching, best, marks, picked.no, picked.yes, rows)
    told: list[tuple[Kind, tuple[int, ...], Floats, float, float]] = []
    for row in rows[:found]:
        (i, j), (value, weight), x = row[:2].astype(int), row[2:].tolist(), question.parts
        if j < 0:
            told.append(("term", (question.indices[i],), x[i], value, weight))
        else:
            both = question.indices[i], question.indices[j]
            told.append(("pair", both, x[i] - x[j], value, weight))
    return told
