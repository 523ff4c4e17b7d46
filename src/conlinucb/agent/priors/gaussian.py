"""What people are like in general: a mean, and how they differ around it."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.agent.priors.base import Start
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.given import checked_catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, checked_range, matrix, number, positive

TASTE = 0.5
"""Share of a reward's variance, that of a yes or no, that is an item's expected reward; the rest is
noise."""
SHARE = 0.25
"""Of the variance of expected rewards that is a person's level, and that is popularity's."""


class Gaussian:
    """theta ~ N(mean, covariance), and a reward is x'theta with noise of variance ``noise``.

    With the noise known, alpha counts standard deviations of an item's expected reward.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> likely = cl.Gaussian([0.2, 0.6], [[0.05, 0.0], [0.0, 0.05]], noise=0.04)
    >>> agent = cl.conlinucb(catalog, prior=likely, alpha=1.0)
    >>> agent.recommend(agent.new_user()).arms
    array([1])
    """

    def __init__(self, mean: ArrayLike, covariance: ArrayLike, noise: float = 1.0) -> None:
        self.covariance = matrix("covariance", covariance)
        self.mean: Floats = matrix("mean", np.atleast_2d(np.asarray(mean, dtype=np.float64)))[0]
        self.noise = positive("noise", noise)
        d = self.mean.size
        if self.covariance.shape != (d, d):
            raise InvalidInput(
                f"covariance must have shape ({d}, {d}) as the mean has {d} entries, got "
                f"{self.covariance.shape}."
            )
        if not np.allclose(self.covariance, self.covariance.T, rtol=1e-9, atol=1e-12):
            raise InvalidInput("covariance must be symmetric; entries differ from their mirror.")
        try:
            root = np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError:
            least = float(np.linalg.eigvalsh(self.covariance)[0])
            raise InvalidInput(
                f"covariance must be positive definite; its least eigenvalue is {least:.3g}."
            ) from None
        inverse = np.linalg.solve(root, np.eye(d))
        self._precision: Floats = self.noise * (inverse.T @ inverse)

    @classmethod
    def stated(
        cls, catalog: Catalog, *, range: tuple[float, float] = (0.0, 1.0), base: float = 0.25
    ) -> Gaussian:
        """A beginning where nothing is known of people but what rewards can be.

        On average they are ``base`` of the way up the ``range``, and vary as a yes or no would:
        half of that is noise, half an item's expected reward. A quarter of the latter is a person's
        level, the constant feature's, and a quarter popularity's, where the catalogue has them;
        every other direction is alike, for items of length 1. It depends on no item, so it stays
        when items come and go.

        >>> import conlinucb as cl
        >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
        >>> prior = cl.Gaussian.stated(catalog.with_constant())
        >>> prior.mean, prior.noise
        (array([0.  , 0.  , 0.25]), 0.09375)
        """
        checked_catalog(catalog)
        low, high = checked_range(range)
        level = number("base", base, low=0.01, high=0.99)
        total = level * (1.0 - level) * (high - low) ** 2
        mean, shares = np.zeros(catalog.d), np.zeros(catalog.d)
        if catalog.constant is not None:
            mean[catalog.constant], shares[catalog.constant] = low + level * (high - low), SHARE
        if catalog.popularity is not None:
            shares[catalog.popularity.column] = SHARE
        variances = TASTE * total * np.where(shares > 0.0, shares, 1.0 - shares.sum())
        return cls(mean, np.diag(variances), (1.0 - TASTE) * total)

    def start(self, d: int) -> Start:
        """noise covariance^-1, and that times the mean."""
        if d != self.mean.size:
            raise InvalidInput(
                f"The prior is for {self.mean.size} features, the catalogue has {d}."
            )
        return Start(self._precision.copy(), self._precision @ self.mean)

    def digest(self) -> dict[str, Any]:
        """A hash of mean, covariance and noise."""
        found = hashlib.sha256(self.mean.tobytes() + self.covariance.tobytes())
        found.update(np.float64(self.noise).tobytes())
        return {"prior": f"gaussian {found.hexdigest()[:16]}"}

    def __repr__(self) -> str:
        return f"Gaussian(d={self.mean.size}, noise={self.noise!r})"
