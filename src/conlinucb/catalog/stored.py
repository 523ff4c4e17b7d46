"""A catalogue as named arrays, and back: what ``save`` writes and ``load`` reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from conlinucb.catalog.appended import Appended
from conlinucb.catalog.checked import decode_ids, encode_ids, optional_matrix
from conlinucb.catalog.graph import Links
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import matrix

if TYPE_CHECKING:
    from conlinucb.catalog.catalog import Catalog

Made = TypeVar("Made", bound="Catalog")
FORMAT = 1
"""Version of the file that ``save`` writes."""


def arrays_of(catalog: Catalog) -> dict[str, NDArray[Any]]:
    """Everything that there is; what is optional only where it is there."""
    start, terms, data = catalog._graph
    more = {"terms": catalog._terms} if catalog._kept_terms else {}
    if catalog.basis is not None:
        more["basis"] = catalog.basis
    return (
        more
        | catalog._appended.to_arrays()
        | catalog._links.to_arrays()
        | {
            "format": np.array(FORMAT),
            "arms": catalog._arms,
            "live": catalog._live,
            "weights_start": start,
            "weights_terms": terms,
            "weights_data": data,
            "arm_ids": encode_ids(catalog.arm_ids),
            "term_ids": encode_ids(catalog.term_ids),
        }
    )


def from_arrays(kind: type[Made], arrays: Mapping[str, NDArray[Any]]) -> Made:
    """The catalogue that ``arrays_of`` described; what else they may raise is of damaged ones."""
    if int(arrays["format"]) != FORMAT:
        raise IncompatibleState(f"format {int(arrays['format'])} is not {FORMAT}.")
    arm_ids, term_ids = decode_ids(arrays["arm_ids"]), decode_ids(arrays["term_ids"])
    parts = (arrays["weights_data"], arrays["weights_terms"], arrays["weights_start"])
    weights = sparse.csr_array(parts, shape=(len(arm_ids), len(term_ids)))
    weights.check_format(full_check=True)  # a graph that points outside would crash kernels
    live = np.array(arrays["live"])
    if live.shape != (len(arm_ids),) or live.dtype != bool:
        raise IncompatibleState(f"live is {live.dtype} of shape {live.shape}.")
    catalog = kind.__new__(kind)
    arms = matrix("arms", arrays["arms"])
    catalog._appended = Appended.from_arrays(arrays, arms)
    terms, d = len(term_ids), arms.shape[1]
    made = (terms, d - len(catalog._appended.columns))
    catalog.report, catalog.basis = {}, optional_matrix(arrays, "basis", made)
    kept = optional_matrix(arrays, "terms", (terms, d))
    catalog._links = Links.from_arrays(arrays, terms)
    catalog._setup(arms, weights, arm_ids, term_ids, live, kept)
    return catalog
