"""From feedback to belief. An estimator holds parameters; a state holds what was learned."""

from conlinucb.agent.estimators.base import ArmScores, Estimator, Influence, TermBelief
from conlinucb.agent.estimators.ridge import Ridge
from conlinucb.agent.estimators.two_step import TwoStep

__all__ = ["ArmScores", "Estimator", "Influence", "Ridge", "TermBelief", "TwoStep"]
