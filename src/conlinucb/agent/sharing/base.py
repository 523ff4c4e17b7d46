"""What a way to share says: who is with whom at first, and when that is looked at again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Estimator
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices

if TYPE_CHECKING:
    from conlinucb.agent.sharing.company import Company

Course = Callable[[int], None]


class Sharing:
    """Who learns together. It holds parameters; a ``Company`` holds who is with whom.

    One of your own has ``first`` or ``course``, or both.
    """

    pooled = True
    """Whether a group's members have one belief, made of all they say; else each has their own,
    and only answers to questions are taken in by all of the group."""

    def check(self, people: int) -> None:
        """Refuse a number of people that it does not fit."""

    def first(self, people: int) -> Indices:
        """(people,) everyone's group at first; here all are in one."""
        return np.zeros(people, dtype=np.int64)

    def course(self, company: Company) -> Course:
        """What is called with a person's number when their visit is over, to change the groups.

        It may split, merge and regroup the company; here it never does.
        """
        return lambda person: None


def checked_sharing(given: Any, estimator: Estimator) -> Sharing | None:
    """How an agent shares, refused where its estimator cannot."""
    if given is None:
        return None
    if not isinstance(given, Sharing):
        raise InvalidInput(
            f"sharing must be Clusters(a), KMeans(n), Groups(of) or another Sharing, got {given!r}."
        )
    if not given.pooled:
        return given
    widths = vars(estimator).get("alpha"), vars(estimator).get("term_alpha")
    if any(isinstance(each, TheoryAlpha) for each in widths):
        raise InvalidInput(
            "TheoryAlpha counts one person's rounds, but a group's belief is of several people's: "
            "with sharing, alpha is a number."
        )
    kind = type(estimator)
    if kind.sums is Estimator.sums or kind.with_sums is Estimator.with_sums:
        raise InvalidInput(
            f"Estimator {estimator.name!r} has no sums(state, start) and with_sums(start, sums), "
            f"so what it learns of several people does not add up; Ridge and TwoStep have."
        )
    return given
