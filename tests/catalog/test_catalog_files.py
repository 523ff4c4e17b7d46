"""Saved catalogues: round trips, and files that are damaged or foreign."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import conlinucb as cl
from support.worlds import ARM_IDS, ARMS, TERM_IDS, films


@pytest.mark.parametrize("as_path", [str, Path])
@pytest.mark.parametrize("removed", [[], [1, 2]])
def test_save_and_load(tmp_path: Path, as_path: Callable[..., Any], removed: list[int]) -> None:
    catalog = films().remove_arms(removed)
    path = as_path(tmp_path / "films.npz")
    catalog.save(path)
    loaded = cl.Catalog.load(path)
    assert loaded.version == catalog.version
    assert loaded.arm_ids == tuple(ARM_IDS)
    assert loaded.term_ids == tuple(TERM_IDS)
    for name in ("arms", "terms", "live_arms", "live_terms"):
        assert np.array_equal(getattr(loaded, name), getattr(catalog, name))
    assert np.array_equal(loaded.weights.toarray(), catalog.weights.toarray())


def test_a_saved_catalogue_holds_no_pickle(tmp_path: Path) -> None:
    films().save(tmp_path / "films.npz")
    with np.load(tmp_path / "films.npz", allow_pickle=False) as file:
        kinds = {name: file[name].dtype.kind for name in file.files}
    assert kinds
    assert not {name for name, kind in kinds.items() if kind in "OVUS"}


def test_a_loaded_rank_deficient_catalogue_does_not_warn_again(tmp_path: Path) -> None:
    with pytest.warns(cl.RankWarning):
        catalog = cl.Catalog([[1.0, 1.0], [2.0, 2.0]], np.eye(2))
    catalog.save(tmp_path / "flat.npz")
    assert cl.Catalog.load(tmp_path / "flat.npz").version == catalog.version


def saved_arrays(path: Path) -> dict[str, NDArray[Any]]:
    films().save(path)
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def text(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


DAMAGE: dict[str, tuple[str, Any]] = {
    "future format": ("format", np.array(99)),
    "format of text": ("format", np.array("one")),
    "format of two": ("format", np.array([1, 2])),
    "ids cut": ("arm_ids", text(ARM_IDS)[:-1]),
    "ids not utf-8": ("arm_ids", np.array([255, 254], dtype=np.uint8)),
    "ids a number": ("arm_ids", text(5)),
    "ids twice": ("arm_ids", text([1, 1, 2, 3])),
    "arms with nan": ("arms", np.full((4, 2), np.nan)),
    "arms too few": ("arms", ARMS[:2]),
    "arms flat": ("arms", ARMS.ravel()),
    "live too few": ("live", np.array([True])),
    "live of numbers": ("live", np.array([0.5, 1.0, 1.0, 1.0])),
    "live in two dimensions": ("live", np.ones((4, 1), dtype=bool)),
    "nothing live": ("live", np.zeros(4, dtype=bool)),
    "weights negative": ("weights_data", -np.ones(5)),
    "weights too few": ("weights_data", np.ones(2)),
}
BROKEN_GRAPHS: list[tuple[str, Any]] = [
    ("term_ids", text(["calm"])),
    ("weights_terms", np.array([0, 2, 1, 2, 17])),
    ("weights_terms", np.array([0, 2, 1, 2, -1])),
    ("weights_start", np.array([0, 5, 0, 5, 5])),
    ("weights_start", np.array([0, 2, 4, 5, 500])),
]


@pytest.mark.parametrize("damage", sorted(DAMAGE))
def test_a_damaged_file(tmp_path: Path, damage: str) -> None:
    arrays = saved_arrays(tmp_path / "films.npz")
    name, value = DAMAGE[damage]
    np.savez(tmp_path / "damaged.npz", allow_pickle=False, **{**arrays, name: value})
    with pytest.raises(cl.ConlinucbError):
        cl.Catalog.load(tmp_path / "damaged.npz")


@pytest.mark.parametrize("missing", sorted(["format", "arms", "live", "arm_ids", "weights_start"]))
def test_a_file_that_lacks_an_array(tmp_path: Path, missing: str) -> None:
    arrays = saved_arrays(tmp_path / "films.npz")
    del arrays[missing]
    np.savez(tmp_path / "damaged.npz", allow_pickle=False, **arrays)
    with pytest.raises(cl.IncompatibleState, match=missing):
        cl.Catalog.load(tmp_path / "damaged.npz")


LOAD = """
import sys, conlinucb as cl
for path in sys.argv[1:]:
    try:
        cl.Catalog.load(path)
    except cl.ConlinucbError:
        print("refused")
"""


def test_a_graph_that_points_outside_the_catalogue(tmp_path: Path) -> None:
    arrays = saved_arrays(tmp_path / "films.npz")
    paths = [tmp_path / f"{i}.npz" for i in range(len(BROKEN_GRAPHS))]
    for path, (name, value) in zip(paths, BROKEN_GRAPHS, strict=True):
        np.savez(path, allow_pickle=False, **{**arrays, name: value})
    # In a process of its own: unchecked, such a graph makes scipy write outside its arrays.
    run = subprocess.run(
        [sys.executable, "-c", LOAD, *map(str, paths)], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "refused\n" * len(paths))


def whole_file(tmp_path: Path) -> bytes:
    films().save(tmp_path / "films.npz")
    return (tmp_path / "films.npz").read_bytes()


FOREIGN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "a byte changed": lambda whole: whole[:300] + bytes([whole[300] ^ 255]) + whole[301:],
    "text": lambda whole: b"arms: 1, 2, 3",
    "other zip": lambda whole: b"PK\x05\x06" + bytes(18),
}


@pytest.mark.parametrize("foreign", sorted(FOREIGN))
def test_a_foreign_file(tmp_path: Path, foreign: str) -> None:
    path = tmp_path / "foreign.npz"
    path.write_bytes(FOREIGN[foreign](whole_file(tmp_path)))
    with pytest.raises(cl.IncompatibleState, match=r"foreign\.npz"):
        cl.Catalog.load(path)
    gc.collect()  # a file left open would warn here


def test_a_single_array_and_other_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", ARMS)
    np.savez(tmp_path / "other.npz", a=ARMS)
    for name in ("other.npz", "one.npy"):
        with pytest.raises(cl.IncompatibleState, match=name):
            cl.Catalog.load(tmp_path / name)


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    arrays = saved_arrays(tmp_path / "films.npz")
    arrays["arm_ids"] = np.array(ARM_IDS, dtype=object)
    np.savez(tmp_path / "pickled.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(cl.IncompatibleState):
        cl.Catalog.load(tmp_path / "pickled.npz")
