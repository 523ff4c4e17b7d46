"""Table 1: the time that choosing arms and key-terms takes on MovieLens."""

from __future__ import annotations

from conlinucb.experiments.item import BASELINE, Item, Point

Pair = tuple[float, float]

PAPER_SECONDS = {
    "ConUCB": (5217.0, 6080.0),
    "UCB": (3060.0, 2678.0),
    "MCR": (3030.0, 1791.0),
    "BS": (3120.0, 6.0),
}
"""The paper's seconds for choosing arms and for choosing key-terms."""

TABLE_1 = Item(
    name="table1",
    kind="seconds",
    title="Table 1: time for choosing arms and key-terms, MovieLens",
    data="movielens",
    rounds=5000,
    users=500,
    agents=tuple(PAPER_SECONDS),
    points=(
        Point(label="every radius computed", lazy=False, most_runs=1),
        Point(label="as conlinucb decides"),
    ),
    timed=True,
    about="The same decisions twice: with every radius computed, as the formulas read and the "
    "paper's code does, and lazily, as this library does, where a radius that cannot change the "
    "decision is left out. ConUCB scores all key-terms with one matrix product in both, so its "
    "share for key-terms is smaller than in the paper. Seconds are a matter of machine and "
    "language, so read the ratios.",
)


def ratios(times: dict[str, Pair]) -> dict[str, Pair]:
    """The same as shares of ConUCB's total.

    >>> ratios({"ConUCB": (3.0, 1.0), "BS": (2.0, 0.0)})["BS"]
    (0.5, 0.0)
    """
    total = sum(times.get(BASELINE, (0.0, 0.0)))
    if not total:
        return {}
    return {name: (arms / total, terms / total) for name, (arms, terms) in times.items()}


def shares(times: dict[str, Pair]) -> dict[str, float]:
    """Each other algorithm's time for choosing as a share of ConUCB's.

    >>> shares({"ConUCB": (3.0, 1.0), "BS": (2.0, 0.0)})
    {'BS': 0.5}
    """
    return {name: sum(pair) for name, pair in ratios(times).items() if name != BASELINE}
