"""Whether a prior can be relied on."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.estimators import Ridge
from conlinucb.agent.priors import answers_of, checked_answers
from conlinucb.agent.schedule import Linear
from conlinucb.catalog.catalog import Catalog
from conlinucb.checks.common import CLOSE, require, require_same_run
from conlinucb.errors import ConlinucbError
from conlinucb.people import LinearUsers


def check_prior(prior: Any, catalog: Catalog) -> None:
    """Check a prior on a catalogue it is made for.

    Its noise is a positive number; ``start`` gives a symmetric positive definite precision and a
    moment, the same every time, and refuses another d or answers it as well; ``digest`` can be
    stored and is the same every time; ``answers``, where there are any, can be computed with. An
    agent starts at it, goes on after save and load, takes people over from another prior and gives
    them back, and does the same in the compiled loop as by hand.

    >>> from conlinucb.agent.priors import Isotropic
    >>> check_prior(Isotropic(0.5), Catalog([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]))
    """
    try:
        _check_noise(prior)
        _check_start(prior, catalog.d)
        _check_digest(prior)
        _check_answers(prior, catalog)
        agent = _agent(catalog, prior=prior)
        _check_agent(agent, prior)
        _check_exchange(agent, _agent(catalog, beta=0.7))
        size = min(12, catalog.live_arms.size)
        tastes = np.random.default_rng(2).normal(size=(2, catalog.d))
        people = LinearUsers(tastes, pool_size=size)
        require_same_run(str(prior), {"ridge": agent}, people, 20)
    except ConlinucbError as error:
        raise AssertionError(f"{prior}: {error}") from error


def _agent(catalog: Catalog, **options: Any) -> Agent:
    return Agent(catalog, Ridge(alpha=1.0, **options), strategy="max-radius", schedule=Linear(1))


def _check_noise(prior: Any) -> None:
    noise = getattr(prior, "noise", None)
    good = isinstance(noise, (int, float)) and np.isfinite(noise) and noise > 0
    require(good, f"{prior}: noise must be a positive number, got {noise!r}.")


def _check_start(prior: Any, d: int) -> None:
    M, moment = prior.start(d)
    shapes = np.shape(M), np.shape(moment)
    require(
        shapes == ((d, d), (d,)),
        f"{prior}: start({d}) must give a precision ({d}, {d}) and a moment ({d},), got {shapes}.",
    )
    finite = np.isfinite(M).all() and np.isfinite(moment).all()
    require(finite, f"{prior}: start({d}) holds a number that is not finite.")
    require(np.allclose(M, M.T, **CLOSE), f"{prior}: the precision is not symmetric.")
    least = float(np.linalg.eigvalsh(M)[0])
    require(least > 0, f"{prior}: the precision is not positive definite, but has {least:.3g}.")
    kept = np.copy(M), np.copy(moment)
    M[...], moment[...] = -1.0, -1.0
    same = all(map(np.array_equal, kept, prior.start(d)))
    require(same, f"{prior}: start({d}) is not the same every time, or can be written to.")
    try:
        other = prior.start(d + 1)
    except ConlinucbError:
        return
    fits = np.shape(other[0]) == (d + 1, d + 1)
    require(fits, f"{prior}: start({d + 1}) must be refused or be of {d + 1} features.")


def _check_digest(prior: Any) -> None:
    found = prior.digest()
    try:
        stored = json.loads(json.dumps(found))
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{prior}: digest() cannot be stored as JSON: {error}") from None
    same = stored == found == prior.digest()
    require(same, f"{prior}: digest() is not the same every time, or after it was stored.")


def _check_answers(prior: Any, catalog: Catalog) -> None:
    found = checked_answers(answers_of(prior, catalog), len(catalog.term_ids))
    again = answers_of(prior, catalog)
    same = all(map(np.array_equal, found, again))
    require(same, f"{prior}: answers(catalog) are not the same every time.")


def _check_agent(agent: Agent, prior: Any) -> None:
    M, moment = prior.start(agent.catalog.d)
    user = agent.new_user()
    starts = np.allclose(user.theta, np.linalg.solve(M, moment), **CLOSE)
    require(starts, f"{prior}: a newcomer does not start at its mean.")
    twin = agent.load_user(user.to_arrays())
    for each in (user, twin):
        agent.volunteer(each, int(agent.catalog.live_terms[0]), 1.0)
    require(np.array_equal(user.theta, twin.theta), f"{prior}: save and load lose something.")


def _check_exchange(agent: Agent, other: Agent) -> None:
    user = agent.new_user()
    for arm in agent.catalog.live_arms[:5].tolist():
        agent.learn(user, arm, 1.0)
    back = agent.take_over(other.take_over(user, agent), other)
    same = np.allclose(user.theta, back.theta, rtol=1e-6, atol=1e-6)
    require(same, f"{agent.estimator}: another prior and back is not where one was.")
