"""What another way to choose would have earned, from a log of choices with their propensities."""

from conlinucb.offline.estimates import ESTIMATORS, Estimate, Evaluation
from conlinucb.offline.evaluate import evaluate
from conlinucb.offline.exported import read_export
from conlinucb.offline.synthetic import SyntheticLog, synthetic_log

__all__ = [
    "ESTIMATORS",
    "Estimate",
    "Evaluation",
    "SyntheticLog",
    "evaluate",
    "read_export",
    "synthetic_log",
]
