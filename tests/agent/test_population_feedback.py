"""Tables of feedback: what is read, clipped, drawn, and refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import conlinucb as cl
from conlinucb.agent.priors.fitting.events import Events
from conlinucb.agent.priors.fitting.table import Reader, person_keys
from support.worlds import films, small_catalog

LOG: dict[str, list[Any]] = {
    "person": ["u", "v", "u", "v"],
    "kind": ["reward", "reward", "answer", "answer"],
    "id": ["Amélie", "7", "calm", "3"],
    "value": [0.5, 1.5, 1.0, None],
    "weight": [1.0, 2.0, 0.5, 1.0],
}


def read(log: Any, catalog: cl.Catalog | None = None, **options: Any) -> Events:
    return Reader(catalog or films(), (0.0, 1.0), **options).events(log)


def test_events_lie_by_person() -> None:
    found = read(LOG)
    assert found.starts.tolist() == [0, 2, 4]
    assert found.rows.tolist() == [0, 4, 2, 6]  # arms first; "7" is not 7, and "3" is 3
    np.testing.assert_array_equal(found.values, [0.5, 1.0, 1.0, np.nan])
    assert found.weights.tolist() == [1.0, 0.5, 2.0, 1.0]
    assert found.clipped == 1


def test_files_and_frames_read_alike(tmp_path: Path) -> None:
    frame = pl.DataFrame(LOG)
    frame.write_csv(tmp_path / "log.csv")
    frame.write_parquet(tmp_path / "log.parquet")
    wanted = read(LOG)
    for each in (frame, frame.to_pandas(), tmp_path / "log.csv", str(tmp_path / "log.parquet")):
        found = read(each)
        np.testing.assert_array_equal(found.rows, wanted.rows)
        np.testing.assert_array_equal(found.values, wanted.values)
        np.testing.assert_array_equal(found.keys, wanted.keys)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": ["Amélie", "Amelie", "calm", "3"]}, r"'Amelie' of row 1 .*nearest|did you mean"),
        ({"id": ["Amélie", "7", "calm", "loud"]}, r"key-term has the id 'loud' of row 3"),
        ({"kind": ["reward", "click", "answer", "answer"]}, r"'click' in row 1"),
        ({"value": [0.5, float("nan"), 1.0, None]}, r"no number in row 1.*reward"),
        ({"value": [0.5, float("inf"), 1.0, None]}, r"inf in row 1"),
        ({"value": ["much", "0.5", "1", None]}, r"'value' must hold numbers.*much"),
        ({"weight": [1.0, -2.0, 1.0, 1.0]}, r"-2.0 in row 1"),
        ({"weight": [1.0, float("nan"), 1.0, 1.0]}, r"nan in row 1"),
        ({"person": ["u", None, "u", "v"]}, r"'person' is empty.*row 1"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(cl.InvalidInput, match=f"(?i){said}"):
        read({**LOG, **change})


def test_unknown_ids_can_be_skipped() -> None:
    found = read({**LOG, "id": ["Amélie", "gone", "calm", "3"]}, unknown="skip")
    assert found.skipped == 1
    assert found.rows.tolist() == [0, 4, 6]


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(cl.InvalidInput, match="no column 'person'"):
        read({"who": [1], "id": ["7"], "value": [1.0]})


def test_keys_depend_on_the_person_alone() -> None:
    assert person_keys(["a", "b"])[1] == person_keys(["b"])[0]
    assert np.unique(person_keys(list(range(1000)))).size == 1000


def test_negatives_are_unseen_and_the_persons_own() -> None:
    catalog = small_catalog(arms=30)
    log: dict[str, list[Any]] = {
        "person": [1, 1, 2, 2, 2],
        "id": [3, 4, 3, 5, 6],
        "value": [1.0, 1.0, 1.0, 0.0, 1.0],
    }
    found = read(log, catalog, negatives=4, seed=5)
    assert np.diff(found.starts).tolist() == [2 + 8, 3 + 8]
    first, second = found.rows[:10], found.rows[10:]
    assert first[[2, 7]].tolist() == [3, 4]  # evenly among those that were drawn
    assert set(second) > {3, 5, 6}
    assert len(set(first)) == 10
    assert len(set(second)) == 11
    np.testing.assert_array_equal(found.values[:10] > 0, np.isin(first, [3, 4]))
    turned = {name: column[::-1] for name, column in log.items()}
    again = read(turned, catalog, negatives=4, seed=5)
    assert set(again.rows[:11]) == set(second)
    other = read(log, catalog, negatives=4, seed=6)
    assert set(other.rows[:10]) != set(first)


def test_where_few_are_unseen_all_of_them_are_negatives() -> None:
    catalog = small_catalog(arms=6)
    found = read({"person": [1, 1], "id": [0, 1], "value": [1.0, 1.0]}, catalog, negatives=9)
    assert sorted(found.rows) == [0, 1, 2, 3, 4, 5]


def test_popularity_leaves_the_person_out() -> None:
    catalog = small_catalog(arms=6, d=3).with_popularity([5, 4, 3, 2, 1, 6])
    popularity = catalog.popularity
    assert popularity is not None
    log = {
        "person": [1, 1, 1],
        "kind": ["reward", "answer", "reward"],
        "id": [0, 2, 5],
        "value": [1.0, 0.3, 0.0],
    }
    found = read(log, catalog)
    own = popularity.without(0, 1.0) - catalog.arms[0, popularity.column]
    np.testing.assert_allclose(found.deltas, [own, 0.0, 0.0])
    assert own < 0
    assert not read(log, catalog, leave_out=False).deltas.size
    drawn = read(log, catalog, negatives=2)
    own = np.isin(drawn.rows, [0, 5, 6 + 2])
    np.testing.assert_allclose(drawn.deltas[own], found.deltas)
    np.testing.assert_allclose(drawn.deltas[~own], 0.0)
    assert (~own).sum() == 2
