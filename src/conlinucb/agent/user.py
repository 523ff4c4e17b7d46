"""One person: what was learned about them, and where the conversation stands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.agent.describe import plain
from conlinucb.agent.estimators import Estimator, State
from conlinucb.agent.estimators.state import Layout, from_named, named
from conlinucb.agent.question import KINDS, Question, question_about
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import IncompatibleState, InvalidInput
from conlinucb.numerics.validation import Floats

FORMAT = 1
"""Version of the arrays that ``User.to_arrays`` returns."""


@dataclass(eq=False)
class User:
    """State of one person; made by ``Agent.new_user``, changed by ``hear`` and ``learn``."""

    state: State
    """The estimator's arrays."""
    layout: Layout
    """The names of the state's parts, as the estimator has them."""
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
    times: dict[int, int] = field(default_factory=dict)
    """How often each key-term was asked about, or told of, by index."""

    @property
    def theta(self) -> Floats:
        """The estimate of this person's taste, (d,); a copy."""
        return self.state.theta.copy()

    def was_asked(self, question: Question) -> None:
        """Note that this question was put: it waits for an answer now."""
        self.questions = question.number
        self.open = question
        if question.kind != "arm":
            self.was_about(question.indices)

    def was_about(self, terms: Sequence[int]) -> None:
        """Note that these key-terms came up. A new dictionary: a copy of the user has the old."""
        self.times = {**self.times, **{each: self.times.get(each, 0) + 1 for each in terms}}

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
            KINDS.index(asked.kind), asked.index, asked.number, asked.round, *asked.others
        ]  # fmt: skip
        state = named(self.state, self.layout)
        return {
            "format": np.array(FORMAT),
            "kind": np.frombuffer(self.kind.encode(), dtype=np.uint8),
            "seed": np.array(self.seed, dtype=np.uint64),
            "counts": np.array([self.rounds, self.questions, self.settled], dtype=np.int64),
            "open": np.array(open_, dtype=np.int64),
            **self._times(),
            **{f"state_{name}": array.copy() for name, array in state.items()},
        }

    def _times(self) -> dict[str, NDArray[Any]]:
        """Key-terms that came up, and how often; nothing where none did."""
        pairs = sorted(self.times.items())
        return {"times": np.array(pairs, dtype=np.int64)} if pairs else {}


def kind_of(estimator: Estimator) -> str:
    """Name and prior of an estimator: states are exchangeable where this is equal."""
    known = {name: plain(value) for name, value in estimator.prior().items()}
    return json.dumps({"estimator": estimator.name, **known})


def new_user(estimator: Estimator, d: int, seed: np.uint64) -> User:
    """Someone who has said nothing yet."""
    return User(estimator.new_state(d), estimator.layout, kind_of(estimator), seed)


def from_arrays(arrays: Mapping[str, NDArray[Any]], estimator: Estimator, catalog: Catalog) -> User:
    """A user equal to the one that ``to_arrays`` was called on."""
    try:
        if _integers(arrays, "format", ()) != FORMAT:
            raise IncompatibleState(f"format is {arrays['format']}; this version reads {FORMAT}.")
        kind = bytes(arrays["kind"]).decode()
        if kind != kind_of(estimator):
            raise IncompatibleState(f"they are of {kind}, the agent has {kind_of(estimator)}.")
        user = new_user(estimator, catalog.d, np.uint64(_integers(arrays, "seed", ())))
        parts = {part.name: arrays[f"state_{part.name}"] for part in estimator.layout}
        user.state = from_named(parts, estimator.layout, user.state)
        estimator.check_state(user.state)
        user.rounds, user.questions, user.settled = _integers(arrays, "counts", (3,)).tolist()
        user.open = _open(arrays, catalog)
        user.times = _came_up(arrays, catalog)
        return user
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


def _came_up(arrays: Mapping[str, NDArray[Any]], catalog: Catalog) -> dict[int, int]:
    if "times" not in arrays:  # nothing came up, or the arrays are of before it was noted
        return {}
    found = _integers(arrays, "times", (len(arrays["times"]), 2))
    if (found[:, 0] >= len(catalog.term_ids)).any():
        raise IncompatibleState(f"times has key-term {found[:, 0].max()}, which is not known here.")
    return {int(term): int(count) for term, count in found}


def _open(arrays: Mapping[str, NDArray[Any]], catalog: Catalog) -> Question | None:
    size = np.asarray(arrays["open"]).size
    if not size:
        return None
    kind, index, number, round_, *others = _integers(arrays, "open", (max(size, 4),)).tolist()
    try:
        return question_about(catalog, KINDS[kind], (index, *others), number, round_)
    except (IndexError, InvalidInput):
        raise IncompatibleState(
            f"the open question {[kind, index, *others]} is about nothing known here."
        ) from None
