"""From feedback to belief. An estimator holds parameters; a state holds what was learned."""

from conlinucb.estimators.base import ArmScores, Estimator, TermBelief
from conlinucb.estimators.ridge import Ridge
from conlinucb.estimators.two_step import TwoStep

ESTIMATORS = {each.name: each for each in (Ridge, TwoStep)}

__all__ = ["ESTIMATORS", "ArmScores", "Estimator", "Ridge", "TermBelief", "TwoStep"]
