"""From feedback to belief. An estimator holds parameters; a state holds what was learned."""

from conlinucb.agent.estimators.base import (
    ArmScores,
    Estimator,
    Influence,
    TermBelief,
    Widths,
    checked_estimator,
    has_factors,
)
from conlinucb.agent.estimators.kernels import ANSWER, REWARD, Kernels, learn_kernel
from conlinucb.agent.estimators.logistic import Logistic
from conlinucb.agent.estimators.ridge import Ridge
from conlinucb.agent.estimators.state import State, empty
from conlinucb.agent.estimators.two_step import TwoStep

__all__ = [
    "ANSWER",
    "REWARD",
    "ArmScores",
    "Estimator",
    "Influence",
    "Kernels",
    "Logistic",
    "Ridge",
    "State",
    "TermBelief",
    "TwoStep",
    "Widths",
    "checked_estimator",
    "empty",
    "has_factors",
    "learn_kernel",
]
