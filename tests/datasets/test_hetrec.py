"""The paper's real data sets, on the real files where CONLINUCB_DATA points to them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conlinucb import UnknownName, datasets
from conlinucb.datasets import hetrec
from conlinucb.datasets.hetrec import Assignments, read_assignments, select
from support.reproductions import real

FOLDER = os.environ.get("CONLINUCB_DATA", "")
LOADERS = {"lastfm": datasets.lastfm, "movielens": datasets.movielens}
SOURCE = {"lastfm": (1892, 12523, 9749, 186479), "movielens": (2113, 5908, 9079, 47957)}
TERMS = {
    ("lastfm", "authors"): 2726,
    ("movielens", "authors"): 5585,
    ("lastfm", "stable"): 2722,
    ("movielens", "stable"): 5559,
}


@real
@pytest.mark.parametrize(("name", "selection"), TERMS)
def test_counts(name: str, selection: str) -> None:
    data = datasets.load(name, selection=selection)
    assert tuple(data.counts.values())[:4] == SOURCE[name]
    assert data.thetas is not None
    assert (len(data.catalog), len(data.thetas)) == (2000, 500)
    assert len(data.catalog.term_ids) == TERMS[name, selection]
    assert np.diff(data.catalog.weights.indptr).max() <= 20
    assert np.allclose(data.catalog.weights.sum(axis=1), 1.0)


@real
@pytest.mark.parametrize("name", LOADERS)
def test_the_authors_features(name: str) -> None:
    data = datasets.load(name, selection="authors")
    assert data.thetas is not None
    for rows in (data.catalog.arms, data.thetas):
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
        assert np.allclose(rows[:, -1], np.sqrt(0.5))
    rewards = data.catalog.arms @ data.thetas.T
    assert rewards.min() >= 0
    assert rewards.max() <= 1 + 1e-12
    if name == "lastfm":
        assert rewards.mean() == pytest.approx(0.51594, abs=5e-6)


@pytest.mark.more
@real
@pytest.mark.parametrize("name", LOADERS)
def test_the_papers_features_are_the_best_guess_of_their_rank(name: str) -> None:
    data = datasets.load(name, features="paper", d=30)
    given = read_assignments(Path(FOLDER) / f"hetrec-{name}-2k" / _source(name).assignments)
    chosen = select(given, frozen=None, skip_first=False)
    binary = hetrec.affinity_matrix(given, chosen, counts=False)
    assert set(np.unique(binary)) == {0.0, 1.0}
    assert data.thetas is not None
    error = np.linalg.norm(binary - data.thetas @ data.catalog.arms.T)
    values = np.linalg.svd(binary, compute_uv=False)
    assert error == pytest.approx(np.sqrt((values[30:] ** 2).sum()))


def _source(name: str) -> hetrec.Source:
    return {"lastfm": hetrec.LASTFM, "movielens": hetrec.MOVIELENS}[name]


@real
@pytest.mark.parametrize("name", LOADERS)
def test_the_frozen_ids_differ_from_the_steps_only_by_ties(name: str) -> None:
    given = read_assignments(Path(FOLDER) / f"hetrec-{name}-2k" / _source(name).assignments)
    items, users = hetrec._frozen(name)
    steps = select(given, frozen=None, skip_first=True)
    pairs = np.unique(np.stack([given.users, given.items]), axis=1)
    counts = np.bincount(pairs[0])
    last = np.sort(counts[np.unique(given.users)])[::-1][hetrec.USERS_FIRST - 1]
    # Users that tie at the first cut may be in or out: an item's popularity has two bounds.
    size = int(given.items.max()) + 1
    low = np.bincount(pairs[1, counts[pairs[0]] > last], minlength=size)
    high = np.bincount(pairs[1, counts[pairs[0]] >= last], minlength=size)
    cuts = [np.sort(each)[::-1][hetrec.ITEMS - 1] for each in (low, high)]
    differing = np.array(sorted(set(items.tolist()) ^ set(steps.items.tolist())))
    assert 0 < len(differing) < 200
    assert (low[differing] <= cuts[1]).all()
    assert (high[differing] >= cuts[0]).all()
    assert len(set(users.tolist()) & set(steps.users.tolist())) > 480


@real
def test_names_are_read_in_their_encodings() -> None:
    artists, films = datasets.lastfm().catalog, datasets.movielens().catalog
    assert {"Britney Spears", "Björk"} <= set(artists.arm_ids)
    assert "Pulp Fiction (1994)" in films.arm_ids
    assert {"metal", "chillout"} <= set(artists.term_ids)


@pytest.mark.more
@real
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_same_catalogue_with_any_number_of_blas_threads(threads: str, tmp_path: Path) -> None:
    code = (
        "import numpy as np; from conlinucb import datasets; d = datasets.lastfm();"
        "np.save('arms.npy', d.catalog.arms); np.save('thetas.npy', d.thetas)"
    )
    data = datasets.lastfm()
    env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
    env["CONLINUCB_DATA"] = str(Path(FOLDER).resolve())
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=env)
    assert np.abs(np.load(tmp_path / "arms.npy") - data.catalog.arms).max() < 1e-12
    assert np.abs(np.load(tmp_path / "thetas.npy") - data.thetas).max() < 1e-12


SMALL = Assignments(
    np.array([1, 1, 2, 2, 3, 3, 3]),
    np.array([7, 8, 7, 8, 7, 9, 9]),
    np.array([5, 6, 5, 5, 6, 6, 4]),
)


def test_tags_are_ranked_by_how_widespread_they_are() -> None:
    items = np.array([7, 9])
    full = hetrec._widespread_tags(SMALL, items, skip_first=False)
    assert full == [[6, 5], [6, 4]]  # tag 6 has items 7, 8, 9; tag 5 has 7, 8; tag 4 has 9
    skipped = hetrec._widespread_tags(SMALL, items, skip_first=True)
    assert skipped == [[5, 6], [6, 4]]  # 5 has 7, 8 still; 6 has 7, 9: a tie, first seen first


def test_ties_at_a_cut_go_to_those_seen_later() -> None:
    assert hetrec._top(np.array([4, 2, 9]), np.array([4, 2, 9, 9]), 2).tolist() == [9, 2]


def test_affinity_counts_tags_or_marks_them() -> None:
    chosen = hetrec.Selection(np.array([9, 7]), np.array([3, 1]), [])
    counted = hetrec.affinity_matrix(SMALL, chosen, counts=True)
    assert counted.tolist() == [[2.0, 1.0], [0.0, 1.0]]
    assert hetrec.affinity_matrix(SMALL, chosen, counts=False).max() == 1.0


def test_doubled_tabs_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "assignments.dat"
    path.write_bytes(b"userID\tartistID\ttagID\r\n1\t\t2\t3\t9\r\n4\t5\t6\t9\r\n\r\n")
    assert [each.tolist() for each in read_assignments(path)] == [[1, 4], [2, 5], [3, 6]]


@pytest.mark.parametrize("option", ["selection", "features"])
def test_unknown_options_suggest_the_nearest(option: str) -> None:
    with pytest.raises(UnknownName, match="authors"):
        datasets.load("lastfm", **{option: "author"})
    with pytest.raises(UnknownName, match="lastfm"):
        datasets.load("last.fm")
