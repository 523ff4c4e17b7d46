"""Logs of people whose tastes are known, so that the truth is, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.given import checked_agent
from conlinucb.agent.relative import as_number
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, whole
from conlinucb.offline.log import SEPARATOR, read_log
from conlinucb.offline.target import target_of
from conlinucb.people.base import People, Place, checked_people
from conlinucb.people.rounds import Happened, play_round

Row = tuple[str, int, int, str, float, float | None, str | None]
HEADS = ("kind", "person", "round", "action", "reward", "propensity", "pool")


@dataclass(frozen=True, eq=False)
class SyntheticLog:
    """A log, and the people it is of."""

    table: dict[str, list[Any]]
    """Columns as ``evaluate`` reads them."""
    people: People
    agent: Agent
    """Who decided."""
    seed: int

    def value(self, target: Any) -> float:
        """The truth: what the target would have earned in these decisions, on average.

        Of these very people after these very histories, without the noise of rewards.
        """
        if isinstance(target, str):
            raise InvalidInput("The truth needs the target's probability of every arm, no column.")
        log = read_log(self.table, {})
        catalog = None if isinstance(target, Agent) else self.agent.catalog
        found = target_of(target, log, catalog, 1000)
        return float(np.mean([self._worth(i, row, found.everywhere) for i, row in
                              enumerate(log.decisions.tolist())]))  # fmt: skip

    def _worth(self, i: int, row: int, chances: Any) -> float:
        inside = slice(chances.indptr[i], chances.indptr[i + 1])
        arms = chances.indices[inside].astype(np.int64)
        values: Floats = self.people.values(self._place(row), arms)
        return float(chances.data[inside] @ values)

    def _place(self, row: int) -> Place:
        who, when = self.table["person"][row], self.table["round"][row]
        return self.people.place(self.agent.catalog, self.seed, 0, who, when)


def synthetic_log(agent: Agent, people: People, rounds: int, *, seed: int = 0) -> SyntheticLog:
    """Everybody's rounds with this agent, as a log with propensities.

    Answers to questions are rows, too, of the kind "answer"; a round without a reward is left out.

    >>> import conlinucb as cl
    >>> catalog = cl.Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0], [1.0]])
    >>> people = cl.LinearUsers([[1.0, 0.0], [0.0, 1.0]], pool_size=2)
    >>> log = synthetic_log(cl.linucb(catalog, select=cl.EpsilonGreedy(0.5)), people, rounds=2)
    >>> log.table["propensity"]
    [0.25, 0.75, 0.25, 0.75]
    """
    checked_people(people).check(checked_agent(agent).catalog)
    whole("rounds", rounds, low=1)
    rows = [row for user in range(len(people)) for row in _of(agent, people, user, rounds, seed)]
    if not rows:
        raise InvalidInput("Nobody gave a reward, so there is nothing to evaluate.")
    columns = [list(each) for each in zip(*rows, strict=True)]
    return SyntheticLog(dict(zip(HEADS, columns, strict=True)), people, agent, seed)


def _of(agent: Agent, people: People, who: int, rounds: int, seed: int) -> Iterator[Row]:
    """One person's rows."""
    user = agent.new_user(people.user_seed(seed, 0, who))
    for round_ in range(1, rounds + 1):
        place = people.place(agent.catalog, seed, 0, who, round_)
        happened = play_round(agent, user, people, place)
        yield from _answers(agent, happened, who, round_)
        if happened.propensity is None:
            raise InvalidInput(
                f"{agent.select!r} does not say how likely a choice was: select with "
                f"EpsilonGreedy(0.1) or Thompson(draws=200)."
            )
        if happened.reward is not None:
            ids = agent.catalog.arm_ids
            pool = _joined([ids[arm] for arm in happened.pool])
            action, chance = str(ids[happened.arm]), happened.propensity
            yield "decision", who, round_, action, happened.reward, chance, pool


def _answers(agent: Agent, happened: Happened, who: int, round_: int) -> Iterator[Row]:
    for question, answer in happened.questions:
        if question.kind == "term" and isinstance(answer, float):
            name = str(agent.catalog.term_ids[question.index])
            yield "answer", who, round_, name, as_number(answer), None, None


def _joined(ids: list[Any]) -> str:
    texts = [str(each) for each in ids]
    bad = [each for each in texts if SEPARATOR in each]
    if bad:
        raise InvalidInput(f"A pool is written with {SEPARATOR!r} between ids; {bad[0]!r} has one.")
    return SEPARATOR.join(texts)
