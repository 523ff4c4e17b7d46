"""Every public name, loaded when the first of them is asked for: see ``__init__``."""

from conlinucb import datasets, theory
from conlinucb._version import __version__
from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.estimators import Estimator, Kernels, Ridge, State, TwoStep, learn_kernel
from conlinucb.agent.priors import Gaussian, Isotropic, Population
from conlinucb.agent.question import Question
from conlinucb.agent.recipes import arm_con, conlinucb, conucb, for_newcomers, linucb
from conlinucb.agent.schedule import Every, Linear, Logarithmic, Never, WhenWorth
from conlinucb.agent.select import EpsilonGreedy, Thompson
from conlinucb.agent.spanner import Spanner, barycentric_spanner
from conlinucb.agent.strategies import STRATEGIES, View, strategy_kernel
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.table import Table
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
from conlinucb.offline import (
    Estimate,
    Evaluation,
    SyntheticLog,
    evaluate,
    read_export,
    synthetic_log,
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
from conlinucb.simulation.comparison import Comparison, Comparisons
from conlinucb.simulation.halving import Halving
from conlinucb.simulation.ranges import Choice, Log, Logit, Uniform, Whole
from conlinucb.simulation.results import Results
from conlinucb.simulation.simulate import simulate
from conlinucb.simulation.space import Space
from conlinucb.simulation.summary import Summary
from conlinucb.simulation.tuned import Tuned
from conlinucb.simulation.tuning import tune

__all__ = [
    "STRATEGIES",
    "Advice",
    "Agent",
    "Catalog",
    "Choice",
    "ClickUsers",
    "Comparison",
    "Comparisons",
    "ConlinucbError",
    "Draw",
    "Drifts",
    "EpsilonGreedy",
    "Estimate",
    "Estimator",
    "Evaluation",
    "Every",
    "Gaussian",
    "Halving",
    "IncompatibleState",
    "InvalidInput",
    "Isotropic",
    "Kernels",
    "Lies",
    "Linear",
    "LinearUsers",
    "Log",
    "Logarithmic",
    "LoggedPeople",
    "Logit",
    "MissingExtra",
    "Never",
    "People",
    "Place",
    "Population",
    "Question",
    "QuestionClosed",
    "RankWarning",
    "Refuses",
    "Results",
    "Ridge",
    "Round",
    "Space",
    "Spanner",
    "State",
    "StrategyError",
    "Summary",
    "SyntheticLog",
    "Table",
    "TheoryAlpha",
    "Thompson",
    "Tuned",
    "TwoStep",
    "Uniform",
    "UnknownName",
    "User",
    "View",
    "WhenWorth",
    "Whole",
    "YesNo",
    "__version__",
    "arm_con",
    "barycentric_spanner",
    "conlinucb",
    "conucb",
    "datasets",
    "evaluate",
    "for_newcomers",
    "learn_kernel",
    "linucb",
    "play_round",
    "read_export",
    "simulate",
    "strategy_kernel",
    "synthetic_log",
    "theory",
    "tune",
]
