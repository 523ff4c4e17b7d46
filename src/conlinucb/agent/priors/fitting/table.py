"""A table of feedback, checked and turned into events."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from conlinucb.agent.priors.fitting.events import Events, Keys, nobody
from conlinucb.agent.priors.fitting.negatives import with_negatives
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.columns import Columns, encode, read_columns
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import LARGEST, Floats, Indices
from conlinucb.randomness import GOLDEN, mix

KINDS = ("reward", "answer")


@dataclass(frozen=True, eq=False)
class Reader:
    """How tables of feedback about one catalogue are read."""

    catalog: Catalog
    range: tuple[float, float] | None
    unknown: str = "error"
    negatives: int = 0
    seed: int = 0
    leave_out: bool = True

    @cached_property
    def known(self) -> tuple[dict[Any, int], dict[Any, int]]:
        """Rows of arms and of key-terms by id; numbers also as text, since files hold text."""
        arms, terms = self.catalog.arm_ids, self.catalog.term_ids
        return _by_id(arms, 0), _by_id(terms, len(arms))

    def events(self, table: Any, name: str = "") -> Events:
        """The table's events; errors begin with ``name``, where there is one."""
        try:
            return self._events(table, say=not name)
        except InvalidInput as error:
            if not name or name in str(error):
                raise
            raise type(error)(f"{name}: {error}") from None

    def _events(self, table: Any, *, say: bool) -> Events:
        columns = read_columns(
            table,
            ("person", "id", "value"),
            ("kind", "weight"),
            what="The table of feedback",
            empty=("value",),
            rows=False,
            say=say,
        )
        if not len(columns["person"]):
            return nobody()
        values, answers = _values(columns["value"]), _answers(columns)
        _refuse_gaps(values, answers)
        weights = _weights(columns, values.size)
        people, ids = columns.codes("person")
        rows = self._rows(columns["id"], answers)
        kept = (rows >= 0) & (weights > 0.0)
        values, clipped = self._clipped(values)
        order = np.flatnonzero(kept)[np.argsort(people[kept], kind="stable")]
        events = _grouped(person_keys(ids), people[order], rows[order], values[order])
        events = replace(events, weights=weights[order])
        if self.leave_out:
            events = _without_own(events, self.catalog)
        if self.negatives:
            low = 0.0 if self.range is None else self.range[0]
            events = with_negatives(events, self.catalog, self.negatives, low, self.seed)
        return replace(events, skipped=int((rows < 0).sum()), clipped=clipped)

    def _rows(self, column: Any, answers: Any) -> Indices:
        """Rows of features by id; -1 where the id is unknown."""
        codes, ids = encode(column)
        arms, terms = (np.array([_row(known, each) for each in ids]) for known in self.known)
        rows = np.where(answers, terms[codes], arms[codes]).astype(np.int64)
        if self.unknown == "error" and (rows < 0).any():
            row = int(np.argmax(rows < 0))
            kind, known = ("key-term", self.known[1]) if answers[row] else ("arm", self.known[0])
            raise UnknownName(
                f"No {kind} has the id {ids[codes[row]]!r} of row {row} ({int((rows < 0).sum())} "
                f"rows have unknown ids; unknown='skip' leaves them out)."
                f"{nearest(ids[codes[row]], known)}"
            )
        return rows

    def _clipped(self, values: Floats) -> tuple[Floats, int]:
        """Values within the range, and how many were not."""
        if self.range is None:
            return values, 0
        low, high = self.range
        return np.clip(values, low, high), int(((values < low) | (values > high)).sum())


def _by_id(ids: Iterable[Any], first: int) -> dict[Any, int]:
    known = {each: first + i for i, each in enumerate(ids)}
    texts = {str(each): row for each, row in known.items()}
    return {each.strip(): row for each, row in texts.items()} | texts | known


def _row(known: Mapping[Any, int], wanted: Any) -> int:
    found = known.get(wanted)
    return known.get(str(wanted), -1) if found is None else found


def _values(column: Any) -> Floats:
    """Finite numbers, and NaN where there is none."""
    try:
        values = np.asarray(column.cast("float64").to_numpy(zero_copy_only=False), dtype=float)
    except importlib.import_module("pyarrow").ArrowException:
        raise InvalidInput(
            f"Column 'value' must hold numbers, it holds {column.type}: {column[0].as_py()!r} in "
            f"row 0."
        ) from None
    if np.any(np.abs(values) > LARGEST):
        row = int(np.argmax(np.abs(values) > LARGEST))
        raise InvalidInput(f"Column 'value' holds {values[row].item()!r} in row {row}.")
    return values


def _answers(columns: Columns) -> Any:
    """Which rows are answers."""
    if "kind" not in columns:
        return np.zeros(len(columns["person"]), dtype=bool)
    codes, kinds = columns.codes("kind")
    for code, kind in enumerate(kinds):
        if kind not in KINDS:
            row = int(np.argmax(codes == code))
            raise InvalidInput(
                f"Column 'kind' must hold 'reward' or 'answer', it holds {kind!r} in row {row}."
                f"{nearest(kind, KINDS)}"
            )
    return np.array([kind == "answer" for kind in kinds])[codes]


def _refuse_gaps(values: Floats, answers: Any) -> None:
    bad = np.isnan(values) & ~answers
    if bad.any():
        raise InvalidInput(
            f"Column 'value' has no number in row {int(np.argmax(bad))}, which is a reward "
            f"({int(bad.sum())} have none); only an answer may be without one."
        )


def _weights(columns: Columns, size: int) -> Floats:
    return columns.numbers("weight") if "weight" in columns else np.ones(size)


def person_keys(ids: list[Any]) -> Keys:
    """A number for each id, the same wherever and whenever it is met."""
    if all(isinstance(each, int) for each in ids):
        whole = np.array([each & 0xFFFFFFFFFFFFFFFF for each in ids], dtype=np.uint64)
        return np.asarray(mix.py_func(whole + GOLDEN))  # type: ignore[arg-type]
    digests = (hashlib.blake2b(str(each).encode(), digest_size=8).digest() for each in ids)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _grouped(keys: Keys, people: Indices, rows: Indices, values: Floats) -> Events:
    """Events in order of people, those without any left out; all of weight 1."""
    present, counts = np.unique(people, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Events(keys[present], starts, rows, values, np.ones(rows.size), np.empty(0))


def _without_own(events: Events, catalog: Catalog) -> Events:
    """Popularity as it would be without what the person themselves gave."""
    popularity = catalog.popularity
    if popularity is None or not events.rows.size:
        return events
    deltas = np.zeros(events.rows.size)
    own = events.rows < len(catalog)
    arms = events.rows[own]
    without = np.asarray(popularity.without(arms, events.values[own]), dtype=np.float64)
    deltas[own] = without - catalog.arms[arms, popularity.column]
    return replace(events, deltas=deltas)
