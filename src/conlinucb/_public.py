"""Every public name, loaded when the first of them is asked for: see ``__init__``."""

from conlinucb import datasets, theory
from conlinucb._version import __version__
from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.crowd import Crowd
from conlinucb.agent.design import Design, optimal_design
from conlinucb.agent.estimators import (
    Estimator,
    Kernels,
    Logistic,
    Ridge,
    State,
    TwoStep,
    learn_kernel,
)
from conlinucb.agent.graph_recipes import graph_conlinucb, graph_conucb
from conlinucb.agent.picked import Picked
from conlinucb.agent.priors import Gaussian, Isotropic, Population
from conlinucb.agent.question import Question
from conlinucb.agent.recipes import (
    arm_con,
    conlinucb,
    conucb,
    for_newcomers,
    linucb,
    logistic,
    relative_conucb,
)
from conlinucb.agent.rewards import (
    FirstRounds,
    Recommended,
    Sometimes,
    Uncertain,
    WorthLearning,
    rewards_kernel,
)
from conlinucb.agent.schedule import Every, Linear, Logarithmic, Never, WhenWorth, WhereThin
from conlinucb.agent.select import EpsilonGreedy, Thompson
from conlinucb.agent.sharing import Clusters, Groups, KMeans, Sharing
from conlinucb.agent.spanner import Spanner, barycentric_spanner
from conlinucb.agent.strategies import STRATEGIES, View, strategy_kernel
from conlinucb.agent.strategies.growing import Growing
from conlinucb.agent.user import User
from conlinucb.algorithms.conts import conts
from conlinucb.algorithms.ctof import ctof_conlinucb, ctof_conucb
from conlinucb.algorithms.duel import conduel
from conlinucb.algorithms.hier_linucb import hier_linucb
from conlinucb.algorithms.hierarchy import hcb, phcb
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
    Compares,
    Draw,
    Drifts,
    Happened,
    Lies,
    LinearUsers,
    LoggedPeople,
    Opinions,
    People,
    Place,
    Refuses,
    Round,
    YesNo,
    play_round,
)
from conlinucb.simulation.comparison import Comparison, Comparisons
from conlinucb.simulation.halving import Halving
from conlinucb.simulation.own_rounds import OwnRounds
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
    "Clusters",
    "Compares",
    "Comparison",
    "Comparisons",
    "ConlinucbError",
    "Crowd",
    "Design",
    "Draw",
    "Drifts",
    "EpsilonGreedy",
    "Estimate",
    "Estimator",
    "Evaluation",
    "Every",
    "FirstRounds",
    "Gaussian",
    "Groups",
    "Growing",
    "Halving",
    "Happened",
    "IncompatibleState",
    "InvalidInput",
    "Isotropic",
    "KMeans",
    "Kernels",
    "Lies",
    "Linear",
    "LinearUsers",
    "Log",
    "Logarithmic",
    "LoggedPeople",
    "Logistic",
    "Logit",
    "MissingExtra",
    "Never",
    "Opinions",
    "OwnRounds",
    "People",
    "Picked",
    "Place",
    "Population",
    "Question",
    "QuestionClosed",
    "RankWarning",
    "Recommended",
    "Refuses",
    "Results",
    "Ridge",
    "Round",
    "Sharing",
    "Sometimes",
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
    "Uncertain",
    "Uniform",
    "UnknownName",
    "User",
    "View",
    "WhenWorth",
    "WhereThin",
    "Whole",
    "WorthLearning",
    "YesNo",
    "__version__",
    "arm_con",
    "barycentric_spanner",
    "conduel",
    "conlinucb",
    "conts",
    "conucb",
    "ctof_conlinucb",
    "ctof_conucb",
    "datasets",
    "evaluate",
    "for_newcomers",
    "graph_conlinucb",
    "graph_conucb",
    "hcb",
    "hier_linucb",
    "learn_kernel",
    "linucb",
    "logistic",
    "optimal_design",
    "phcb",
    "play_round",
    "read_export",
    "relative_conucb",
    "rewards_kernel",
    "simulate",
    "strategy_kernel",
    "synthetic_log",
    "theory",
    "tune",
]
