"""How answers about key-terms relate to rewards: they are on a scale of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats


class Answers(NamedTuple):
    """answer = offset + slope x~'theta + noise, (K,) each.

    So (answer - offset) / slope is an observation of x~'theta, ``weight`` times as precise as a
    reward's of x'theta.
    """

    offset: Floats
    slope: Floats
    weight: Floats
    chance: Floats
    """How likely a question about the key-term is answered at all."""


def plain_answers(terms: int) -> Answers:
    """Answers that are taken as they are, with the weight of a reward.

    >>> plain_answers(2).slope
    array([1., 1.])
    """
    return Answers(np.zeros(terms), np.ones(terms), np.ones(terms), np.ones(terms))


def answers_of(prior: Any, catalog: Catalog) -> Answers:
    """What the prior says of this catalogue's key-terms; plain where it says nothing."""
    if not hasattr(prior, "answers"):
        return plain_answers(len(catalog.term_ids))
    found: Answers = prior.answers(catalog)
    return found
