"""People whose rewards and answers are linear in their taste."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people.compiled import answer_noise
from conlinucb.people.tastes import TasteUsers


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


class LinearUsers(TasteUsers):
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
        super().__init__(
            thetas,
            noise=noise,
            term_noise=term_noise,
            pool_size=pool_size,
            offered_size=offered_size,
            shared_noise=shared_noise,
        )

    def draw(
        self,
        seed: int,
        repeat: int,
        user: int,
        round: int,
        *,
        catalog: Catalog,
        questions: int = 1,
    ) -> Draw:
        """The pool, the offered terms and the noises of one round, counted from 1.

        A function of its arguments alone, so any round of any run can be replayed by hand.
        ``questions`` says how many answers' noises to return.
        """
        self.check(catalog)
        place = self.place(catalog, seed, repeat, user, round)
        voice = self.voice(catalog, place.seed, 0, table=False)  # noise is not a matter of taste
        terms, arms = (
            np.array([answer_noise(voice, about, round, each) for each in range(questions)])
            for about in (0, 1)
        )
        noise = answer_noise(voice._replace(shared_noise=1), 1, round, 0)
        return Draw(*self.round(place), noise, terms, arms)
