"""Figure 1: synthetic data."""

from __future__ import annotations

from functools import partial

from conlinucb.experiments.algorithms import PAPER
from conlinucb.experiments.item import Claim, Item, Point

OTHERS = (
    "ConLinUCB-random",
    "ConLinUCB-optimal-greedy",
    "ConLinUCB-related-confidence",
    "ConLinUCB-related-reduction",
)
"""ConLinUCB with the strategies that the paper's figures do not show."""

WITHOUT_BS = tuple(name for name in PAPER if name != "BS")
"""The paper's algorithms but the one that needs the same key-terms in every round."""

_synthetic = partial(Item, data="synthetic", rounds=1000, users=200, extra=OTHERS)
_frequencies = tuple(
    Point(label=f"f_q {f}", at=f, schedule=("logarithmic", f)) for f in (5, 10, 20, 30)
)
_pools = tuple(
    Point(label=f"pool {size}", at=size, pool_size=size) for size in (25, 50, 100, 200, 500)
)

FIGURE_1A = _synthetic(
    name="1a",
    kind="curves",
    headline=True,
    title="Figure 1a: regret on synthetic data",
    claims=(Claim("", "UCB", 34.91), Claim("", "BS", 37.00), Claim("", "MCR", 43.10)),
)
FIGURE_1B = _synthetic(
    name="1b",
    kind="sweep",
    title="Figure 1b: more or fewer questions",
    points=_frequencies,
    axis="question frequency f_q",
    claims=tuple(
        claim
        for point in _frequencies
        for claim in (Claim(point.label, "BS", "better"), Claim(point.label, "MCR", "best"))
    ),
    about="b(t) = f_q floor(ln(t + 1)): f_q questions each time it grows. "
    "The paper prints ln t; under authors t counts from 0.",
)
FIGURE_1C = _synthetic(
    name="1c",
    kind="sweep",
    title="Figure 1c: larger and smaller pools",
    points=_pools,
    axis="arms in the pool",
    below="LinUCB",
    claims=(
        Claim("pool 25", "BS", 34.99),
        Claim("pool 25", "MCR", 40.21),
        Claim("pool 500", "BS", 50.36),
        Claim("pool 500", "MCR", 53.77),
    ),
    about="Drawn as the paper draws it: how much less regret than LinUCB.",
)
FIGURE_1D = _synthetic(
    name="1d",
    kind="curves",
    title="Figure 1d: key-terms that vary from round to round, synthetic data",
    points=(Point(label="300 of 500 key-terms", offered_size=300),),
    agents=WITHOUT_BS,
    claims=(Claim("300 of 500 key-terms", "MCR", 43.02),),
    about="A spanner needs the same key-terms in every round, so BS does not take part.",
)
