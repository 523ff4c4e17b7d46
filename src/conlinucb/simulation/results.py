"""What a run found: regrets and other measures, by agent, repeat, user and logged round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import Floats, Indices, whole
from conlinucb.shown import rounded
from conlinucb.simulation import results_file
from conlinucb.simulation.comparison import (
    Comparison,
    Comparisons,
    chosen_pairs,
    compared,
    corrected,
)
from conlinucb.simulation.frames import frame_of
from conlinucb.simulation.intervals import half_width, simultaneous
from conlinucb.simulation.job import HIT
from conlinucb.simulation.joined import refuse_same_names, refuse_unequal, together
from conlinucb.simulation.loop.inputs import METRICS
from conlinucb.simulation.measures import (
    KEPT,
    MORE,
    AgentLog,
    OwnMetric,
    all_metrics,
    checked_name,
    not_traced,
    own_metric,
    succeeded,
)
from conlinucb.simulation.summary import BESIDE, Line, Summary


class Curve(NamedTuple):
    """Mean over users and its confidence interval at each logged round, (L,) each."""

    rounds: Indices
    mean: Floats
    low: Floats
    high: Floats


class Results:
    """Results of ``simulate``: arrays (repeats, users, logged rounds) for each agent and metric.

    The metrics are cumulative: regret, questions, repeated questions, answered ones, reward, hits,
    arm_seconds and term_seconds (0 unless timed); error is ||theta - theta*||. ``with_metric``
    adds metrics of your own. More is better of reward, hits and answered, less of all others.
    """

    def __init__(
        self,
        metrics: dict[str, Floats],
        rounds: Indices,
        spec: dict[str, Any],
        versions: dict[str, str],
    ) -> None:
        self._metrics = metrics
        self.rounds = rounds
        self.spec = spec
        self.versions = versions
        self._own: dict[str, OwnMetric] = {}
        self._traces: dict[str, dict[str, Indices]] = {}

    @classmethod
    def empty(
        cls,
        agents: Sequence[str],
        repeats: int,
        users: int,
        rounds: Indices,
        spec: dict[str, Any],
        versions: dict[str, str],
    ) -> Results:
        """Room for a run's results."""
        shape = (repeats, users, rounds.size, len(METRICS))
        return cls({name: np.full(shape, np.nan) for name in agents}, rounds, spec, versions)

    def put(self, unit: tuple[str, int, int, int], played: Mapping[str, NDArray[Any]]) -> None:
        """Enter one unit: agent, repeat, first and last user, and their arrays."""
        agent, repeat, first, last = unit
        self._metrics[agent][repeat, first:last] = played["metrics"]
        for kind in KEPT if self.spec["trace"] else ():
            kept = self._traces.setdefault(agent, {})
            if kind not in kept:
                kept[kind] = np.full((*self.shape, played[kind].shape[1]), -1, dtype=np.int64)
            kept[kind][repeat, first:last] = played[kind]

    @property
    def agents(self) -> list[str]:
        """Names of the agents."""
        return list(self._metrics)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, those of your own last."""
        return [*METRICS, *self._own]

    @property
    def shape(self) -> tuple[int, int]:
        """Repeats and users."""
        repeats, users = next(iter(self._metrics.values())).shape[:2]
        return repeats, users

    def metric(self, agent: str, name: str = "regret") -> Floats:
        """One metric, (repeats, users, logged rounds)."""
        values = self._of(agent)
        self._known(name)
        return self._own[name].values[agent] if name in self._own else all_metrics(values)[name]

    def final_regret(self, agent: str) -> Floats:
        """Regret at the last round, (repeats, users)."""
        return self.metric(agent)[..., -1]

    def trace(self, agent: str, repeat: int, user: int) -> tuple[Indices, Indices]:
        """One user's recommended arms and questions (terms or arms), in order; needs trace=True.

        Where fewer were asked than the schedule allows, the questions end with -1.
        """
        self._of(agent)
        if not self.spec["trace"]:
            raise not_traced()
        repeats, users = self.shape
        if whole("repeat", repeat) >= repeats or whole("user", user) >= users:
            raise InvalidInput(
                f"There are repeats 0 to {repeats - 1} and users 0 to {users - 1}, "
                f"got repeat {repeat!r}, user {user!r}."
            )
        arms, asked = (self._traces[agent][kind][repeat, user] for kind in KEPT)
        return arms, asked

    def with_metric(
        self, name: str, function: Callable[[AgentLog], Any], *, better: str = "less"
    ) -> Results:
        """The same results with a further metric, which is saved, loaded and joined with them.

        ``function`` gets an agent's log: ``log["regret"]`` and any other metric are arrays
        (repeats, users, logged rounds), ``log.rounds`` the logged rounds, ``log.arms`` and
        ``log.asked`` the traces. It returns such an array. ``better`` is "less" or "more".

        >>> import numpy as np, conlinucb as cl
        >>> catalog = cl.Catalog(np.eye(3), np.ones((3, 1)))
        >>> people = cl.LinearUsers(np.eye(3), pool_size=2)
        >>> results = cl.simulate({"it": cl.linucb(catalog)}, people, rounds=9)
        >>> results = results.with_metric("mean_regret", lambda log: log["regret"] / log.rounds)
        >>> results.metric("it", "mean_regret").shape
        (1, 3, 9)
        """
        checked_name(name, self.metrics)
        changed = self._copy()
        changed._own[name] = own_metric(name, function, better, map(self._log, self.agents))
        return changed

    def success_within(self, turns: int) -> Results:
        """With a metric "success_within_N": 1 from someone's first hit on, if within N turns.

        A turn is a question or a recommendation; a hit is a reward of at least ``simulate``'s
        ``hit``. Every round up to N must be logged.

        >>> import numpy as np, conlinucb as cl
        >>> catalog = cl.Catalog(np.eye(3), np.ones((3, 1)))
        >>> people = cl.LinearUsers(np.eye(3), noise=0.0, pool_size=3)
        >>> results = cl.simulate({"it": cl.conts(catalog)}, people, rounds=15).success_within(15)
        >>> float(results.metric("it", "success_within_15")[..., -1].mean())
        1.0
        """
        most = whole("turns", turns, low=1)
        name = f"success_within_{most}"
        return self.with_metric(name, lambda log: succeeded(log, most), better="more")

    def join(self, *others: Results) -> Results:
        """These agents and those of other runs on the same people under the same chance.

        Names of agents must differ, and everything else must be equal: people, catalogue, seed,
        rounds, logged rounds, repeats, and metrics of your own.
        """
        joined = self._copy()
        for other in others:
            if not isinstance(other, Results):
                raise InvalidInput(f"join takes Results, got {other!r}.")
            refuse_unequal(joined._described(), other._described())
            refuse_same_names(joined.agents, other.agents)
            joined._metrics |= other._metrics
            joined._traces |= other._traces
            joined.spec = together(joined.spec, other.spec)
            joined.versions = together(joined.versions, other.versions)
            for name, own in other._own.items():
                both = {**joined._own[name].values, **own.values}
                joined._own[name] = replace(own, values=both)
        return joined

    def curve(
        self,
        agent: str,
        metric: str = "regret",
        level: float = 0.95,
        *,
        against: str | None = None,
    ) -> Curve:
        """Mean over users with a confidence interval for each logged round.

        With ``against`` it is that of each user's difference from this other agent.
        """
        per_user = self.metric(agent, metric).mean(axis=0)
        if against is not None:
            per_user = per_user - self.metric(against, metric).mean(axis=0)
        mean = per_user.mean(axis=0)
        half = half_width(per_user, level)
        return Curve(self.rounds, mean, mean - half, mean + half)

    def compare(
        self,
        a: str,
        b: str,
        level: float = 0.95,
        *,
        metric: str = "regret",
        round: int | None = None,
    ) -> Comparison:
        """Paired comparison of two agents: per-user differences, interval and p-value.

        By any metric at any logged round (default: the last). Where more than one pair is looked
        at, ``compare_all`` keeps chance from finding differences.
        """
        x, y = (self._per_user(each, metric, round) for each in (a, b))
        more = self._more_is_better(metric)
        at = int(self.rounds[self._row(round)])
        return compared((a, b), x, y, more_is_better=more, level=level, metric=metric, round=at)

    def compare_all(
        self,
        pairs: Iterable[tuple[str, str]] | None = None,
        *,
        against: str | None = None,
        metric: str = "regret",
        round: int | None = None,
        level: float = 0.95,
    ) -> Comparisons:
        """Several pairs at once: the ones given, everyone ``against`` one, or all there are.

        More than one pair gets Holm's p-values, and intervals that hold all together at ``level``.
        """
        chosen = chosen_pairs(self.agents, pairs, against)
        each = simultaneous(level, len(chosen))
        found = [self.compare(a, b, each, metric=metric, round=round) for a, b in chosen]
        return corrected(found, level)

    def summary(
        self, metric: str = "regret", *, round: int | None = None, level: float = 0.95
    ) -> Summary:
        """Each agent's mean over users with its interval, the best first; reward, hits and
        questions beside it."""
        row, sign = self._row(round), -1 if self._more_is_better(metric) else 1
        lines = [self._line(agent, (metric, *BESIDE), row, level) for agent in self.agents]
        lines.sort(key=lambda line: sign * line.means[metric][0])
        repeats, users = self.shape
        return Summary(metric, int(self.rounds[row]), level, users, repeats, tuple(lines))

    def plot(
        self,
        metric: str = "regret",
        agents: Sequence[str] | None = None,
        *,
        against: str | None = None,
        ax: Any = None,
        path: str | Path | None = None,
        level: float = 0.95,
    ) -> Any:
        """Draw a metric over rounds, mean over users with its interval; returns the axes.

        On ``ax``, or a figure of its own, which ``path`` writes to a file (.svg, .png, .pdf).
        ``against`` draws differences from one agent, user by user: where people differ more than
        agents do, they show what the curves hide.
        """
        from conlinucb.simulation.plot import plot

        return plot(self, metric, agents, against, ax=ax, path=path, level=level)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """The table of ``to_frame`` as a dictionary of equally long arrays."""
        tables = [self._table(agent) for agent in self.agents]
        return {name: np.concatenate([each[name] for each in tables]) for name in tables[0]}

    def _table(self, agent: str) -> dict[str, NDArray[Any]]:
        index = np.indices((*self.shape, self.rounds.size)).reshape(3, -1)
        return {
            "agent": np.full(index.shape[1], agent, dtype=object),
            "repeat": index[0],
            "user": index[1],
            "round": self.rounds[index[2]],
            **{name: self.metric(agent, name).ravel() for name in self.metrics},
        }

    def to_frame(self, library: str | None = None) -> Any:
        """One row for each agent, repeat, user and logged round, in pandas or polars.

        ``library`` is "pandas" or "polars"; by default whichever is installed, pandas first.
        """
        return frame_of(self.to_columns(), library)

    def to_arrow(self) -> Any:
        """The same rows as a pyarrow table, with the specification and versions as metadata."""
        return results_file.to_arrow(self)

    def save(self, path: str | Path) -> None:
        """Write the table as parquet, with traces, the specification and versions inside."""
        results_file.write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Results:
        """Read what ``save`` wrote."""
        return results_file.read(cls, path)

    def _copy(self) -> Results:
        same = Results(dict(self._metrics), self.rounds, self.spec, self.versions)
        same._own, same._traces = dict(self._own), dict(self._traces)
        return same

    def _described(self) -> dict[str, Any]:
        """The specification with what it leaves unsaid, and the metrics of one's own."""
        own = {name: each.more_is_better for name, each in self._own.items()}
        return {"hit": HIT, **self.spec, "metrics": own}

    def _log(self, agent: str) -> AgentLog:
        metrics = {name: self.metric(agent, name) for name in self.metrics}
        return AgentLog(agent, self.rounds, metrics, self._traces.get(agent, {}))

    def _line(self, agent: str, metrics: Iterable[str], row: int, level: float) -> Line:
        found = {name: self.metric(agent, name)[..., row].mean(axis=0) for name in metrics}
        halves = {name: float(half_width(each, level)) for name, each in found.items()}
        return Line(agent, {name: (float(e.mean()), halves[name]) for name, e in found.items()})

    def _per_user(self, agent: str, metric: str, round: int | None) -> Floats:
        """Each user's mean over repeats; refused where it is not known of everybody."""
        values: Floats = self.metric(agent, metric)[..., self._row(round)].mean(axis=0)
        unknown = int(np.isnan(values).sum())
        if unknown:
            raise InvalidInput(
                f"{metric!r} of {agent!r} is not known of {unknown} of {values.size} people, so "
                f"it cannot be compared."
            )
        return values

    def _row(self, round: int | None) -> int:
        if round is None:
            return self.rounds.size - 1
        wanted = whole("round", round, low=1)
        row = int(np.abs(self.rounds - wanted).argmin())
        if self.rounds[row] != wanted:
            raise InvalidInput(
                f"Round {wanted} was not logged; the nearest that was is {int(self.rounds[row])}. "
                f"simulate(log=[...]) says which rounds are."
            )
        return row

    def _more_is_better(self, metric: str) -> bool:
        return self._own[metric].more_is_better if metric in self._own else metric in MORE

    def _known(self, metric: str) -> None:
        if metric not in self.metrics:
            raise UnknownName(f"No metric is called {metric!r}.{nearest(metric, self.metrics)}")

    def _of(self, agent: str) -> Floats:
        if agent not in self._metrics:
            raise UnknownName(f"No agent is called {agent!r}.{nearest(agent, self._metrics)}")
        return self._metrics[agent]

    def __repr__(self) -> str:
        row = self.rounds.size - 1
        means = [self._line(name, ["regret"], row, 0.95).means["regret"] for name in self.agents]
        told = ", ".join(f"{n}={rounded(*m)}" for n, m in zip(self.agents, means, strict=True))
        return f"Results(mean regret after {int(self.rounds[-1])} rounds: {told})"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()
