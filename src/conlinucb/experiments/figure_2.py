"""Figure 2: Last.FM and MovieLens."""

from __future__ import annotations

from typing import Literal

from conlinucb.experiments.figure_1 import OTHERS, WITHOUT_BS
from conlinucb.experiments.item import DATA_NAMES, Claim, Item, Point

_VARYING = Point(label="1,000 key-terms a round", offered_size=1000)


def _fixed(name: str, data: Literal["lastfm", "movielens"], bs: float, mcr: float) -> Item:
    return Item(
        name=name,
        kind="curves",
        title=f"Figure {name}: regret on {DATA_NAMES[data]}",
        data=data,
        rounds=5000,
        users=500,
        extra=OTHERS,
        headline=True,
        claims=(Claim("", "UCB", "better"), Claim("", "BS", bs), Claim("", "MCR", mcr)),
    )


def _varying(name: str, data: Literal["lastfm", "movielens"], mcr: float) -> Item:
    return Item(
        name=name,
        kind="curves",
        title=f"Figure {name}: key-terms that vary from round to round, {DATA_NAMES[data]}",
        data=data,
        rounds=5000,
        users=500,
        points=(_VARYING,),
        agents=WITHOUT_BS,
        extra=OTHERS,
        claims=(Claim(_VARYING.label, "MCR", mcr),),
        about="A spanner needs the same key-terms in every round, so BS does not take part.",
    )


FIGURE_2A = _fixed("2a", "lastfm", 13.28, 17.12)
FIGURE_2B = _fixed("2b", "movielens", 13.08, 16.93)
FIGURE_2C = _varying("2c", "lastfm", 19.66)
FIGURE_2D = _varying("2d", "movielens", 17.85)
