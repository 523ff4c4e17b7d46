"""Groups that are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from conlinucb.agent.describe import plain
from conlinucb.agent.sharing.base import Sharing
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices

WHAT = ("everything", "answers")
FEW = 20
"""People whose groups are shown one by one."""


class Groups(Sharing):
    """Groups that are known beforehand: ``of`` names each person's group, by text or number.

    With ``what="everything"`` a group's members have one belief. With "answers" each has their own,
    and an answer is taken in by all of the group; rewards are one's own.

    >>> Groups(["home", "away", "home"]).first(3)
    array([0, 1, 0])
    """

    def __init__(
        self, of: Sequence[Any], what: Literal["everything", "answers"] = "everything"
    ) -> None:
        if what not in WHAT:
            raise InvalidInput(f"what must be 'everything' or 'answers', got {what!r}.")
        labels = None if isinstance(of, (str, bytes)) else np.asarray(of)
        if labels is None or labels.ndim != 1 or not labels.size or labels.dtype.kind not in "iuUT":
            raise InvalidInput(
                f"of must name the group of each person, by text or whole number, got {of!r}."
            )
        self.of, self.what = tuple(labels.tolist()), what

    @property
    def pooled(self) -> bool:  # type: ignore[override]
        """Whether everything is shared."""
        return self.what == "everything"

    def check(self, people: int) -> None:
        """Refuse another number of people than have a group."""
        if people != len(self.of):
            raise InvalidInput(f"of names the groups of {len(self.of)} people; there are {people}.")

    def first(self, people: int) -> Indices:
        """Numbered in the order of their first members."""
        numbers = {each: i for i, each in enumerate(dict.fromkeys(self.of))}
        return np.array([numbers[each] for each in self.of])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Groups) and (self.of, self.what) == (other.of, other.what)

    def __hash__(self) -> int:
        return hash((self.of, self.what))

    def __repr__(self) -> str:
        named = list(self.of) if len(self.of) <= FEW else plain(np.array(self.of))
        return f"Groups({named!r}, what={self.what!r})"
