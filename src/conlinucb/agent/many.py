"""Recommendations for many people in one call: the decisions of one by one.

What can be shared is shared: a pool that several have is checked once, and newcomers with the same
pool are looked up once. The rest is a person's own: exact radii are nearly all of the time, and
they go by one person's matrix. All means as one matrix product, and radii of those arms only that
a bound leaves, was tried: it gains for those of whom much is known what it loses for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from conlinucb.agent.advice import Advice
from conlinucb.agent.among import pool_of
from conlinucb.agent.rewards import advised
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices, whole

if TYPE_CHECKING:
    from conlinucb.agent.agent import Agent


def recommend_many(
    agent: Agent, users: Sequence[User], pools: Sequence[ArrayLike | None] | None, k: int
) -> list[Advice]:
    """One advice for each user; nobody's round is closed unless everybody's can be."""
    people = list(users)
    for user in people:
        agent._check(user)
    if len({id(user) for user in people}) < len(people):
        raise InvalidInput("users must be different people; one of them is there twice.")
    most, known = whole("k", k, low=1), {}
    advices, everyones = [], _pools_of(agent.catalog, pools, len(people))
    for user, arms in zip(people, everyones, strict=True):
        if not agent._newcomers.is_newcomer(user):
            advices.append(agent._ranking(user).best(arms, most))
            continue
        alike = user.rounds, id(arms)
        if alike not in known:
            known[alike] = agent._ranking(user).best(arms, most)
        advices.append(known[alike].copy())
    told = zip(people, everyones, advices, strict=True)
    advices = [advised(agent, user, arms, advice) for user, arms, advice in told]
    for user in people:
        user.close_round()
    return advices


def _pools_of(
    catalog: Catalog, pools: Sequence[ArrayLike | None] | None, people: int
) -> list[Indices]:
    """Everybody's pool, checked; one object is checked once."""
    if pools is None:
        return [pool_of(catalog, None)] * people
    given = list(pools)
    if len(given) != people:
        raise InvalidInput(
            f"pools must hold one pool for each of the {people} users, got {len(given)}; for one "
            f"pool that all share say [pool] * {people}."
        )
    checked: dict[int, Indices] = {}
    for pool in given:
        if id(pool) not in checked:
            checked[id(pool)] = pool_of(catalog, pool)
    return [checked[id(pool)] for pool in given]
