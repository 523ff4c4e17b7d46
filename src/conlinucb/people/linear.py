"""Who answers in a simulation: people with a hidden taste, and what each round brings them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices, matrix, number, seed_of, whole
from conlinucb.randomness import (
    ANSWER_NOISE,
    ARM_ANSWER_NOISE,
    OFFERED,
    POOL,
    REWARD_NOISE,
    derive,
    distinct,
    normal,
)


class Draw(NamedTuple):
    """What chance brings one user in one round; every agent of a run meets the same."""

    pool: Indices
    """The arms of the round."""
    offered: Indices | None
    """The key-terms that may be asked about, ascending; None for all of them."""
    noise: float
    """Noise of the recommended arm's reward."""
    term_noise: Floats
    """Noise of the answer to the round's first, second, ... question about a key-term."""
    arm_noise: Floats
    """The same where questions are about arms, as Arm-Con's are."""


class LinearUsers:
    """People whose rewards and answers are linear: x'theta* plus Gaussian noise.

    ``pool_size`` arms are drawn without replacement for each user and round, and
    ``offered_size`` key-terms (None: all of them). With ``shared_noise`` one arm noise and one
    key-term noise a round serve every question of that round, as in the authors' code.

    >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], [[1.0], [1.0], [1.0]])
    >>> people = LinearUsers([[1.0, 0.0]], pool_size=2)
    >>> people.draw(seed=0, repeat=0, user=0, round=1, catalog=catalog).pool
    array([2, 0])
    """

    def __init__(
        self,
        thetas: ArrayLike,
        *,
        noise: float = 0.1,
        term_noise: float = 0.1,
        pool_size: int = 50,
        offered_size: int | None = None,
        shared_noise: bool = False,
    ) -> None:
        self.thetas = matrix("thetas", thetas)
        if not len(self.thetas):
            raise InvalidInput("thetas must hold at least one user, got none.")
        self.noise = number("noise", noise, low=0.0)
        self.term_noise = number("term_noise", term_noise, low=0.0)
        self.pool_size = whole("pool_size", pool_size, low=1)
        self.offered_size = (
            None if offered_size is None else whole("offered_size", offered_size, low=1)
        )
        self.shared_noise = bool(shared_noise)
        self.catalog: Catalog | None = None
        """The catalogue of the latest run, which ``draw`` uses when none is given."""

    def check(self, catalog: Catalog) -> None:
        """Refuse a catalogue that these people cannot meet."""
        if self.thetas.shape[1] != catalog.d:
            raise InvalidInput(
                f"thetas have {self.thetas.shape[1]} features, the catalogue has {catalog.d}."
            )
        if self.pool_size > catalog.live_arms.size:
            raise InvalidInput(
                f"pool_size is {self.pool_size}, but the catalogue has only "
                f"{catalog.live_arms.size} arms."
            )
        if self.offered_size is not None and self.offered_size > catalog.live_terms.size:
            raise InvalidInput(
                f"offered_size is {self.offered_size}, but the catalogue has only "
                f"{catalog.live_terms.size} key-terms."
            )

    def user_seed(self, seed: int, repeat: int, user: int) -> int:
        """The seed with which ``simulate`` makes this user: ``agent.new_user(seed=...)``."""
        return int(derive(derive(seed_of(seed), whole("repeat", repeat)), whole("user", user)))

    def draw(
        self,
        seed: int,
        repeat: int,
        user: int,
        round: int,
        *,
        questions: int = 1,
        catalog: Catalog | None = None,
    ) -> Draw:
        """The pool, the offered terms and the noises of one round, counted from 1.

        A function of its arguments alone, so any round of any run can be replayed by hand.
        ``questions`` says how many answers' noises to return.
        """
        catalog = catalog or self.catalog
        if catalog is None:
            raise InvalidInput("draw needs catalog=... until simulate has met one.")
        self.check(catalog)
        at = derive(np.uint64(self.user_seed(seed, repeat, user)), whole("round", round, low=1))
        offered = None
        if self.offered_size is not None:
            offered = np.sort(_distinct(at, OFFERED, catalog._live_terms, self.offered_size))
        return Draw(
            _distinct(at, POOL, catalog._live_arms, self.pool_size),
            offered,
            self.noise * normal(derive(at, REWARD_NOISE), 0),
            self.term_noise * self._normals(at, ANSWER_NOISE, questions),
            self.noise
            * self._normals(at, REWARD_NOISE if self.shared_noise else ARM_ANSWER_NOISE, questions),
        )

    def _normals(self, at: np.uint64, stream: int, count: int) -> Floats:
        positions = [0] * count if self.shared_noise else range(count)
        return np.array([normal(derive(at, stream), each) for each in positions])

    def parameters(self) -> dict[str, Any]:
        """Everything but the thetas, as plain values."""
        return {
            "users": len(self.thetas),
            "noise": self.noise,
            "term_noise": self.term_noise,
            "pool_size": self.pool_size,
            "offered_size": self.offered_size,
            "shared_noise": self.shared_noise,
        }

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"LinearUsers({inside})"


def _distinct(at: np.uint64, stream: int, among: Indices, size: int) -> Indices:
    out = np.empty(size, dtype=np.int64)
    distinct(derive(at, stream), among, np.zeros(among.size, dtype=np.uint8), out)
    return out
