"""Conversational contextual bandits: ask about key-terms, recommend items, learn from both."""

from conlinucb import datasets, theory
from conlinucb._version import __version__
from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Estimator, Kernels, Ridge, State, TwoStep, learn_kernel
from conlinucb.agent.priors import Gaussian, Isotropic
from conlinucb.agent.question import Question
from conlinucb.agent.recipes import arm_con, conlinucb, conucb, linucb
from conlinucb.agent.schedule import Every, Linear, Logarithmic, Never
from conlinucb.agent.spanner import Spanner, barycentric_spanner
from conlinucb.agent.strategies import STRATEGIES, View, strategy_kernel
from conlinucb.agent.user import User
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
from conlinucb.people import (
    ClickUsers,
    Draw,
    Drifts,
    Lies,
    LinearUsers,
    LoggedPeople,
    People,
    Place,
    Refuses,
    Round,
    YesNo,
    play_round,
)
from conlinucb.simulation.results import Comparison, Results
from conlinucb.simulation.simulate import simulate

__all__ = [
    "STRATEGIES",
    "Advice",
    "Agent",
    "Catalog",
    "ClickUsers",
    "Comparison",
    "ConlinucbError",
    "Draw",
    "Drifts",
    "Estimator",
    "Every",
    "Gaussian",
    "IncompatibleState",
    "InvalidInput",
    "Isotropic",
    "Kernels",
    "Lies",
    "Linear",
    "LinearUsers",
    "Logarithmic",
    "LoggedPeople",
    "MissingExtra",
    "Never",
    "People",
    "Place",
    "Question",
    "QuestionClosed",
    "RankWarning",
    "Refuses",
    "Results",
    "Ridge",
    "Round",
    "Spanner",
    "State",
    "StrategyError",
    "TheoryAlpha",
    "TwoStep",
    "UnknownName",
    "User",
    "View",
    "YesNo",
    "__version__",
    "arm_con",
    "barycentric_spanner",
    "conlinucb",
    "conucb",
    "datasets",
    "learn_kernel",
    "linucb",
    "play_round",
    "simulate",
    "strategy_kernel",
    "theory",
]
