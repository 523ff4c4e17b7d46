"""Whether an estimator can be relied on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.estimators import ANSWER, REWARD, Estimator, State, has_factors
from conlinucb.agent.estimators.state import copied
from conlinucb.agent.schedule import Linear
from conlinucb.catalog.catalog import Catalog
from conlinucb.checks.common import CLOSE, require, require_same_run, small_catalog
from conlinucb.errors import ConlinucbError, InvalidInput
from conlinucb.numerics.linalg import full_matrix
from conlinucb.numerics.validation import Floats
from conlinucb.people import LinearUsers, LoggedPeople, People
from conlinucb.simulation.prepared import can_be_compiled

SLACK = 1e-9


def check_estimator(estimator: Estimator, *, d: int = 5, updates: int = 200) -> None:
    """Check an estimator, and say which of these does not hold.

    ``new_state`` gives a belief. What is learned lasts, in the right direction, whatever its order,
    or up to a standard deviation where ``order_matters``. Feedback outside a ``range`` is refused
    and changes nothing. Radii never grow, unless the learning kernel said so. Scores are finite,
    exploration is within its bound and its factors, and scoring changes nothing. States are
    independent of one another, survive ``to_arrays`` and ``load_user``, and are the same in the
    compiled loop and by hand.
    """
    rng = np.random.default_rng(5)
    rows, values = rng.normal(size=(updates, d)), _values(estimator, rng, updates)
    _check_new_state(estimator, d)
    untouched = estimator.new_state(d)
    fresh = copied(untouched)
    state = _check_learning(estimator, rows, values)
    same = all(map(np.array_equal, untouched, fresh))
    require(same, f"{estimator}: one user's feedback reached another.")
    _check_direction(estimator, rows[0])
    _check_range(estimator, rows[0])
    _check_order(estimator, state, rows, values, [int(i) for i in rng.permutation(updates)])
    for each in (fresh, state):
        _check_exploration(estimator, each, rows)
    _check_saved(estimator, state, d)
    _check_compiled(estimator, rows, values)


def _values(estimator: Estimator, rng: np.random.Generator, size: Any) -> Floats:
    """Feedback as the estimator takes it."""
    if estimator.range is None:
        return np.asarray(rng.normal(size=size))
    low, high = estimator.range
    return np.asarray(low + (high - low) * rng.random(size))


def _check_new_state(estimator: Estimator, d: int) -> None:
    try:
        state = estimator.new_state(d)
    except ConlinucbError as error:
        raise AssertionError(f"{estimator}: new_state fails: {error}") from error
    require(isinstance(state, State), f"{estimator}: new_state must return a State, got {state!r}.")
    shapes = state.matrices.shape[1:], state.vectors.shape[1:]
    require(
        shapes == ((d, d), (d,)) and len(state.matrices) and len(state.vectors),
        f"{estimator}: new_state must hold matrices (m, {d}, {d}) and vectors (v, {d}), got "
        f"{state.matrices.shape} and {state.vectors.shape}.",
    )
    types = [each.dtype for each in state]
    wanted = [np.float64, np.float64, np.float64, np.int64]
    require(
        types == wanted and all(each.flags.c_contiguous for each in state),
        f"{estimator}: new_state must hold contiguous float64 and int64 arrays, got {types}.",
    )
    finite = all(np.isfinite(each).all() for each in state)
    require(finite, f"{estimator}: new_state holds a number that is not finite.")
    least = float(np.linalg.eigvalsh(full_matrix(state.P))[0])
    require(least > 0, f"{estimator}: new_state: matrices[0] is not positive definite.")


def _check_learning(estimator: Estimator, rows: Floats, values: Floats) -> State:
    """Teach a state one by one, looking at it after each."""
    state, seen = estimator.new_state(rows.shape[1]), None
    for i, (x, value) in enumerate(zip(rows, values, strict=True)):
        before = copied(state)
        grown = _teach(estimator, state, i, x, float(value))
        moved = not all(map(np.array_equal, before, state))
        require(moved, f"{estimator}: learning is not lasting: nothing changed at update {i}.")
        radii = _look(estimator, state, rows, i)
        if seen is not None and not grown:
            require((radii <= seen + SLACK).all(), f"{estimator}: a radius grew at update {i}.")
        seen = radii
    return state


def _look(estimator: Estimator, state: State, rows: Floats, i: int) -> Floats:
    """Everything that looks at a state; the radii of the rows."""
    kept, d = copied(state), rows.shape[1]
    width = estimator.width(1, 0, d)
    found = estimator.score_arms(state, rows, 1, 0)
    numbers = (
        *found,
        *estimator.explore(state, rows, width),
        estimator.sample(state, width, np.uint64(i)),
        *estimator.term_belief(state, 1, 0)[:2],
        estimator.reach(state, rows),
    )
    finite = all(np.isfinite(each).all() for each in numbers)
    require(finite, f"{estimator} gives a score that is not finite.")
    same = all(map(np.array_equal, kept, state))
    require(same, f"{estimator}: scoring changes the state.")
    return found.radii


def _teach(estimator: Estimator, state: State, i: int, x: Floats, value: float) -> int:
    """Every third piece of feedback is an answer; whether radii may have grown."""
    if _learns_by_kernel(estimator):
        assert estimator.kernels is not None
        source = ANSWER if i % 3 == 0 else REWARD
        numbers, scratch = estimator.constants(), np.empty_like(x)
        return int(estimator.kernels.learn(state, numbers, source, x, value, 1.0, scratch))
    _teacher(estimator, i)(state, x, value)
    return 0


def _learns_by_kernel(estimator: Estimator) -> bool:
    own = (type(estimator).learn_arm, type(estimator).learn_term)
    by_kernel = own == (Estimator.learn_arm, Estimator.learn_term)
    return by_kernel and estimator.kernels is not None


def _teacher(estimator: Estimator, i: int) -> Callable[..., None]:
    return estimator.learn_term if i % 3 == 0 else estimator.learn_arm


def _check_direction(estimator: Estimator, x: Floats) -> None:
    """The more someone likes an arm, the more they are believed to."""
    ends = estimator.range or (0.0, 1.0)
    for source, learn in (("rewards", estimator.learn_arm), ("answers", estimator.learn_term)):
        means = []
        for value in ends:
            state = estimator.new_state(x.size)
            for _ in range(5):
                learn(state, x, value)
            means.append(float(x @ state.theta))
        require(
            means[0] < means[1],
            f"{estimator}: learning is not lasting: after {source} of {ends[1]:g} an arm's mean is "
            f"{means[1]}, after those of {ends[0]:g} it is {means[0]}.",
        )


def _check_range(estimator: Estimator, x: Floats) -> None:
    """What is outside the range, if there is one, is refused."""
    if estimator.range is None:
        return
    low, high = estimator.range
    state = estimator.new_state(x.size)
    kept = copied(state)
    for learn in (estimator.learn_arm, estimator.learn_term):
        for value in (low - 0.01 * (high - low), high + 0.01 * (high - low)):
            refused = False
            try:
                learn(state, x, value)
            except InvalidInput:
                refused = True
            untouched = all(map(np.array_equal, kept, state))
            require(refused and untouched, f"{estimator}: {value} outside its range is learned.")


def _check_order(
    estimator: Estimator, state: State, rows: Floats, values: Floats, order: list[int]
) -> None:
    other = estimator.new_state(rows.shape[1])
    for i in order:
        _teach(estimator, other, i, rows[i], float(values[i]))
    if not estimator.order_matters:
        same = np.allclose(state.theta, other.theta, **CLOSE)
        require(same, f"{estimator}: theta depends on the order of feedback.")
        return
    gaps = np.abs(rows @ (state.theta - other.theta))
    radii = estimator.score_arms(state, rows, 1, 0).radii
    near = (gaps <= np.sqrt(estimator.noise) * radii).all()
    require(near, f"{estimator}: the order of feedback moves a mean by more than its deviation.")


def _check_exploration(estimator: Estimator, state: State, rows: Floats) -> None:
    """What the loop and short lists leave out rests on these."""
    widths = estimator.widths(np.array([1, 7]), np.array([0, 2]), rows.shape[1])
    for t, questions, width, bound in zip((1, 7), (0, 2), widths.values, widths.bound, strict=True):
        radii, extras = estimator.explore(state, rows, np.ascontiguousarray(width))
        within = (extras <= bound * radii * (1 + SLACK) + SLACK).all()
        require(within, f"{estimator}: exploration is larger than widths().bound times the radius.")
        if has_factors(estimator):
            factors = estimator.factors(state, t, questions)
            sums = sum(
                each.width * np.linalg.norm(rows @ each.matrix.T, axis=1) for each in factors
            )
            same = np.allclose(sums, extras, **CLOSE)
            require(same, f"{estimator}: factors are not those of the exploration.")


def _check_saved(estimator: Estimator, state: State, d: int) -> None:
    agent = Agent(small_catalog(d=d), estimator, strategy="max-radius", schedule=Linear(1))
    user = agent.new_user()
    for mine, learned in zip(user.state, state, strict=True):
        mine[...] = learned
    try:
        twin = agent.load_user(user.to_arrays())
    except ConlinucbError as error:
        raise AssertionError(f"{estimator}: save and load fail: {error}") from error
    most = 1.0 if estimator.range is None else estimator.range[1]
    for one in (user, twin):
        agent.learn(one, 0, most)
    lost = not all(map(np.array_equal, user.state, twin.state))
    require(not lost, f"{estimator}: save and load lose something.")


def _check_compiled(estimator: Estimator, rows: Floats, values: Floats) -> None:
    d: int = rows.shape[1]
    agent = Agent(small_catalog(d=d), estimator, strategy="ucb", schedule=Linear(1))
    if not can_be_compiled(agent):
        return
    _check_kernel(estimator, rows, values)
    agents: dict[str, Agent] = {"ucb": agent}
    options: dict[str, Any] = {"strategy": "optimal-greedy", "schedule": Linear(1)}
    agents["thompson"] = Agent(agent.catalog, estimator, select="thompson", **options)
    require_same_run(str(estimator), agents, _people(estimator, agent.catalog), 40)


def _people(estimator: Estimator, catalog: Catalog) -> People:
    """Two whose feedback the estimator takes."""
    rng = np.random.default_rng(2)
    if estimator.range is None:
        return LinearUsers(rng.normal(size=(2, catalog.d)), pool_size=12)
    rewards, answers = (
        _values(estimator, rng, (2, size)) for size in (len(catalog), len(catalog.term_ids))
    )
    return LoggedPeople(rewards, answers, pool_size=12)


def _check_kernel(estimator: Estimator, rows: Floats, values: Floats) -> None:
    """learn_arm and learn_term, which may be overridden, beside the kernel."""
    assert estimator.kernels is not None
    hand, loop = (estimator.new_state(rows.shape[1]) for _ in range(2))
    numbers, scratch = estimator.constants(), np.empty(rows.shape[1])
    for i, (x, value) in enumerate(zip(rows, values, strict=True)):
        source, weight = ANSWER if i % 3 == 0 else REWARD, 0.5 + i % 2
        _teacher(estimator, i)(hand, x, float(value), weight)
        estimator.kernels.learn(loop, numbers, source, x, float(value), weight, scratch)
    same = all(np.allclose(one, other, **CLOSE) for one, other in zip(hand, loop, strict=True))
    require(same, f"{estimator}: the compiled learn is not the same as learning by hand.")
