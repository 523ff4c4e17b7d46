"""What may be chosen from: the arms of a pool, the key-terms on offer.

Both may be given by index or by id: a whole number is always an index, a text always an id. Ids
that are numbers themselves become indices by ``catalog.arm_index`` and ``catalog.term_index``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, indices, whole


def pool_of(catalog: Catalog, pool: ArrayLike | None, exclude: ArrayLike | None = None) -> Indices:
    """Checked arms, all that are left in the catalogue by default, without the excluded."""
    if pool is None:
        arms = catalog._live_arms
    else:
        arms = indices("pool", pool, size=len(catalog), find=catalog.arm_index)
        removed = arms[~catalog._live[arms]]
        if removed.size:
            raise InvalidInput(f"pool holds arm {removed[0]}, which has been removed.")
    if exclude is not None:
        kept = np.ones(len(catalog), dtype=bool)
        kept[indices("exclude", exclude, size=len(catalog), find=catalog.arm_index)] = False
        arms = arms[kept[arms]]
    if not arms.size:
        raise InvalidInput("The pool is empty: there is no arm to choose from.")
    return arms


def offered_of(catalog: Catalog, offered: ArrayLike | None) -> Indices:
    """Checked key-terms in ascending order, all that still have an arm by default."""
    if offered is None:
        return catalog._live_terms
    size = len(catalog.term_ids)
    terms = np.sort(indices("offered", offered, size=size, find=catalog.term_index))
    if not terms.size:
        raise InvalidInput("offered is empty: there is no key-term to ask about.")
    gone = terms[~catalog._offered[terms]]
    if gone.size:
        raise InvalidInput(f"offered holds key-term {gone[0]}, all of whose arms are removed.")
    return terms


def arm_of(catalog: Catalog, arm: int | str) -> int:
    """The index of one arm, removed or not."""
    index = catalog.arm_index(arm) if isinstance(arm, str) else whole("arm", arm)
    if index >= len(catalog):
        raise InvalidInput(f"arm must be an index from 0 to {len(catalog) - 1}, got {index}.")
    return index


def arms_of(catalog: Catalog, arms: ArrayLike) -> Indices:
    """The indices of different arms, removed or not."""
    return indices("arms", arms, size=len(catalog), find=catalog.arm_index)


def rows_of(catalog: Catalog, arms: Indices) -> Floats:
    """Features of these arms; of the whole catalogue without a copy."""
    everything = arms is catalog._live_arms and arms.size == len(catalog)
    return catalog._arms if everything else catalog._arms[arms]
