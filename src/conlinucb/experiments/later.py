"""What came later against ConUCB and MCR: an item for each way of asking."""

from __future__ import annotations

from typing import Any

from conlinucb.agent.recipes import B
from conlinucb.agent.strategies.growing import Growing
from conlinucb.catalog.catalog import Catalog
from conlinucb.experiments.item import Item

FAMILY = "later"
REFERENCES = ("LinUCB", "ConUCB", "MCR")
READING = "unit theta, sparse graph"
"""Under ``fair``, of the four worlds of synthetic data the one that the paper prints."""
LEVELS = (10, 50, 250)
"""Nodes of the tree of items by depth."""
SHARED = (
    "Data are the paper's synthetic ones: those that the later works used cannot be had or belong "
    "to other tasks. Noises are independent. Under authors every algorithm has its own authors' "
    "constants, as far as they are known; under fair all are tuned on one budget, in the world of "
    f"{READING}."
)

WORDS = {
    "authors": "each algorithm with the constants of its own authors, as far as they are known, in "
    "the world that ConLinUCB's authors drew: raw theta, dense graph, rounds counted from 0; "
    "noises are independent"
}
"""Protocols in words, where the later works have another reading of them."""


def _growing(catalog: Catalog, schedule: B, rounds: int) -> Catalog:
    """Groups of items alone, as many as the schedule comes to."""
    return Growing(rounds=rounds).catalogue(catalog, schedule)


def _tree(catalog: Catalog, schedule: B, rounds: int) -> Catalog:
    """Key-terms are the nodes of a tree of items."""
    return catalog.with_tree(LEVELS)


def _later(name: str, title: str, agents: tuple[str, ...], about: str, **more: Any) -> Item:
    return Item(
        name=f"{FAMILY}-{name}",
        family=FAMILY,
        kind="curves",
        title=title,
        data="synthetic",
        rounds=1000,
        users=100,
        agents=(*REFERENCES, *agents),
        protocols=("authors", "fair"),
        readings=("", READING),
        about=f"{about} {SHARED}",
        most_runs=4,
        **more,
    )


LATER_ITEMS: tuple[Item, ...] = (
    _later(
        "relative",
        "Which do you prefer? Pairs of key-terms",
        ("Relative-difference", "Relative-winner", "Relative-both", "MCR of pairs"),
        "Rewards are clicks with the chance clip(x'theta, 0, 1), and of a pair each side is seen "
        "with noise of its own (sd 0.1), both as RelativeConUCB's authors have it.",
        people="clicks",
    ),
    _later(
        "clusters",
        "Key-terms made from clusters, and people who share",
        ("CtoF-ConUCB", "CtoF-MCR", "LinUCB, people shared", "MCR, people shared"),
        "Key-terms are groups of items, made by k-means from features alone, for everybody; the "
        "growing ones go from one group to 100, ConUCB and MCR may ask about all of these at any "
        "time. People come interleaved, in visits of 1 to 4 rounds; their tastes are their own, so "
        "that sharing has nothing to win here but can lose.",
        made=_growing,
        arrivals="interleaved",
    ),
    _later(
        "sharing",
        "People of few kinds, who share",
        ("LinUCB, people shared", "MCR, people shared", "MCR, 10 groups by k-means"),
        "People come interleaved, in visits of 1 to 4 rounds, and are of ten kinds: nine tenths of "
        "a taste are the kind's, one tenth is one's own. Nobody is told who is of which kind.",
        arrivals="interleaved",
        kinds=10,
    ),
    _later(
        "graph",
        "Answers that spread along a graph of key-terms",
        ("GraphConUCB", "Graph-MCR"),
        "Key-terms that share items are neighbours: (1 - g) Tanimoto + g cosine, g = 0.5, one hop.",
    ),
    _later(
        "tree",
        "A tree of items",
        ("HCB", "pHCB"),
        f"Key-terms are the nodes of a tree of items, {', '.join(map(str, LEVELS))} by depth, for "
        "everybody: ConUCB and MCR ask about nodes, HCB and pHCB ask nothing and walk along them.",
        made=_tree,
    ),
    _later(
        "thin",
        "Adaptive asking: smoothed key-terms, and questions where little is known",
        ("Smoothed", "Thin", "Smoothed where thin"),
        "Thin asks at rounds 1, 2, 4, 8, ... until no direction has had less than c of an "
        "observation a round, at most 20 questions each time.",
    ),
    _later(
        "worth",
        "Asking only while a question is worth it",
        ("While worth", "Valuable"),
        "While worth asks at most 5 questions a round, as long as the best one is worth more than "
        "its cost in reward; Valuable asks the same question as often as MCR.",
    ),
    _later(
        "thompson",
        "Thompson sampling over items and key-terms",
        ("ConTS", "MCR, Thompson"),
        "ConTS asks when a key-term wins the draw, at most 15 turns a conversation.",
    ),
    _later(
        "duel",
        "Two items a round, and which is preferred",
        ("ConDuel",),
        "ConDuel learns from which of two items, and of two key-terms, is preferred, each with a "
        "logistic chance of noise 0.1, and never from a reward; the regret is that of the mean of "
        "both items. The others learn from rewards as everywhere.",
        people="duels",
    ),
    _later(
        "hier",
        "A round asks or recommends",
        ("Hier-LinUCB",),
        "In Hier-LinUCB's rounds a question takes the place of a recommendation and is rewarded "
        "with half of what the key-term's best item of the pool would bring; its regret is of "
        "that. The others ask beside recommending, and their questions cost nothing.",
    ),
    _later(
        "rewards",
        "Rewards on a budget: one in five is asked for",
        ("MCR, drawn of a fifth", "MCR, uncertain of a fifth"),
        "Which rewards are asked for is drawn, or decided by how uncertain the recommended item "
        "is; ConUCB and MCR learn from every reward.",
    ),
    _later(
        "logistic",
        "Clicks, by log-odds",
        ("Logistic-MCR",),
        "Rewards are clicks with a logistic chance of x'theta, answers that chance with noise.",
        people="logistic clicks",
    ),
)
