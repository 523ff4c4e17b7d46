"""A question: what it is about, and the direction of taste that its answer tells of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats

Kind = Literal["term", "arm", "pair", "group"]
KINDS: tuple[Kind, ...] = ("term", "arm", "pair", "group")
"""In the order in which stored people number them; behind them is a group's best."""
Pick = Literal["any", "best"]
PICKS: tuple[Pick, ...] = ("any", "best")
"""What may be picked of a group: as many as one likes, or the one that one likes best."""
LARGEST_GROUP = 16
"""Key-terms that one question can be about."""


@dataclass(frozen=True)
class Question:
    """Do you like this? Of a pair: do you prefer the first? Of a group: which of these?"""

    kind: Kind
    index: int
    """The key-term's index in the catalogue, or the arm's; the first of several."""
    number: int
    """Which of the user's questions this is, from 1."""
    round: int
    """The round it was asked in, from 1."""
    others: tuple[int, ...] = ()
    """The other key-terms of a pair or group."""
    ids: tuple[Any, ...] = field(default=(), compare=False)
    """The ids of what is asked about, as the catalogue has them."""
    probe: Floats = field(default_factory=lambda: np.empty(0), compare=False)
    """(d,) the direction asked about: a number is taken for an observation of probe'theta."""
    parts: Floats = field(default_factory=lambda: np.empty((0, 0)), compare=False)
    """(n, d) the key-terms of a pair or group; nothing of a single one."""
    pick: Pick | None = None
    """Of a group: "any" or "best"; None for other kinds."""

    @property
    def indices(self) -> tuple[int, ...]:
        """Everything it is about."""
        return (self.index, *self.others)

    def __repr__(self) -> str:
        others = f", others={self.others}" if self.others else ""
        pick = f", pick={self.pick!r}" if self.pick else ""
        return (
            f"Question(kind={self.kind!r}, index={self.index}, number={self.number}, "
            f"round={self.round}{others}{pick})"
        )


def question_about(
    catalog: Catalog,
    kind: Kind,
    indices: Sequence[int],
    number: int,
    round: int,
    pick: Pick | None = None,
) -> Question:
    """A question with its ids and its probe; of a group any may be picked unless ``pick`` says so.

    >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> question_about(catalog, "pair", (0, 1), number=1, round=1).probe
    array([ 1., -1.])
    """
    known = catalog.arm_ids if kind == "arm" else catalog.term_ids
    _check(kind, indices, len(known))
    if pick is not None and (kind != "group" or pick not in PICKS):
        raise InvalidInput(f"pick must be one of {PICKS}, of a group, got {pick!r} of a {kind}.")
    return Question(
        kind,
        int(indices[0]),
        number,
        round,
        tuple(int(each) for each in indices[1:]),
        tuple(known[each] for each in indices),
        probe_of(catalog, kind, indices),
        catalog._terms[list(indices) if len(indices) > 1 else []],
        (pick or "any") if kind == "group" else None,
    )


def _check(kind: Kind, indices: Sequence[int], size: int) -> None:
    fits = {"term": len(indices) == 1, "arm": len(indices) == 1, "pair": len(indices) == 2}
    if kind not in KINDS or not fits.get(kind, 2 <= len(indices) <= LARGEST_GROUP):
        raise InvalidInput(f"A question of kind {kind!r} cannot be about {list(indices)}.")
    if len(set(indices)) < len(indices):
        raise InvalidInput(f"A {kind} must be of different key-terms, got {list(indices)}.")
    for each in indices:
        if not 0 <= each < size:
            what = "arm" if kind == "arm" else "term"
            raise InvalidInput(f"{what} must be an index from 0 to {size - 1}, got {each}.")


def probe_of(catalog: Catalog, kind: Kind, indices: Sequence[int]) -> Floats:
    """The direction: of a pair the difference, of a group the mean of its key-terms."""
    if kind == "arm":
        return catalog._arms[indices[0]]
    terms = catalog._terms
    if kind == "pair":
        return np.asarray(terms[indices[0]] - terms[indices[1]])
    return terms[indices[0]] if len(indices) == 1 else np.asarray(terms[list(indices)].mean(axis=0))
