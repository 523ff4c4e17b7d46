"""How algorithms look and what they are called in reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conlinucb.experiments.algorithms import ALGORITHMS, ONE_STEP, PAPER
from conlinucb.simulation.looks import KNOWN, METADATA, RC, WIDTH, Look, assigned

__all__ = ["ARMS", "METADATA", "RC", "TERMS", "WARNING", "WIDTH", "Look", "label", "looks"]

WARNING = "#B00020"
ARMS, TERMS = "#0072B2", "#E69F00"
"""The two parts of a time: choosing arms, choosing key-terms."""


@dataclass(frozen=True)
class ProtocolLook:
    """How what a protocol came to is drawn: one colour, a marker for each of its readings."""

    colour: str
    markers: str


PROTOCOL_LOOKS = {
    "authors": ProtocolLook("#0072B2", "o"),
    "paper": ProtocolLook("#D55E00", "sD"),
    "fair": ProtocolLook("#009E73", "^v<>p"),
}


def looks(names: Sequence[str]) -> dict[str, Look]:
    """Each agent's look; the same for a known algorithm whoever else takes part.

    >>> looks(["MCR", "mine"])["MCR"] == looks(["MCR"])["MCR"]
    True
    """
    return assigned(names, {name: look for name in names if (look := _known(name))})


def _known(name: str) -> Look | None:
    if name in KNOWN or name not in ALGORITHMS or ALGORITHMS[name].prior:
        return KNOWN.get(name)
    # ConUCB's estimate with another strategy: that strategy's look, dashed and hollow.
    return replace(KNOWN[ONE_STEP[str(ALGORITHMS[name].asks)]], line="--", filled=False)


def label(name: str, own: bool = False) -> str:
    """An algorithm as the paper's figures and tables call it; ``own`` names stay as they are.

    >>> label("UCB"), label("ConUCB"), label("UCB", own=True)
    ('ConLinUCB-UCB', 'ConUCB', 'UCB')
    """
    known = name in PAPER and name in ONE_STEP.values() and not own
    return f"ConLinUCB-{name}" if known else name
