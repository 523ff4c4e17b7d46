"""People as the compiled loop meets them: their rounds as arrays, their answers as numbers."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from conlinucb.agent.relative import Word
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INDICES,
    INT,
    MATRIX,
    SEED,
    VECTOR,
    kernel,
    tuple_type,
)
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.base import People
from conlinucb.randomness import (
    ANSWER_NOISE,
    ARM_ANSWER_NOISE,
    COMPARED,
    DUEL,
    LIE,
    REFUSAL,
    REWARD_NOISE,
    derive,
    normal,
    uniform,
)

IDENTITY, CLIPPED, LOGISTIC = 0, 1, 2
"""Links: from x'theta to what it is worth."""
YES_NO, REFUSES, LIES = 0, 1, 2
"""Changes: what people do to an answer before they give it."""
FIRST, SECOND, BOTH, NEITHER = 1.0, -1.0, 2.0, -2.0
"""Words about a pair; the negative of a word is its opposite."""


class Rounds(NamedTuple):
    """Several rounds of one person, B of them, every agent of a run is played on."""

    start: Indices
    """(B + 1,): round b has the arms pool[start[b]:start[b + 1]]."""
    pool: Indices
    best: Floats
    """(B,) the largest value of each pool."""
    chance: Floats
    """(B,) noise to be added to a reward; of people who click, the number that decides."""
    offered: Indices
    """(B, m) key-terms that may be asked about; (1, m) where they are always the same."""


class Voice(NamedTuple):
    """How one person rewards and answers."""

    worth: Floats
    """(N,) what each arm of a pool is worth; NaN for none that could be learned from."""
    clicks: int
    """Whether that is the chance of a click."""
    table: Floats
    """(K,) the answer to each key-term without noise, NaN for none."""
    theta: Floats
    """(d,) the taste, or zeros where answers come from the table only."""
    has_theta: int
    """Whether theta is a true taste, of which an estimate can be wrong."""
    link: int
    noise: float
    """Of answers about arms."""
    term_noise: float
    shared_noise: int
    changes: Floats
    """(m, 4), the innermost first: which, and its three numbers."""
    seed: np.uint64
    compared: Floats = np.empty(0)
    """(K,) what each key-term is worth where the two of a pair are compared; (0,) of people who
    answer a pair by a difference."""
    comparing: Floats = np.empty(0)
    """(4,) for these: the noise of each, how near is no difference, from where both is said, and
    whether the noises' difference is logistic."""


ROUNDS = tuple_type(Rounds, INDEX, INDEX, VECTOR, VECTOR, INDICES)
VOICE = tuple_type(
    Voice,
    *(VECTOR, INT, VECTOR, VECTOR, INT, INT, FLOAT, FLOAT, INT, MATRIX, SEED),
    *(VECTOR, VECTOR),
)


class Met(Protocol):
    """One person, met by the loop."""

    voice: Voice

    def rounds(self, first: int, count: int) -> Rounds:
        """Rounds first .. first + count - 1, counted from 1."""
        ...


class Compiled(Protocol):
    """People whom the loop can meet."""

    def meet(self, catalog: Catalog, seed: int, user: int) -> Met:
        """A person by ``People.user_seed`` and number."""
        ...


MET = (
    *("round", "answer", "opinions", "pick", "reward", "values", "taste", "duel", "place"),
    "compiled",
)
"""What the compiled form takes the place of."""


def compiled_people(people: People) -> Compiled | None:
    """The compiled form, unless something of the class that has it was overridden since."""
    kind = type(people)
    owner = next(each for each in kind.__mro__ if "compiled" in vars(each))
    if any(getattr(kind, name) is not getattr(owner, name) for name in MET):
        return None
    if any(name in vars(people) for name in MET):  # overridden on the object itself
        return None
    return people.compiled()


@kernel(FLOAT(INT, FLOAT), inner=True)
def linked(link: int, value: float) -> float:
    """What x'theta is worth."""
    if link == CLIPPED:
        return min(max(value, 0.0), 1.0)
    return 1.0 / (1.0 + np.exp(-value)) if link == LOGISTIC else value


@kernel(FLOAT(INT, FLOAT, FLOAT))
def rewarded(clicks: int, value: float, chance: float) -> float:
    """What an arm of this value brings."""
    return (1.0 if chance < value else 0.0) if clicks else value + chance


@kernel(FLOAT(VOICE, INT))
def plain_answer(voice: Voice, term: int) -> float:
    """The answer about a key-term without noise and changes."""
    return float(voice.table[term])


@kernel(FLOAT(VOICE, INT, INT, INT))
def answer_noise(voice: Voice, about_arm: int, round: int, number: int) -> float:
    """Noise of the answer to a round's question ``number``, from 0."""
    at = derive(voice.seed, round)
    position = 0 if voice.shared_noise else number
    if not about_arm:
        return voice.term_noise * normal(derive(at, ANSWER_NOISE), position)
    stream = REWARD_NOISE if voice.shared_noise else ARM_ANSWER_NOISE
    return voice.noise * normal(derive(at, stream), position)


@kernel(FLOAT(VOICE, INT, INT, INT, FLOAT))
def changed(voice: Voice, pair: int, round: int, number: int, answer: float) -> float:
    """What is said in place of ``answer``; NaN for nothing.

    The answer about a ``pair`` is a difference: yes from 0 on, as much more as yes is above no,
    and the opposite of it is its negative. A word is said as it is, or the opposite of it.
    """
    at, word = derive(voice.seed, round), pair == 1 and voice.compared.shape[0] > 0
    for depth in range(voice.changes.shape[0]):
        what, first = voice.changes[depth, 0], voice.changes[depth, 1]
        second, third = voice.changes[depth, 2], voice.changes[depth, 3]
        if what == YES_NO and not (np.isnan(answer) or word):
            if pair:
                answer = second - third if answer >= 0.0 else third - second
            else:
                answer = second if answer >= first else third
        elif what == REFUSES and uniform(derive(derive(at, REFUSAL), depth), number) < first:
            answer = np.nan
        elif what == LIES and uniform(derive(derive(at, LIE), depth), number) < first:
            answer = -answer if pair else second + third - answer
    return answer


@kernel(FLOAT(VOICE, FLOAT, FLOAT, INT, INT))
def preferred(voice: Voice, first: float, second: float, round: int, number: int) -> float:
    """What someone who compares says of two values, each seen with noise of its own, in a word."""
    noise, near, liked, logistic = voice.comparing
    stream = derive(derive(voice.seed, round), COMPARED)
    one, other = first, second
    if logistic:  # the difference of two such noises is logistic
        one -= noise * np.log(-np.log(1.0 - uniform(stream, 2 * number)))
        other -= noise * np.log(-np.log(1.0 - uniform(stream, 2 * number + 1)))
    else:
        one += noise * normal(stream, 2 * number)
        other += noise * normal(stream, 2 * number + 1)
    if np.isnan(one - other):
        return np.nan
    if abs(one - other) <= near:
        return BOTH if (one + other) / 2.0 >= liked else NEITHER
    return FIRST if one > other else SECOND


@kernel(FLOAT(VOICE, INT, INT, INT, INT))
def pair_answer(voice: Voice, first: int, second: int, round: int, number: int) -> float:
    """What is said of a pair, NaN for nothing: how much more the first is liked, or a word."""
    if voice.compared.shape[0] > 0:
        values = voice.compared[first], voice.compared[second]
        said = preferred(voice, values[0], values[1], round, number)
    else:
        difference = plain_answer(voice, first) - plain_answer(voice, second)
        said = difference + answer_noise(voice, 0, round, number)
    return changed(voice, 1, round, number, said)


@kernel(FLOAT(VOICE, MATRIX, INT, INT, INT))
def duelled(voice: Voice, arms: Floats, first: int, second: int, round: int) -> float:
    """1 where the first of two arms is preferred, 0 for the second, NaN where one is not known.

    By a taste with the chance that is logistic in its difference, over the noise of people who
    compare by logistic noises; else whichever is worth more.
    """
    drawn, noise = uniform(derive(derive(voice.seed, round), DUEL), 0), 1.0
    if voice.comparing.shape[0] > 0 and voice.comparing[3]:
        noise = voice.comparing[0]
    if voice.has_theta:
        lead = 0.0
        for i in range(arms.shape[1]):
            lead += (arms[first, i] - arms[second, i]) * voice.theta[i]
        if noise > 0.0:
            return 1.0 if drawn < linked(LOGISTIC, lead / noise) else 0.0
    else:
        lead = voice.worth[first] - voice.worth[second]
    if lead == 0.0:
        return 1.0 if drawn < 0.5 else 0.0
    return 1.0 if lead > 0.0 else 0.0 if lead < 0.0 else np.nan


CODES: dict[Any, float] = {"first": FIRST, "second": SECOND, "both": BOTH, "neither": NEITHER}


def coded(said: Any) -> Any:
    """An answer as the loop has it: a number, NaN for none."""
    return np.nan if said is None else CODES.get(said, said) if isinstance(said, str) else said


def worded(code: float) -> Word | None:
    """The word that the loop has this number for, None for NaN."""
    found: Word | None = next((word for word, each in CODES.items() if each == code), None)
    return found


def no_changes() -> Any:
    """For people who say what they think."""
    return np.empty((0, 4))
