"""Conversational contextual bandits: ask about key-terms, recommend items, learn from both."""

from conlinucb import datasets, theory
from conlinucb._version import __version__
from conlinucb.agent.agent import Advice, Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Ridge, TwoStep
from conlinucb.agent.recipes import arm_con, conlinucb, conucb, linucb
from conlinucb.agent.schedule import Every, Linear, Logarithmic, Never
from conlinucb.agent.spanner import Spanner, barycentric_spanner
from conlinucb.agent.strategies import STRATEGIES, View, strategy_kernel
from conlinucb.agent.user import Question, User
from conlinucb.catalog.catalog import Catalog
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
from conlinucb.people.linear import Draw, LinearUsers
from conlinucb.simulation.results import Comparison, Results
from conlinucb.simulation.simulate import simulate

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
