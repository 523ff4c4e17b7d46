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
from conlinucb.agent.question import KINDS, PICKS, Kind, Pick, Question, question_about
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import IncompatibleState, InvalidInput
from conlinucb.numerics.validation import Floats

NO_NOTES: Floats = np.empty(0)
FORMAT = 1
"""Version of the arrays that ``User.to_arrays`` returns."""
_STORED: tuple[tuple[Kind, Pick | None], ...] = (
    *((kind, None) for kind in KINDS if kind != "group"),
    *(("group", pick) for pick in PICKS),
)
"""What the open question may be, by the number it is stored under."""


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
    pairs: tuple[tuple[int, int], ...] = ()
    """The pairs of key-terms asked about, in their order."""
    notes: Floats = field(default_factory=lambda: NO_NOTES)
    """What a way of asking for rewards wrote down, if there is one; replaced, never written to."""

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
        if question.kind == "pair":
            self.pairs = (*self.pairs, (question.index, question.others[0]))

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
            _STORED.index((asked.kind, asked.pick)),
            *(asked.index, asked.number, asked.round, *asked.others),
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
        """Key-terms that came up, and how often, pairs, and notes; nothing where none did."""
        found = {"times": sorted(self.times.items()), "pairs": self.pairs}
        times = {name: np.array(each, dtype=np.int64) for name, each in found.items() if each}
        return times | ({"rewards": self.notes.copy()} if self.notes.size else {})


def kind_of(estimator: Estimator) -> str:
    """Name and prior of an estimator: states are exchangeable where this is equal."""
    known = {name: plain(value) for name, value in estimator.prior().items()}
    return json.dumps({"estimator": estimator.name, **known})


def new_user(estimator: Estimator, d: int, seed: np.uint64, notes: Floats = NO_NOTES) -> User:
    """Someone who has said nothing yet."""
    return User(estimator.new_state(d), estimator.layout, kind_of(estimator), seed, notes=notes)


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
        user.times = dict(_two(arrays, "times", catalog, 1))
        user.pairs = tuple(_two(arrays, "pairs", catalog, 2))
        user.notes = _notes(arrays)
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


def _two(
    arrays: Mapping[str, NDArray[Any]], name: str, catalog: Catalog, terms: int
) -> list[tuple[int, int]]:
    """Rows of two numbers, the first ``terms`` of which are key-terms."""
    if name not in arrays:  # nothing came up, or the arrays are of before it was noted
        return []
    found = _integers(arrays, name, (len(arrays[name]), 2))
    if (found[:, :terms] >= len(catalog.term_ids)).any():
        raise IncompatibleState(
            f"{name} has key-term {found[:, :terms].max()}, which is not known here."
        )
    return [(int(one), int(other)) for one, other in found]


def _notes(arrays: Mapping[str, NDArray[Any]]) -> Floats:
    found = np.array(arrays.get("rewards", np.empty(0)))
    if found.ndim != 1 or found.dtype != np.float64 or not np.isfinite(found).all():
        raise IncompatibleState(f"rewards must be a row of numbers, got {found!r}.")
    return found


def _open(arrays: Mapping[str, NDArray[Any]], catalog: Catalog) -> Question | None:
    size = np.asarray(arrays["open"]).size
    if not size:
        return None
    kind, index, number, round_, *others = _integers(arrays, "open", (max(size, 4),)).tolist()
    try:
        kind_, pick = _STORED[kind]
        return question_about(catalog, kind_, (index, *others), number, round_, pick)
    except (IndexError, InvalidInput):
        raise IncompatibleState(
            f"the open question {[kind, index, *others]} is about nothing known here."
        ) from None


def check_user(user: User, kind: str, d: int) -> None:
    """Refuse who is another agent's."""
    if not isinstance(user, User):
        raise InvalidInput(f"user must come from new_user() or load_user(), got {user!r}.")
    if user.kind != kind or user.state.theta.size != d:
        raise InvalidInput(
            f"This user has d = {user.state.theta.size} and {user.kind}; the agent has "
            f"d = {d} and {kind}."
        )
