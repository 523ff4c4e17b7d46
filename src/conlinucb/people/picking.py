"""How people answer a group: by what they think of each of it."""

from __future__ import annotations

import numpy as np
from numba import types

from conlinucb.agent.picked import Picked
from conlinucb.agent.question import Question
from conlinucb.numerics.compile import FLOAT, INT, MARKS, VECTOR, kernel
from conlinucb.numerics.ties import first_best
from conlinucb.numerics.validation import Floats
from conlinucb.people.compiled import LIES, REFUSES, VOICE, YES_NO, Voice
from conlinucb.randomness import (
    ANSWER_NOISE,
    GROUP_NOISE,
    LIE,
    REFUSAL,
    Marks,
    derive,
    normal,
    uniform,
)

SAID = types.Tuple((INT, FLOAT, FLOAT))
PICKED_FROM = 0.5
"""What people pick who do not say yes or no: the middle between 0 and 1."""


@kernel(FLOAT(VOICE, INT, INT, INT))
def opinion_noise(voice: Voice, round: int, number: int, which: int) -> float:
    """Noise of what is thought of one of a group, by its place in it."""
    at = derive(voice.seed, round)
    if voice.shared_noise:
        return voice.term_noise * normal(derive(at, ANSWER_NOISE), 0)
    return voice.term_noise * normal(derive(derive(at, GROUP_NOISE), number), which)


@kernel(SAID(VOICE, INT, INT, INT, VECTOR, MARKS))
def pick_into(
    voice: Voice, best: int, round: int, number: int, opinions: Floats, picked: Marks
) -> tuple[int, float, float]:
    """Mark what is picked of a group, by opinions, NaN for none; whether anything is said at all,
    and what no and yes are.

    Any: what one would say yes to, from ``PICKED_FROM`` on or by what ``YesNo`` says. The best: the
    largest opinion, none of them where people who say yes or no would say no to it. Whoever lies
    turns all opinions around; who has none of any of it, or refuses, says nothing.
    """
    at, least, no, yes = derive(voice.seed, round), PICKED_FROM, 0.0, 1.0
    lying, decides, answered = False, False, False
    for depth in range(voice.changes.shape[0]):
        what, first = voice.changes[depth, 0], voice.changes[depth, 1]
        if what == YES_NO:
            least, yes, no = first, voice.changes[depth, 2], voice.changes[depth, 3]
            decides = True
        elif what == REFUSES and uniform(derive(derive(at, REFUSAL), depth), number) < first:
            return 0, no, yes
        elif what == LIES and uniform(derive(derive(at, LIE), depth), number) < first:
            lying = not lying
    thought = np.empty(opinions.shape[0])
    for i in range(thought.shape[0]):
        thought[i] = 2.0 * least - opinions[i] if lying else opinions[i]
        picked[i] = 0
        if np.isnan(thought[i]):
            thought[i] = -np.inf
        else:
            answered = True
    if best and answered:
        winner = first_best(thought)
        picked[winner] = thought[winner] >= least or not decides
    elif answered:
        for i in range(thought.shape[0]):
            picked[i] = thought[i] >= least
    return int(answered), no, yes


def picked_by(
    seed: int, round: int, question: Question, number: int, values: Floats, changes: Floats
) -> Picked | None:
    """What people with these opinions and changes pick; None for no answer."""
    opinions = np.ascontiguousarray(values, dtype=np.float64)
    nobody = np.empty(0), 0, np.empty(0), np.empty(0), 0, 0, 0.0, 0.0, 0
    voice = Voice(*nobody, changes, np.uint64(seed))
    marks, best = np.zeros(opinions.size, dtype=np.uint8), int(question.pick == "best")
    answered, no, yes = pick_into(voice, best, round, number, opinions, marks)
    which = tuple(k for k, mark in zip(question.indices, marks, strict=True) if mark)
    return Picked(which, no, yes) if answered else None
