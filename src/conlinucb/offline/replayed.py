"""What an agent would have done in each logged decision, knowing what was logged before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from conlinucb.agent.agent import Agent
from conlinucb.agent.priors.fitting.table import person_keys
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.offline.acceptance import dice
from conlinucb.offline.log import KINDS, Log, arm_codes, ids_of

DECISION, _, ANSWER, SHOWN = range(len(KINDS))


def probabilities(agent: Agent, log: Log, draws: int, own: int | None = None) -> Any:
    """How likely the agent takes each arm, (decisions, N) and sparse.

    Each person starts anew, and learns from every row before the decision, whoever decided it: so
    this is the agent's next choice after the log's history. With a seed for a history of its
    ``own``, it learns from answers and from those decisions alone that pass for its own: accepted
    with a chance in proportion to its probability over the log's, which is the same for every
    state it may be in.
    """
    replay = _Replay(agent, log, draws, own)
    users: dict[int, User] = {}
    rows: dict[int, tuple[Indices, Floats]] = {}
    for row in log.in_order().tolist():
        who = 0 if log.people is None else int(log.people[row])
        if who not in users:
            users[who] = agent.new_user(_seed(log, who))
        if log.kinds[row] == DECISION:
            rows[row] = replay.choice(users[who], row)
        if replay.happened(row, rows.get(row)):
            replay.learn(users[who], row)
    return _stacked([rows[row] for row in log.decisions.tolist()], agent.catalog)


class _Replay:
    """One agent on one log."""

    def __init__(self, agent: Agent, log: Log, draws: int, own: int | None) -> None:
        self.agent, self.log, self.draws = agent, log, draws
        self.dice = np.zeros(log.kinds.size)
        if own is not None:
            self.dice[log.decisions] = dice(own, log.decisions.size)
        self.own, self.bound = own is not None, bound_of(log)
        self.places = ids_of(agent.catalog)
        answers = log.kinds == ANSWER
        self.index = np.empty(log.kinds.size, dtype=np.int64)
        self.index[~answers] = arm_codes(log.actions[~answers], agent.catalog.arm_ids)
        self.index[answers] = arm_codes(log.actions[answers], agent.catalog.term_ids, "key-term")

    def choice(self, user: User, row: int) -> tuple[Indices, Floats]:
        """The arms the agent may take, and how likely each."""
        pool = self.log.pool(row, self.places, self.agent.catalog.live_arms)
        if self.log.pools is not None and self.index[row] not in pool:
            raise InvalidInput(
                f"The action of row {row}, {self.log.actions[row]!r}, is not in its pool, "
                f"{self.log.pools[row]!r}."
            )
        found = self.agent.propensities(user, pool, draws=self.draws)
        kept = found > 0.0
        return pool[kept], found[kept]

    def happened(self, row: int, choice: tuple[Indices, Floats] | None) -> bool:
        """Whether the row is part of the agent's history."""
        if self.log.kinds[row] == SHOWN:
            return False
        if not self.own or self.log.kinds[row] == ANSWER:
            return True
        if choice is None:  # a reward of what somebody else chose
            return False
        chance = float(choice[1][choice[0] == self.index[row]].sum())
        return bool(self.dice[row] < chance / self.log.propensities[row] / self.bound)

    def learn(self, user: User, row: int) -> None:
        """Take the row in."""
        if self.log.kinds[row] == DECISION:
            user.close_round()
        learn = self.agent.volunteer if self.log.kinds[row] == ANSWER else self.agent.learn
        learn(user, int(self.index[row]), float(self.log.rewards[row]))


def bound_of(log: Log) -> float:
    """The largest weight that any target can have in this log."""
    return float(1.0 / log.propensities[log.decisions].min())


def _seed(log: Log, who: int) -> int:
    return int(person_keys([log.person_ids[who]])[0]) if log.person_ids else 0


def _stacked(rows: list[tuple[Indices, Floats]], catalog: Catalog) -> Any:
    sizes = [arms.size for arms, _ in rows]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    arms = np.concatenate([arms for arms, _ in rows])
    chances = np.concatenate([chances for _, chances in rows])
    shape = len(rows), len(catalog.arm_ids)
    found = sparse.csr_matrix((chances, arms, starts), shape=shape)
    found.sort_indices()
    return found
