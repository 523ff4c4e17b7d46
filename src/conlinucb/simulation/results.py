"""What a run found: regrets and other measures, by agent, repeat, user and logged round."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conlinucb import atomic
from conlinucb.errors import IncompatibleState, InvalidInput, MissingExtra, UnknownName, nearest
from conlinucb.numerics.validation import Floats, Indices, number
from conlinucb.simulation.loop.inputs import METRICS

FORMAT = 1
"""Version of the file that ``save`` writes."""


class Curve(NamedTuple):
    """Mean over users and its confidence interval at each logged round, (L,) each."""

    rounds: Indices
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Comparison:
    """Agent ``a`` against agent ``b`` on the same users, by regret at the last round.

    Intervals are over users, each user's repeats averaged first, with Student's t.
    """

    a: str
    b: str
    difference: float
    """Mean of regret(a) - regret(b); negative where a is better."""
    low: float
    high: float
    p_value: float
    """Of a paired two-sided t-test that the difference is 0."""
    improvement: float
    """1 - regret(a) / regret(b)."""
    improvement_low: float
    improvement_high: float


class Results:
    """Results of ``simulate``: arrays (repeats, users, logged rounds) for each agent and metric.

    The metrics are cumulative: regret, questions and repeated questions, arm_seconds and
    term_seconds (0 unless timed); error is ||theta - theta*||.
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
        self._traces: dict[str, dict[str, dict[tuple[int, int], NDArray[Any]]]] = {}

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
        for kind in ("arms", "asked"):
            if self.spec["trace"]:
                rows = self._traces.setdefault(agent, {}).setdefault(kind, {})
                rows.update({(repeat, first + i): row for i, row in enumerate(played[kind])})

    @property
    def agents(self) -> list[str]:
        """Names of the agents."""
        return list(self._metrics)

    def metric(self, agent: str, name: str = "regret") -> Floats:
        """One metric, (repeats, users, logged rounds)."""
        if name not in METRICS:
            raise UnknownName(f"No metric is called {name!r}.{nearest(name, METRICS)}")
        return self._of(agent)[..., METRICS.index(name)]

    def final_regret(self, agent: str) -> Floats:
        """Regret at the last round, (repeats, users)."""
        return self.metric(agent)[..., -1]

    def trace(self, agent: str, repeat: int, user: int) -> tuple[Indices, Indices]:
        """One user's recommended arms and questions (terms or arms), in order; needs trace=True."""
        self._of(agent)
        if not self.spec["trace"]:
            raise InvalidInput("Arms and questions were not kept; run simulate with trace=True.")
        kept = self._traces[agent]
        if (repeat, user) not in kept["arms"]:
            repeats, users = self.final_regret(agent).shape
            raise InvalidInput(
                f"There are repeats 0 to {repeats - 1} and users 0 to {users - 1}, "
                f"got repeat {repeat!r}, user {user!r}."
            )
        return kept["arms"][repeat, user], kept["asked"][repeat, user]

    def curve(self, agent: str, name: str = "regret", level: float = 0.95) -> Curve:
        """Mean over users with a confidence interval for each logged round."""
        per_user = self.metric(agent, name).mean(axis=0)
        mean = per_user.mean(axis=0)
        half = _half_width(per_user, level)
        return Curve(self.rounds, mean, mean - half, mean + half)

    def compare(self, a: str, b: str, level: float = 0.95) -> Comparison:
        """Paired comparison of two agents: per-user differences, interval and p-value."""
        from scipy import stats  # half a second to import, and not needed to simulate

        x, y = (self.final_regret(each).mean(axis=0) for each in (a, b))
        mean = float((x - y).mean())
        half = float(_half_width(x - y, level))
        p_value = float(stats.ttest_rel(x, y).pvalue) if x.size > 1 and (x != y).any() else 1.0
        ratio = float(x.mean() / y.mean()) if y.mean() else float("nan")
        # The ratio's error by linearisation: that of (x - ratio y) / mean(y).
        ratio_half = float(_half_width((x - ratio * y) / y.mean(), level)) if y.mean() else half
        gain = 1 - ratio
        return Comparison(
            a,
            b,
            mean,
            mean - half,
            mean + half,
            p_value,
            gain,
            gain - ratio_half,
            gain + ratio_half,
        )

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """The table of ``to_frame`` as a dictionary of equally long arrays."""
        tables = [self._table(agent) for agent in self.agents]
        return {name: np.concatenate([each[name] for each in tables]) for name in tables[0]}

    def _table(self, agent: str) -> dict[str, NDArray[Any]]:
        values = self._of(agent)
        repeats, users, logged, _ = values.shape
        index = np.indices((repeats, users, logged)).reshape(3, -1)
        return {
            "agent": np.full(index.shape[1], agent, dtype=object),
            "repeat": index[0],
            "user": index[1],
            "round": self.rounds[index[2]],
            **{name: values[..., i].ravel() for i, name in enumerate(METRICS)},
        }

    def to_frame(self, library: str | None = None) -> Any:
        """One row for each agent, repeat, user and logged round, in pandas or polars.

        ``library`` is "pandas" or "polars"; by default whichever is installed, pandas first.
        """
        names = ("pandas", "polars") if library is None else (library,)
        for name in names:
            if name not in ("pandas", "polars"):
                raise UnknownName(f"library must be 'pandas' or 'polars', got {library!r}.")
            try:
                return importlib.import_module(name).DataFrame(self.to_columns())
            except ModuleNotFoundError:
                continue
        raise MissingExtra("frames", "to_frame")

    def save(self, path: str | Path) -> None:
        """Write the table as parquet, with the specification and versions inside."""
        pa, parquet = _arrow()
        about = {"format": FORMAT, "spec": self.spec, "versions": self.versions}
        table = pa.table(self.to_columns()).replace_schema_metadata(
            {"conlinucb": json.dumps(about)}
        )
        with atomic.writing(Path(path)) as file:
            parquet.write_table(table, file)

    @classmethod
    def load(cls, path: str | Path) -> Results:
        """Read what ``save`` wrote. Traces are not in the file."""
        pa, parquet = _arrow()
        try:
            table = parquet.read_table(path)
        except pa.ArrowInvalid as error:
            raise IncompatibleState(f"{path} is not a parquet file: {error}") from None
        about = (table.schema.metadata or {}).get(b"conlinucb")
        if about is None:
            raise IncompatibleState(f"{path} is a parquet file, but not of conlinucb results.")
        kept = json.loads(about)
        if kept["format"] != FORMAT:
            raise IncompatibleState(
                f"{path} has results format {kept['format']}; this version reads {FORMAT}."
            )
        spec = {**kept["spec"], "trace": False}
        rounds = np.array(spec["logged"], dtype=np.int64)
        results = cls.empty(
            list(spec["agents"]), spec["repeats"], spec["people"]["users"], rounds, spec,
            kept["versions"],
        )  # fmt: skip
        results._fill({name: table[name].to_numpy() for name in table.column_names})
        return results

    def _fill(self, columns: Mapping[str, NDArray[Any]]) -> None:
        row = np.searchsorted(self.rounds, columns["round"])
        for agent, values in self._metrics.items():
            mine = columns["agent"] == agent
            at = columns["repeat"][mine], columns["user"][mine], row[mine]
            for i, name in enumerate(METRICS):
                values[(*at, np.full(at[0].size, i))] = columns[name][mine]

    def _of(self, agent: str) -> Floats:
        if agent not in self._metrics:
            raise UnknownName(f"No agent is called {agent!r}.{nearest(agent, self._metrics)}")
        return self._metrics[agent]

    def __repr__(self) -> str:
        means = ", ".join(f"{name}={self.final_regret(name).mean():.2f}" for name in self.agents)
        return f"Results(mean regret after {int(self.rounds[-1])} rounds: {means})"


def _half_width(samples: Floats, level: float) -> Floats:
    """Half of Student's interval of the mean along the first axis; NaN for a single sample."""
    from scipy import stats

    number("level", level, low=1e-9, high=1 - 1e-9)
    n = samples.shape[0]
    if n < 2:
        return np.full(samples.shape[1:], np.nan)
    return np.asarray(stats.t.ppf((1 + level) / 2, n - 1) * stats.sem(samples, axis=0))


def _arrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise MissingExtra("runner", "parquet") from None
