"""Conversational contextual bandits: ask about key-terms, recommend items, learn from both."""

from conlinucb import datasets, theory
from conlinucb._version import __version__
from conlinucb.agent import Advice, Agent
from conlinucb.alpha import TheoryAlpha
from conlinucb.catalog import Catalog
from conlinucb.engine import simulate
from conlinucb.environment import Draw, LinearUsers
from conlinucb.errors import (
    ConlinucbError,
    IncompatibleState,
    InvalidInput,
    MissingExtra,
    QuestionClosed,
    RankWarning,
    StrategyError,
    UnknownName,
)
from conlinucb.estimators import Ridge, TwoStep
from conlinucb.recipes import arm_con, conlinucb, conucb, linucb
from conlinucb.results import Comparison, Results
from conlinucb.schedule import Every, Linear, Logarithmic, Never
from conlinucb.spanner import Spanner, barycentric_spanner
from conlinucb.strategies import STRATEGIES, View, strategy_kernel
from conlinucb.user import Question, User

__all__ = [
    "STRATEGIES",
    "Advice",
    "Agent",
    "Catalog",
    "Comparison",
    "ConlinucbError",
    "Draw",
    "Every",
    "IncompatibleState",
    "InvalidInput",
    "Linear",
    "LinearUsers",
    "Logarithmic",
    "MissingExtra",
    "Never",
    "Question",
    "QuestionClosed",
    "RankWarning",
    "Results",
    "Ridge",
    "Spanner",
    "StrategyError",
    "TheoryAlpha",
    "TwoStep",
    "UnknownName",
    "User",
    "View",
    "__version__",
    "arm_con",
    "barycentric_spanner",
    "conlinucb",
    "conucb",
    "datasets",
    "linucb",
    "simulate",
    "strategy_kernel",
    "theory",
]
