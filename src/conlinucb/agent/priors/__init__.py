"""Where a belief starts: N(mean, covariance) over tastes, and how noisy feedback is."""

from conlinucb.agent.priors.answers import Answers, answers_of, plain_answers
from conlinucb.agent.priors.base import Prior, Start, prior_of
from conlinucb.agent.priors.gaussian import Gaussian
from conlinucb.agent.priors.isotropic import Isotropic, strength_or_prior
from conlinucb.agent.priors.population import Population
from conlinucb.agent.priors.scale import (
    PLAIN_PAIRS,
    PairScale,
    Scale,
    checked_answers,
    scale_of,
)

__all__ = [
    "PLAIN_PAIRS",
    "Answers",
    "Gaussian",
    "Isotropic",
    "PairScale",
    "Population",
    "Prior",
    "Scale",
    "Start",
    "answers_of",
    "checked_answers",
    "plain_answers",
    "prior_of",
    "scale_of",
    "strength_or_prior",
]
