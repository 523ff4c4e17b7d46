"""A state moved to another population without reading the log again, where that is exact.

A person's state under a population is the fold of their whole log under it. A belief is its prior
and the sums of what was learned, so another prior can take the place of the one before; but an
answer entered those sums as the population of that time understood it. So a state is moved only
where both understand all answers of this person alike, and folded anew otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from conlinucb.agent.priors import Answers, answers_of
from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.fold import Conversation


def moved(state: Conversation, version: CatalogueVersion) -> Conversation | None:
    """The state that the same log comes to under another population; None where it must be read."""
    before = state.version
    same = (before.id, before.base, before.settings.asking_agent) == (
        version.id,
        version.base,
        version.settings.asking_agent,
    )
    later = before.number <= version.number  # else it may hold what this version does not have
    if not (same and later) or state.missed or not _understand_alike(state, version):
        return None
    try:
        user = version.agent.take_over(state.user, before.agent)
    except InvalidInput:  # not an estimator whose prior can be exchanged
        return None
    return replace(state, version=version, user=user, moved=True)


def settled(state: Conversation) -> Conversation:
    """The same state with everything entered into its sums, as a moved one is."""
    agent = state.version.agent
    return replace(state, user=agent.take_over(state.user, agent), moved=False)


def _understand_alike(state: Conversation, version: CatalogueVersion) -> bool:
    answered = [index for kind, index in state.answered_at if kind == "term"]
    if not answered:
        return True
    one, other = _answers(state.version), _answers(version)
    before, now = (each.agent.spreading.expected for each in (state.version, version))
    return np.array_equal(before, now) and all(  # what spreads goes by what is expected
        np.array_equal(getattr(one, name)[answered], getattr(other, name)[answered])
        for name in ("offset", "slope", "weight")
    )


def _answers(version: CatalogueVersion) -> Answers:
    prior: Any = getattr(version.agent.estimator, "start", None)
    return answers_of(prior, version.catalog)
