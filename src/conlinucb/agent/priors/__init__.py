"""Where a belief starts: N(mean, covariance) over tastes, and how noisy feedback is."""

from conlinucb.agent.priors.base import Prior, Start, prior_of
from conlinucb.agent.priors.gaussian import Gaussian
from conlinucb.agent.priors.isotropic import Isotropic

__all__ = ["Gaussian", "Isotropic", "Prior", "Start", "prior_of"]
