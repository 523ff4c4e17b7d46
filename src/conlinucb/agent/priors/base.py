"""What an estimator needs of a prior."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats


class Start(NamedTuple):
    """A belief before any feedback, in the units of one piece of feedback of weight 1."""

    precision: Floats
    """(d, d): noise times the inverse covariance; M begins here."""
    moment: Floats
    """(d,): precision times mean."""


class Prior(Protocol):
    """What is believed of someone before they say anything. Equal priors have equal digests."""

    noise: float
    """Variance of a reward around x'theta: the unit that alpha and weights count in."""

    def start(self, d: int) -> Start:
        """The belief for catalogues of d features; refuses another d than it is made for."""
        ...

    def digest(self) -> dict[str, Any]:
        """What names this prior in results and stored states, as values that JSON can hold."""
        ...


def prior_of(given: Any) -> Prior:
    """The object itself, if it is a prior."""
    if isinstance(given, type) or not (hasattr(given, "start") and hasattr(given, "digest")):
        raise InvalidInput(
            f"prior must be None, a Gaussian(mean, covariance, noise) or an object with noise, "
            f"start(d) and digest(), got {given!r}."
        )
    prior: Prior = given
    return prior
