"""Results as an arrow table, and as a parquet file.

A file has one row for each agent, repeat, user and logged round, and says inside what made it. The
row of a user's last logged round also holds the user's trace, where there is one; the lists of all
other rows are empty. A metric that is not in a file is NaN, so files from before it was logged can
be read, and what an older version does not know it leaves aside.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conlinucb import atomic
from conlinucb.errors import IncompatibleState, InvalidInput, MissingExtra
from conlinucb.simulation.loop.inputs import METRICS
from conlinucb.simulation.measures import KEPT, OwnMetric

if TYPE_CHECKING:
    from conlinucb.simulation.results import Results

FORMAT = 1
"""Version of the file that ``write`` makes; one that only has more columns is the same."""
_DAMAGE = (LookupError, ValueError, TypeError, AttributeError)


def to_arrow(results: Results) -> Any:
    """The table of metrics, with what made it as metadata."""
    pa, _ = _arrow()
    own = {name: {"more_is_better": each.more_is_better} for name, each in results._own.items()}
    about = {"format": FORMAT, "spec": results.spec, "versions": results.versions, "own": own}
    return pa.table(results.to_columns()).replace_schema_metadata({"conlinucb": json.dumps(about)})


def write(results: Results, path: Path) -> None:
    """Write one file, whole or not at all."""
    if path.suffix.lower() != ".parquet":
        raise InvalidInput(
            f"Results are saved as a .parquet file, got {str(path)!r}; to_frame() has what other "
            f"formats need, such as to_frame().to_csv(...)."
        )
    _, parquet = _arrow()
    table = to_arrow(results)
    for kind in KEPT if results._traces else ():
        table = table.append_column(kind, _lists(results, kind))
    with atomic.writing(path) as file:
        parquet.write_table(table, file)


def _lists(results: Results, kind: str) -> Any:
    """A list for each row, empty but in the row of a user's last logged round."""
    pa, _ = _arrow()
    logged, rows = results.rounds.size, [results._traces[each][kind] for each in results.agents]
    lengths = [np.zeros((*each.shape[:2], logged), dtype=np.int64) for each in rows]
    for each, length in zip(rows, lengths, strict=True):
        length[..., -1] = each.shape[2]
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([each.ravel() for each in lengths]))])
    values = np.concatenate([each.ravel() for each in rows])
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values))


def read(kind: type[Results], path: str | Path) -> Results:
    """Read what ``write`` wrote."""
    pa, parquet = _arrow()
    try:
        table = parquet.read_table(path)
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except pa.ArrowInvalid as error:
        raise IncompatibleState(f"{path} is not a parquet file: {error}") from None
    about = (table.schema.metadata or {}).get(b"conlinucb")
    if about is None:
        raise IncompatibleState(f"{path} is a parquet file, but not of conlinucb results.")
    kept = json.loads(about)
    if kept.get("format") != FORMAT:
        raise IncompatibleState(
            f"{path} has results format {kept.get('format')}; this version reads {FORMAT}."
        )
    try:
        return _results(kind, table, kept)
    except _DAMAGE as error:
        raise IncompatibleState(f"{path} is damaged: {error!r}") from None


def _results(kind: type[Results], table: Any, kept: dict[str, Any]) -> Results:
    traced = set(KEPT) <= set(table.column_names)
    spec = {**kept["spec"], "trace": traced}
    rounds = np.array(spec["logged"], dtype=np.int64)
    results = kind.empty(
        list(spec["agents"]), spec["repeats"], spec["people"]["users"], rounds, spec,
        kept["versions"],
    )  # fmt: skip
    shape = (spec["repeats"], spec["people"]["users"], rounds.size)
    for name, more in kept.get("own", {}).items():
        values = {agent: np.full(shape, np.nan) for agent in results.agents}
        results._own[name] = OwnMetric(bool(more["more_is_better"]), values)
    expected = len(results.agents) * int(np.prod(shape))
    if table.num_rows != expected:
        raise ValueError(f"{table.num_rows} rows, not {expected}")
    _fill(results, {name: table[name] for name in table.column_names})
    return results


def _fill(results: Results, columns: dict[str, Any]) -> None:
    of = {name: columns[name].to_numpy() for name in columns if name not in KEPT}
    row = np.searchsorted(results.rounds, of["round"])
    for agent in results.agents:
        mine = of["agent"] == agent
        at = of["repeat"][mine], of["user"][mine], row[mine]
        for i, name in enumerate(METRICS):
            if name in of:
                results._metrics[agent][(*at, np.full(at[0].size, i))] = of[name][mine]
        for name, own in results._own.items():
            own.values[agent][at] = of[name][mine]
        if results.spec["trace"]:
            last = np.flatnonzero(mine & (row == results.rounds.size - 1))
            kept = {kind: _rows(columns[kind], last, results.shape) for kind in KEPT}
            results._traces[agent] = kept


def _rows(column: Any, rows: NDArray[Any], shape: tuple[int, int]) -> NDArray[np.int64]:
    """The lists of these rows, all equally long, (repeats, users, length)."""
    lists = column.take(rows).combine_chunks()
    return np.asarray(lists.flatten().to_numpy(), dtype=np.int64).reshape(*shape, -1)


def _arrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise MissingExtra("runner", "parquet") from None
