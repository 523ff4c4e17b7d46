"""Playing one unit: in the compiled loop, or by hand where a part has no kernel."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from conlinucb.agent import schedule as schedules
from conlinucb.agent.agent import Agent
from conlinucb.agent.estimators import Ridge, TwoStep
from conlinucb.agent.strategies.random import any_offered
from conlinucb.errors import ConlinucbError, StrategyError
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.loop.inputs import METRICS, Algorithm, Chance, Output, World


class Played(NamedTuple):
    """Results of a unit's n users."""

    metrics: Floats
    """(n, L, 6), by METRICS."""
    arms: Indices
    """(n, T) recommended arms, or (n, 0)."""
    asked: Indices
    """(n, questions) what was asked about, or (n, 0)."""


def play_unit(job: Job, unit: Unit) -> Played:
    """Play every user of the unit; the same numbers whichever loop does it."""
    agent = job.agents[unit.agent]
    users = unit.last - unit.first
    asked = schedules.asked_by(agent.schedule, job.rounds) if agent.asks_at_all else 0
    played = Played(
        np.zeros((users, job.logged.size, len(METRICS))),
        np.empty((users, job.rounds if job.trace else 0), dtype=np.int64),
        np.empty((users, asked if job.trace else 0), dtype=np.int64),
    )
    loop = _play_compiled if has_kernels(agent) else _play_by_hand
    loop(job, unit, played)
    return played


def has_kernels(agent: Agent) -> bool:
    """Whether the compiled loop can run the agent."""
    compiled = agent.chooser is None or agent.chooser.kernel is not None
    return isinstance(agent.estimator, (Ridge, TwoStep)) and compiled


def _play_compiled(job: Job, unit: Unit, played: Played) -> None:
    from conlinucb.simulation.loop.play import play  # compiled, or loaded, when first needed

    agent = job.agents[unit.agent]
    if unit.agent not in job.prepared:
        job.prepared[unit.agent] = _world(job), _chance(job), _algorithm(job, agent)
    world, chance, algorithm = job.prepared[unit.agent]
    chosen: Any = any_offered if agent.chooser is None else agent.chooser.kernel
    kernel = getattr(chosen, "compiled", chosen)
    progress = np.zeros(2, dtype=np.int64)
    for i, user in enumerate(range(unit.first, unit.last)):
        seed = np.uint64(job.people.user_seed(job.seed, unit.repeat, user))
        output = Output(job.logged, played.metrics[i], played.arms[i], played.asked[i])
        theta = job.people.thetas[user]
        try:
            wrong = play(world, chance, algorithm, kernel, theta, seed, output, progress)
        except Exception as error:
            raise StrategyError(_where(unit, agent, progress, f"failed: {error!r}")) from error
        if wrong:
            what = f"chose term {progress[1]}, which was not offered."
            raise StrategyError(_where(unit, agent, progress, what))


def _where(unit: Unit, agent: Agent, progress: Indices, what: str) -> str:
    name = agent.chooser.name if agent.chooser else "none"
    return f"Strategy {name!r} of agent {unit.agent!r}, round {progress[0]}: {what}"


def _world(job: Job) -> World:
    catalog = job.catalog
    return World(
        catalog._arms,
        catalog._short_arms,
        catalog._terms,
        catalog._live_arms,
        catalog._live_terms,
        *catalog._graph,
        catalog._arm_norms,
    )


def _chance(job: Job) -> Chance:
    people = job.people
    return Chance(
        people.noise,
        people.term_noise,
        people.pool_size,
        people.offered_size or 0,
        int(people.shared_noise),
    )


def _algorithm(job: Job, agent: Agent) -> Algorithm:
    rounds = np.arange(1, job.rounds + 1)
    asked = np.array([schedules.asked_by(agent.schedule, t) for t in range(job.rounds + 1)])
    questions = np.diff(asked) if agent.asks_at_all else np.zeros_like(rounds)
    widths = agent.estimator.widths(rounds, asked[1:], job.catalog.d)
    chooser, estimator = agent.chooser, agent.estimator
    assert isinstance(estimator, (Ridge, TwoStep))
    return Algorithm(
        two_step=int(isinstance(estimator, TwoStep)),
        asks_arms=int(agent.asks == "arm"),
        needs_pool=int(chooser is not None and chooser.needs_pool),
        lazy=int(job.lazy),
        timed=int(job.timed),
        mix=estimator.mix if isinstance(estimator, TwoStep) else 1.0,
        strength=1 - estimator.mix if isinstance(estimator, TwoStep) else estimator.beta,
        term_strength=estimator.term_beta if isinstance(estimator, TwoStep) else 1.0,
        questions=questions,
        arm_widths=np.ascontiguousarray(widths.arm),
        term_widths=np.ascontiguousarray(widths.term),
        alphas=np.ascontiguousarray(widths.alpha),
        constants=np.empty(0) if chooser is None else chooser.constants,
    )


def _play_by_hand(job: Job, unit: Unit, played: Played) -> None:
    for i, user in enumerate(range(unit.first, unit.last)):
        try:
            _ByHand(job, unit, user).play(Played(*(each[i] for each in played)))
        except ConlinucbError as error:
            raise type(error)(f"Agent {unit.agent!r}: {error}") from error


class _ByHand:
    """One user's rounds through ask, hear, recommend and learn."""

    def __init__(self, job: Job, unit: Unit, user: int) -> None:
        self.job, self.where = job, (job.seed, unit.repeat, user)
        self.agent = job.agents[unit.agent]
        self.user = self.agent.new_user(job.people.user_seed(*self.where))
        self.theta = job.people.thetas[user]
        self.asked: list[int] = []
        self.regret = 0.0
        self.seconds = [0.0, 0.0]
        """Choosing arms, and choosing questions."""

    def play(self, out: Played) -> None:
        rows = {int(t): row for row, t in enumerate(self.job.logged)}
        for t in range(1, self.job.rounds + 1):
            arm = self._round(t)
            if out.arms.size:
                out.arms[t - 1] = arm
            if t in rows:
                error = np.linalg.norm(self.user.theta - self.theta)
                repeated = len(self.asked) - len(set(self.asked))
                times = self.seconds if self.job.timed else (0.0, 0.0)
                out.metrics[rows[t]] = self.regret, error, len(self.asked), repeated, *times
        if out.asked.size:
            out.asked[:] = self.asked

    def _round(self, t: int) -> int:
        due = self.agent.questions_due(self.user)
        draw = self.job.people.draw(*self.where, t, questions=due, catalog=self.job.catalog)
        for number in range(due):
            start = time.perf_counter()
            question = self.agent.ask(self.user, draw.pool, draw.offered)
            self.seconds[1] += time.perf_counter() - start
            assert question is not None
            term = question.kind == "term"
            features = self.job.catalog._terms if term else self.job.catalog._arms
            noise = draw.term_noise if term else draw.arm_noise
            answer = float(features[question.index] @ self.theta) + noise[number]
            self.agent.hear(self.user, question, answer)
            self.asked.append(question.index)
        start = time.perf_counter()
        arm = int(self.agent.recommend(self.user, draw.pool).arms[0])
        self.seconds[0] += time.perf_counter() - start
        expected = self.job.catalog._arms[draw.pool] @ self.theta
        reward = float(self.job.catalog._arms[arm] @ self.theta)
        self.agent.learn(self.user, arm, reward + draw.noise)
        self.regret += float(expected.max()) - reward
        return arm
