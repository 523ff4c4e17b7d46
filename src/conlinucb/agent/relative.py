"""What the answer to a question teaches; of a pair: its difference, its winner, or both of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from conlinucb.agent.picked import Picked, checked_picks, is_picked, plain_answers
from conlinucb.agent.priors.answers import Answers
from conlinucb.agent.priors.scale import PLAIN_PAIRS, PairScale, Scale, scale_of
from conlinucb.agent.question import Kind, Question
from conlinucb.agent.spreading import NOWHERE, Spreading
from conlinucb.agent.strategies.group import Teaching
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, nearest
from conlinucb.numerics.validation import Floats

PairUpdate = Literal["difference", "winner", "both"]
PAIR_UPDATES: tuple[PairUpdate, ...] = ("difference", "winner", "both")
"""In the order in which the loop numbers them."""

Word = Literal["first", "second", "both", "neither"]
WORDS: dict[Word, tuple[float, float]] = {
    "first": (1.0, 0.0),
    "second": (0.0, 1.0),
    "both": (1.0, 1.0),
    "neither": (0.0, 0.0),
}
"""What may be said of a pair, and what it says of its two key-terms."""
Said = float | Word | tuple[float, float] | Picked
"""An answer: a number; of a pair a word, or what each of the two is worth; of a group what was
picked."""
USUAL = Teaching()
"""What picking teaches where the strategy has no say in it."""


class Lesson(NamedTuple):
    """An observation of x'theta, ``weight`` times as precise as a reward's."""

    x: Floats
    value: float
    weight: float


Learn = Callable[..., None]
"""Takes a state and what a lesson has: an estimator's ``learn_arm`` or ``learn_term``."""


def lessons(
    question: Question,
    said: Said,
    answers: Answers | None,
    update: PairUpdate,
    teaching: Teaching = USUAL,
    pairs: PairScale = PLAIN_PAIRS,
    spreading: Spreading = NOWHERE,
) -> list[Lesson]:
    """What an answer teaches, on the scale that the prior says it is on.

    What is said of one key-term may spread, of pairs and groups nothing does.

    Of a pair, by ``update``: "difference" observes (x~_first - x~_second)'theta; "winner" the
    preferred one alone, and "both" each of the two, like answers about these key-terms. A number is
    a difference: above 0 the first wins and is worth 1, the other 0; 0 names no winner. Two numbers
    are what each is worth; where they are equal, as in "both" and "neither", each of them counts as
    a winner; ``pairs`` says what else than 1 and 0 they are worth, and what a difference says. What
    was picked of a group teaches by ``teaching``.

    >>> import conlinucb as cl
    >>> from conlinucb.agent.question import question_about
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> pair = question_about(catalog, "pair", (0, 1), number=1, round=1)
    >>> for update in PAIR_UPDATES:
    ...     taught = lessons(pair, -1.0, None, update)
    ...     print(update, [(x.tolist(), value) for x, value, _ in taught])
    difference [([1.0, -1.0], -1.0)]
    winner [([0.0, 1.0], 1.0)]
    both [([1.0, 0.0], 0.0), ([0.0, 1.0], 1.0)]
    """
    about: list[tuple[Kind, tuple[int, ...], Floats, float, float]]
    if isinstance(said, Picked):
        about = plain_answers(question, said, teaching)
    elif question.kind == "pair" and update != "difference":
        each = zip(question.indices, question.parts, _of_each(said, update, pairs), strict=True)
        about = [("term", (k,), x, value, 1.0) for k, x, value in each if value is not None]
    else:
        about = [(question.kind, question.indices, question.probe, as_number(said, pairs), 1.0)]
    told = []
    for kind, indices, x, value, weight in about:
        scale = Scale() if answers is None else scale_of(answers, kind, indices, pairs)
        if scale.weight > 0:  # a weight of 0 tells nothing
            told.append(Lesson(x, scale.observed(value), scale.weight * weight))
    if question.kind == "term":
        told += [
            Lesson(x, value, lesson.weight * share)
            for lesson in told
            for x, value, share in spreading.of(question.index, lesson.value)
        ]
    return told


def as_number(said: float | Word | tuple[float, float], pairs: PairScale = PLAIN_PAIRS) -> float:
    """The answer itself or, of a pair, how much more the first is liked.

    >>> as_number("second"), as_number((0.9, 0.4)), as_number("both")
    (-1.0, 0.5, 0.0)
    """
    if isinstance(said, str):
        said = _worth(said, pairs)
    return said[0] - said[1] if isinstance(said, tuple) else said


def _worth(word: Word, pairs: PairScale) -> tuple[float, float]:
    first, second = WORDS[word]
    width = pairs.high - pairs.low
    return pairs.low + width * first, pairs.low + width * second


def _of_each(
    said: float | Word | tuple[float, float], update: PairUpdate, pairs: PairScale
) -> tuple[float | None, float | None]:
    """The value of the first and of the second, None for what is not learned from."""
    if isinstance(said, str):
        first, second = _worth(said, pairs)
    elif isinstance(said, tuple):
        first, second = said
    elif said == 0:
        return None, None
    else:
        first, second = _worth("first" if said > 0 else "second", pairs)
    if update == "both":
        return first, second
    return (first if first >= second else None), (second if second >= first else None)


def checked_update(given: Any) -> PairUpdate:
    """The name of an update, if it is one."""
    if given not in PAIR_UPDATES:
        raise InvalidInput(
            f"pair_update must be one of {', '.join(map(repr, PAIR_UPDATES))}, got {given!r}."
        )
    update: PairUpdate = given
    return update


def checked_answer(
    catalog: Catalog, question: Question, given: Any, checked: Callable[..., float]
) -> Said:
    """An answer that can be learned from; words and two numbers answer a pair, picks a group.

    ``checked`` is the estimator's, which knows the range of numbers.
    """
    if isinstance(given, Picked) or (question.kind != "pair" and is_picked(given)):
        picked = checked_picks(catalog, question, given)
        checked("no", picked.no), checked("yes", picked.yes)
        return picked
    several = isinstance(given, (tuple, list))
    if question.kind != "pair" or not (several or isinstance(given, str)):
        return checked("answer", given, question.kind)
    if several:
        if len(given) != 2:
            raise InvalidInput(f"A pair is answered by two values, one of each, got {given!r}.")
        return checked("answer", given[0]), checked("answer", given[1])
    if given not in WORDS:
        raise InvalidInput(f"No answer to a pair is called {given!r}.{nearest(given, WORDS)}")
    word: Word = given
    return word
