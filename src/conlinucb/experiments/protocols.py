"""The three ways to run an experiment, as data.

``paper`` as the paper prints it, ``authors`` as the authors' code and data ran it, ``fair`` with
every algorithm tuned on one equal budget and scored on people and seeds it was not tuned on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conlinucb.errors import UnknownName, nearest

Constants = Literal["authors", "theory", "tuned"]


@dataclass(frozen=True)
class Variant:
    """One reading of a protocol: options of the data set, and where constants come from."""

    label: str
    options: Mapping[str, Any]
    constants: Constants
    most_runs: int | None = None
    """Fewer runs than asked for where more would only cost time."""


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What a protocol fixes."""

    name: str
    about: str
    synthetic: tuple[Variant, ...]
    real: tuple[Variant, ...]
    shared_noise: bool
    zero_based: bool

    def variants(self, data: str) -> tuple[Variant, ...]:
        """The readings for a data set."""
        return self.synthetic if data == "synthetic" else self.real


def _real(features: str) -> dict[str, Any]:
    return {"selection": "authors", "features": features}


_PRINTED = {"graph": "sparse", "normalized": True}
_EQ8_RUNS = 2
"""With Eq. 8 every algorithm explores to the end: each run takes five times as long, and two
give intervals below one percent."""

PROTOCOLS = {
    each.name: each
    for each in (
        Protocol(
            name="authors",
            about="as the authors' code and data ran: raw theta, dense graph, features from tag "
            "counts, one noise a round shared by its questions, rounds counted from 0, and each "
            "algorithm with its own constants",
            synthetic=(Variant("", {"graph": "dense", "normalized": False}, "authors"),),
            real=(Variant("", _real("authors"), "authors"),),
            shared_noise=True,
            zero_based=True,
        ),
        Protocol(
            name="paper",
            about="as the paper prints it: theta of length 1, sparse graph, features from the 0/1 "
            "matrix (arms as singular vectors, people with the singular values' scale), "
            "independent noise of sd 0.1 (the paper says 1-sub-Gaussian), rounds counted from 1; "
            "once with the authors' constants and once with Eq. 8 (delta 0.05, beta 1)",
            synthetic=(
                Variant("authors' constants", _PRINTED, "authors"),
                Variant("Eq. 8", _PRINTED, "theory", _EQ8_RUNS),
            ),
            real=(
                Variant("authors' constants", _real("paper"), "authors"),
                Variant("Eq. 8", _real("paper"), "theory", _EQ8_RUNS),
            ),
            shared_noise=False,
            zero_based=False,
        ),
        Protocol(
            name="fair",
            about="every algorithm tuned with the same number of trials on people and seeds of "
            "its own, then scored once on others; independent noise, the same for all algorithms",
            synthetic=tuple(
                Variant(
                    f"{'unit' if normalized else 'raw'} theta, {graph} graph",
                    {"graph": graph, "normalized": normalized},
                    "tuned",
                )
                for normalized in (False, True)
                for graph in ("dense", "sparse")
            ),
            real=(Variant("", _real("authors"), "tuned"),),
            shared_noise=False,
            zero_based=False,
        ),
    )
}


def protocol_of(name: str) -> Protocol:
    """The protocol with this name.

    >>> protocol_of("fair").variants("synthetic")[0].label
    'raw theta, dense graph'
    """
    if name not in PROTOCOLS:
        raise UnknownName(f"No protocol is called {name!r}.{nearest(name, PROTOCOLS)}")
    return PROTOCOLS[name]
