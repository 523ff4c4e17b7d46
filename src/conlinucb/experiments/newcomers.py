"""A population learned from others against the published algorithms, on the paper's data."""

from __future__ import annotations

from typing import Literal

from conlinucb.experiments.algorithms import PAPER
from conlinucb.experiments.item import DATA_NAMES, Item

EARLY = 100
"""Rounds that are told of by themselves."""


def _newcomers(
    name: str, data: Literal["synthetic", "lastfm", "movielens"], rounds: int, users: int
) -> Item:
    return Item(
        name=name,
        kind="curves",
        title=f"Newcomers after others: regret on {DATA_NAMES[data]}",
        data=data,
        rounds=rounds,
        users=users,
        agents=(*PAPER, "Population", "Population-max-radius"),
        logged=250,
        about="Population starts from what 250 other people are like, learned from 100 rewards of "
        "each for items shown at random, and asks what is informative; it has no constant but "
        "alpha = 1, one standard deviation. The others are as in the paper, or tuned. The people "
        "who score are neither among the logged nor among those tuned on.",
    )


NEWCOMERS_1A = _newcomers("newcomers-1a", "synthetic", 1000, 200)
NEWCOMERS_2A = _newcomers("newcomers-2a", "lastfm", 5000, 500)
NEWCOMERS_2B = _newcomers("newcomers-2b", "movielens", 5000, 500)
