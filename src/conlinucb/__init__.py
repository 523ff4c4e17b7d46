"""Conversational contextual bandits: ask about key-terms, recommend items, learn from both."""

from conlinucb import theory
from conlinucb.agent import Advice, Agent
from conlinucb.alpha import TheoryAlpha
from conlinucb.catalog import Catalog
from conlinucb.errors import (
    ConlinucbError,
    IncompatibleState,
    InvalidInput,
    QuestionClosed,
    RankWarning,
    StrategyError,
    UnknownName,
)
from conlinucb.estimators import Ridge, TwoStep
from conlinucb.recipes import arm_con, conlinucb, conucb, linucb
from conlinucb.schedule import Every, Linear, Logarithmic, Never
from conlinucb.spanner import Spanner, barycentric_spanner
from conlinucb.strategies import STRATEGIES, View, strategy_kernel
from conlinucb.user import Question, User

__version__ = "0.1.0"

__all__ = [
    "STRATEGIES",
    "Advice",
    "Agent",
    "Catalog",
    "ConlinucbError",
    "Every",
    "IncompatibleState",
    "InvalidInput",
    "Linear",
    "Logarithmic",
    "Never",
    "Question",
    "QuestionClosed",
    "RankWarning",
    "Ridge",
    "Spanner",
    "StrategyError",
    "TheoryAlpha",
    "TwoStep",
    "UnknownName",
    "User",
    "View",
    "arm_con",
    "barycentric_spanner",
    "conlinucb",
    "conucb",
    "linucb",
    "strategy_kernel",
    "theory",
]
