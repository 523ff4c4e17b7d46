"""One person: what was learned about them, and where the conversation stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conlinucb.agent.estimators import Estimator
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import Floats

FORMAT = 1
"""Version of the arrays that ``User.to_arrays`` returns."""
_KINDS: tuple[Literal["term", "arm"], ...] = ("term", "arm")


@dataclass(frozen=True)
class Question:
    """Do you like this? ``index`` is a key-term's or, for Arm-Con, an arm's."""

    kind: Literal["term", "arm"]
    index: int
    number: int
    """Which of the user's questions this is, from 1."""
    round: int
    """The round it was asked in, from 1."""


@dataclass(eq=False)
class User:
    """State of one person; made by ``Agent.new_user``, changed by ``hear`` and ``learn``."""

    state: Any
    """The estimator's arrays."""
    kind: str
    """Estimator and prior that the arrays belong to, as JSON."""
    seed: np.uint64
    rounds: int = 0
    """Rounds closed by a recommendation."""
    questions: int = 0
    """Questions asked."""
    settled: int = 0
    """Questions of the present round that were answered or skipped."""
    open: Question | None = None
    """The question that waits for an answer."""

    @property
    def theta(self) -> Floats:
        """The estimate of this person's taste, (d,); a copy."""
        theta: Floats = self.state.theta.copy()
        return theta

    def was_asked(self, question: Question) -> None:
        """Note that this question was put: it waits for an answer now."""
        self.questions = question.number
        self.open = question

    def close_round(self) -> None:
        """Note that something was recommended: what is due now belongs to the next round."""
        self.rounds += 1
        self.settled = 0

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything as named arrays, to be stored without pickle.

        The order of fields is fixed; ``format`` tells the version.
        """
        asked = self.open
        open_ = [] if asked is None else [
            _KINDS.index(asked.kind), asked.index, asked.number, asked.round
        ]  # fmt: skip
        return {
            "format": np.array(FORMAT),
            "kind": np.frombuffer(self.kind.encode(), dtype=np.uint8),
            "seed": np.array(self.seed, dtype=np.uint64),
            "counts": np.array([self.rounds, self.questions, self.settled], dtype=np.int64),
            "open": np.array(open_, dtype=np.int64),
            **{f"state_{name}": array.copy() for name, array in self.state._asdict().items()},
        }


def kind_of(estimator: Estimator) -> str:
    """Name and prior of an estimator: states are exchangeable where this is equal."""
    return json.dumps({"estimator": estimator.name, **estimator.prior()})


def from_arrays(
    arrays: Mapping[str, NDArray[Any]], estimator: Estimator, d: int, arms: int, terms: int
) -> User:
    """A user equal to the one that ``to_arrays`` was called on."""
    try:
        if _integers(arrays, "format", ()) != FORMAT:
            raise IncompatibleState(f"format is {arrays['format']}; this version reads {FORMAT}.")
        kind = bytes(arrays["kind"]).decode()
        if kind != kind_of(estimator):
            raise IncompatibleState(f"they are of {kind}, the agent has {kind_of(estimator)}.")
        state = _state(arrays, estimator.new_state(d))
        estimator.check_state(state)
        rounds, questions, settled = _integers(arrays, "counts", (3,)).tolist()
        seed = np.uint64(_integers(arrays, "seed", ()))
        return User(state, kind, seed, rounds, questions, settled, _open(arrays, arms, terms))
    except KeyError as error:
        raise IncompatibleState(f"The arrays of a user lack {error}.") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise IncompatibleState(f"These arrays cannot be loaded: {error}") from error


def _integers(arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> Any:
    found = np.asarray(arrays[name])
    in_range = (found >= 0).all() and (name == "seed" or (found < 2**53).all())
    if found.shape != shape or found.dtype.kind not in "iu" or not in_range:
        raise IncompatibleState(
            f"{name} must be integers of at least 0 and shape {shape}, got {found!r}."
        )
    return found


def _open(arrays: Mapping[str, NDArray[Any]], arms: int, terms: int) -> Question | None:
    if not np.asarray(arrays["open"]).size:
        return None
    kind, index, number, round_ = _integers(arrays, "open", (4,)).tolist()
    if kind > 1 or index >= (terms, arms)[kind]:
        raise IncompatibleState(f"the open question {[kind, index]} is about nothing known here.")
    return Question(_KINDS[kind], index, number, round_)


def _state(arrays: Mapping[str, NDArray[Any]], fresh: Any) -> Any:
    found = []
    for name, like in fresh._asdict().items():
        array = np.array(arrays[f"state_{name}"], order="C")
        if array.shape != like.shape or array.dtype != like.dtype or not np.isfinite(array).all():
            raise IncompatibleState(
                f"state_{name} must be {like.dtype} of shape {like.shape} with finite entries, "
                f"got {array.dtype} of shape {array.shape}."
            )
        found.append(array)
    return type(fresh)(*found)
