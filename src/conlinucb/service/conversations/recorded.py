"""What a decision keeps beside its choice: who decided, among what, and how likely it was.

So that another way to decide can be judged by the log alone. A pool is kept as a digest, and where
it is small, or nearly the whole catalogue, as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.agent.advice import Advice
from conlinucb.agent.agent import Agent
from conlinucb.agent.select import Choosing
from conlinucb.catalog.checked import ids_at
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.service.catalogues.version import CatalogueVersion, digest
from conlinucb.service.conversations.fold import Conversation

FEW = 100
"""Places in the catalogue that a decision keeps one by one."""


@dataclass(frozen=True)
class Candidates:
    """What a recommendation is chosen from."""

    pool: Indices | None
    """As asked for; None for everything."""
    exclude: Indices | None
    among: Indices
    """What is left of the pool."""
    left_out: Indices
    """What is not."""
    again: bool = False


def decided_by(version: CatalogueVersion) -> dict[str, Any]:
    """Under which catalogue, agent, population and arm of an experiment."""
    found: dict[str, Any] = {"version": version.number, "agent": version.agent_digest}
    if version.population_number:
        found["population"] = version.population_number
    if version.experiment:
        found |= {"experiment": version.experiment, "arm": version.arm}
    return found


def chosen_among(version: CatalogueVersion, found: Candidates) -> dict[str, Any]:
    """The pool of a recommendation, and what was left out of it."""
    whole = found.pool is None
    size = found.among.size + found.left_out.size
    pool = version.item_digest if found.pool is None else _digest(version, found.pool)
    fields: dict[str, Any] = {"pool": pool, "pool_size": size}
    if found.left_out.size:
        fields["excluded"] = found.left_out.size
        fields["excluded_digest"] = _digest(version, found.left_out)
    if found.among.size <= FEW:
        fields["among"] = found.among.tolist()
    elif whole and found.left_out.size <= FEW:
        fields["left_out"] = found.left_out.tolist()
    return fields


def asked_among(version: CatalogueVersion, terms: Indices | None, resting: int) -> dict[str, Any]:
    """The key-terms that a question is chosen from; None for all that are left."""
    if terms is None:
        return {"pool": version.term_digest, "pool_size": version.catalog.live_terms.size}
    ids = [str(each) for each in ids_at(version.catalog.term_ids, terms)]
    fields: dict[str, Any] = {"pool": digest(ids), "pool_size": len(ids)}
    return fields | ({"excluded": resting} if resting else {})


def question_chance(agent: Agent, choices: int) -> dict[str, Any]:
    """How likely the question was, where that can be told."""
    if agent.chooser is None:
        certain = agent.asks == "arm" and _leaves_nothing_to_chance(agent)
        return {"propensity": 1.0} if certain else {}
    if agent.chooser.draws == "never":
        return {"propensity": 1.0}
    evenly = agent.chooser.draws == "evenly" and agent.chooser.kind == "term"
    return {"propensity": 1.0 / choices} if evenly and choices else {}


def chances(
    state: Conversation, shown: Advice, own: Advice, found: Candidates, *, random: bool
) -> tuple[list[float | None], dict[str, float]]:
    """How likely each shown item was to be shown, and the first of several to stand first.

    A share e of the rounds shows any k of n items, the others what the agent chooses itself with
    the chance q: (1 - e) q + e k / n.
    """
    share, n, k = state.version.settings.explore, found.among.size, shown.arms.size
    own_chances = _own_chances(state, shown.arms, own, found, random=random)
    if own_chances is None:
        return [None] * k, {}
    of_items = (1.0 - share) * own_chances + share * k / n
    if k == 1 or not _leaves_nothing_to_chance(state.version.agent):
        return of_items.tolist(), {}
    stands_first = float(own.arms[0] == shown.arms[0])
    return of_items.tolist(), {"first": (1.0 - share) * stands_first + share / n}


def _own_chances(
    state: Conversation, arms: Indices, own: Advice, found: Candidates, *, random: bool
) -> Floats | None:
    """How likely the agent was to choose each of these by itself."""
    if own.propensities is None:
        return None
    if not random:
        return own.propensities
    agent = state.version.agent
    if _leaves_nothing_to_chance(agent):
        return np.isin(arms, own.arms).astype(np.float64)
    draws = max(1, int(getattr(agent.select, "draws", 1)))
    everywhere = agent.propensities(state.user, found.among, arms.size, draws=draws)
    return np.array([everywhere[found.among == each][0] for each in arms])


def _leaves_nothing_to_chance(agent: Agent) -> bool:
    return isinstance(agent.select, Choosing) and not agent.select.samples


def _digest(version: CatalogueVersion, arms: Indices) -> str:
    ids: Sequence[Any] = ids_at(version.catalog.arm_ids, arms)
    return digest([str(each) for each in ids])
