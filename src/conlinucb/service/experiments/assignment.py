"""Who is in which arm: by a hash of the experiment's seed and the person's id, so it sticks."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from conlinucb.service.schemas.experiments import ArmBody


def place(seed: int, name: str) -> float:
    """A number in [0, 1) that people keep, whoever computes it.

    >>> place(7, "ann") == place(7, "ann") != place(8, "ann")
    True
    """
    found = blake2b(f"{seed}\n{name}".encode(), digest_size=8).digest()
    return (int.from_bytes(found, "big") >> 11) / 2**53


def arm_of(arms: Sequence[ArmBody], seed: int, name: str) -> ArmBody | None:
    """The arm that a person is in; None for who is in no one's share."""
    left = place(seed, name)
    for each in arms:
        if each.share and left < each.share:
            return each
        left -= each.share
    return None
