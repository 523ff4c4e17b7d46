"""Conformance checks for parts of your own: strategies, estimators, agents, people, storages ...

Each function raises ``AssertionError`` with a sentence that says what does not hold, and
returns nothing when all is well. Run them in your own tests:

>>> from conlinucb.checks import check_strategy
>>> check_strategy("max-radius")
"""

from conlinucb.checks.agents import check_agent
from conlinucb.checks.estimators import check_estimator
from conlinucb.checks.people import check_people
from conlinucb.checks.priors import check_prior
from conlinucb.checks.storages import check_storage
from conlinucb.checks.strategies import check_strategy

__all__ = [
    "check_agent",
    "check_estimator",
    "check_people",
    "check_prior",
    "check_storage",
    "check_strategy",
]
