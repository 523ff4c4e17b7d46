"""Algorithms that came later, by name: each has a row of the benchmark. Add yours to the table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.asking import view_of
from conlinucb.agent.graph_recipes import graph_conlinucb, graph_conucb
from conlinucb.agent.priors import Gaussian
from conlinucb.agent.recipes import conlinucb, linucb, logistic, relative_conucb
from conlinucb.agent.rewards import FirstRounds, Sometimes, Uncertain, WorthLearning
from conlinucb.agent.schedule import WhenWorth, WhereThin
from conlinucb.agent.select import Thompson
from conlinucb.agent.strategies import RelativeDifference, Smoothed
from conlinucb.algorithms.conts import conts
from conlinucb.algorithms.ctof import ctof_conlinucb, ctof_conucb
from conlinucb.algorithms.duel import conduel
from conlinucb.algorithms.hier_linucb import hier_linucb
from conlinucb.algorithms.hierarchy import hcb, phcb
from conlinucb.bench.problem import Setting
from conlinucb.catalog.catalog import Catalog
from conlinucb.people import ClickUsers, People, YesNo, play_round
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.simulate import simulate

Builder = Callable[[Setting], AnyAgent]


def with_edges(on: Setting, each: int = 3) -> Catalog:
    """The catalogue with random edges, twice ``each`` of a key-term on average."""
    rng, terms = np.random.default_rng(3), on.terms
    pairs = {(i, int(j)) for i in range(terms) for j in rng.integers(terms, size=each)}
    ends = sorted({(min(pair), max(pair)) for pair in pairs})
    return on.catalog.with_graph([(i, j, rng.uniform(0.2, 0.9)) for i, j in ends])


def newcomers(on: Setting) -> Gaussian:
    """A prior as wide as the tastes are, with the people's noise."""
    return Gaussian(np.zeros(on.d), np.eye(on.d), noise=0.01)


def groups(on: Setting) -> int:
    """Groups of arms to ask about."""
    return min(on.terms, on.arms // 10)


LATER: dict[str, Builder] = {
    "relative, difference": lambda on: relative_conucb(on.catalog),
    "relative, one after the other": lambda on: relative_conucb(
        on.catalog, strategy=RelativeDifference(exact=False)
    ),
    "relative, winner": lambda on: relative_conucb(on.catalog, pair_update="winner"),
    "relative, both": lambda on: relative_conucb(on.catalog, pair_update="both"),
    "max-radius-pairs": lambda on: conlinucb(on.catalog, strategy="max-radius-pairs"),
    "informative-pairs": lambda on: conlinucb(on.catalog, strategy="informative-pairs"),
    "graph_conucb, own edges": lambda on: graph_conucb(with_edges(on)),
    "graph_conlinucb, own edges": lambda on: graph_conlinucb(with_edges(on)),
    "graph_conucb, shared arms": lambda on: graph_conucb(on.catalog),
    "graph_conlinucb, shared arms": lambda on: graph_conlinucb(on.catalog),
    "conts": lambda on: conts(on.catalog),
    "pick-any": lambda on: conlinucb(on.catalog, strategy="pick-any"),
    "best-of": lambda on: conlinucb(on.catalog, strategy="best-of"),
    "informative": lambda on: conlinucb(on.catalog, strategy="informative"),
    "informative, clusters": lambda on: conlinucb(
        on.catalog.with_clusters(groups(on)), strategy="informative"
    ),
    "ctof_conucb": lambda on: ctof_conucb(on.catalog),
    "ctof_conlinucb": lambda on: ctof_conlinucb(on.catalog),
    "hcb": lambda on: hcb(on.catalog.with_tree()),
    "phcb": lambda on: phcb(on.catalog.with_tree()),
    "max-radius, tree": lambda on: conlinucb(on.catalog.with_tree()),
    "thinnest, where thin": lambda on: conlinucb(
        on.catalog, strategy="thinnest", schedule=WhereThin(every="doubling")
    ),
    "thinnest, each round": lambda on: conlinucb(
        on.catalog, strategy="thinnest", schedule=WhereThin()
    ),
    "smoothed": lambda on: conlinucb(on.catalog, strategy="smoothed"),
    "smoothed, perturbed": lambda on: conlinucb(on.catalog, strategy=Smoothed(learns="perturbed")),
    "valuable, when worth": lambda on: conlinucb(
        on.catalog, strategy="valuable", prior=newcomers(on), schedule=WhenWorth()
    ),
    "design": lambda on: conlinucb(on.catalog, strategy="design"),
    "log-det": lambda on: conlinucb(on.catalog, strategy="log-det"),
    "logistic": lambda on: logistic(on.catalog),
    "logistic, thompson": lambda on: logistic(on.catalog, select="thompson"),
    "conduel": lambda on: conduel(on.catalog),
    "linucb, thompson": lambda on: linucb(on.catalog, select=Thompson()),
    "max-radius, thompson": lambda on: conlinucb(on.catalog, select=Thompson()),
    "hier_linucb": lambda on: hier_linucb(on.catalog),
    "rewards, sometimes": lambda on: conlinucb(on.catalog, rewards=Sometimes()),
    "rewards, first rounds": lambda on: conlinucb(on.catalog, rewards=FirstRounds()),
    "rewards, uncertain": lambda on: conlinucb(on.catalog, rewards=Uncertain()),
    "rewards, worth learning": lambda on: conlinucb(
        on.catalog, prior=newcomers(on), rewards=WorthLearning()
    ),
}
"""With the constants of their recipes."""


def people_of(agent: AnyAgent, on: Setting) -> People:
    """The people of the setting; for an agent that takes yes and no only, people who click."""
    if isinstance(agent, Agent) and agent.estimator.range is not None:
        return YesNo(ClickUsers(on.thetas, pool_size=on.pool), at=0.5)
    return on.people


LONG = 20.0
"""Seconds; what takes longer is not repeated."""
STAGES = (0, 20, 200)
"""Rounds after which a question is timed: what is known decides how many are looked at closely."""


def measure(setting: Setting, rounds: int, times: int = 3) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ("later", row): rounds a second of all threads, and what choosing a question costs."""
    for name, build in LATER.items():
        agent = build(setting)
        row = {"algorithm": name, "engine": rate(agent, setting, rounds, times)}
        yield "later", {**row, "question_seconds": question_seconds(agent, setting)}


def rate(agent: AnyAgent, setting: Setting, rounds: int, times: int) -> float:
    """User-rounds a second of ``simulate`` with all threads."""
    people = people_of(agent, setting)
    simulate({"it": agent}, people, rounds=2, log=1, progress=False)
    least = np.inf
    for _ in range(times):
        start = time.perf_counter()
        simulate({"it": agent}, people, rounds=rounds, log=1, progress=False)
        least = min(least, time.perf_counter() - start)
        if least > LONG:
            break
    return setting.users * rounds / least


def question_seconds(agent: AnyAgent, setting: Setting, times: int = 50) -> float | None:
    """The most that choosing one question takes at any of the stages; None without a kernel."""
    chooser, people = getattr(agent, "chooser", None), people_of(agent, setting)
    if not isinstance(agent, Agent) or chooser is None or chooser.kernel is None:
        return None
    user, found, t = agent.new_user(people.user_seed(0, 0, 0)), 0.0, 1
    for stage in STAGES:
        while t <= stage:
            play_round(agent, user, people, people.place(agent.catalog, 0, 0, 0, t))
            t += 1
        pool = people.round(people.place(agent.catalog, 0, 0, 0, t)).pool
        view, least = view_of(agent, user, chooser, pool, agent.catalog._live_terms), np.inf
        for _ in range(times):
            start = time.perf_counter()
            chooser.kernel(view)
            least = min(least, time.perf_counter() - start)
        found = max(found, float(least))
    return found
