"""Listening and ratings: small files in the form of the published ones, and the real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.datasets import listening, ratings
from conlinucb.errors import MissingData
from support.reproductions import DATA, real

LASTFM = {
    "user_artists.dat": b"userID\tartistID\tweight\r\n2\t51\t13883\r\n2\t\t52\t9\r\n7\t51\t1\r\n"
    b"9\t51\t3\r\n9\t53\t5\r\n\r\n",
    "user_taggedartists.dat": b"userID\tartistID\ttagID\tday\tmonth\tyear\r\n"
    b"2\t51\t13\t1\t4\t2009\r\n7\t51\t\t13\t1\t4\t2009\r\n7\t51\t14\t1\t4\t2009\r\n"
    b"9\t52\t14\t1\t4\t2009\r\n9\t52\t15\t1\t4\t2009\r\n9\t99\t15\t1\t4\t2009\r\n",
    "artists.dat": b"id\tname\turl\tpictureURL\r\n51\tBj\xc3\xb6rk\tu\tp\r\n52\tAir\tu\tp\r\n",
    "tags.dat": b"tagID\ttagValue\r\n13\tchanson fran\xe7aise\r\n14\tCalm\r\n15\tcalm \r\n",
}
STARS = {
    "ratings.csv": b"userId,movieId,rating,timestamp\r\n1,7,4.0,1\r\n1,8,0.5,2\r\n2,7,5.0,3\r\n",
    "movies.csv": b"movieId,title,genres\r\n"
    b'7,"Mis\xc3\xa9rables, Les (1995)",Drama|War\r\n8,New (2018),(no genres listed)\r\n',
}
FILMS = {
    "user_taggedmovies.dat": b"",
    "movies.dat": b"",
    "tags.dat": b"id\tvalue\r\n1\tDRAMA\r\n2\tcaf\xe9\r\n",
    "movie_tags.dat": b"movieID\ttagID\ttagWeight\r\n7\t1\t1\r\n7\t\t2\t3\r\n"
    b"8\t2\t1\r\n9\t1\t5\r\n",
}
FOLDERS = {"hetrec-lastfm-2k": LASTFM, "ml-latest-small": STARS, "hetrec-movielens-2k": FILMS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, files in FOLDERS.items():
        (tmp_path / name).mkdir()
        for file, data in files.items():
            (tmp_path / name / file).write_bytes(data)
    return tmp_path


def test_listening_as_published(folder: Path) -> None:
    found = listening(folder, min_listeners=1, min_artists=1)
    assert found.people.tolist() == [0, 0, 1, 2, 2]
    assert [found.item_ids[i] for i in found.items] == [51, 52, 51, 51, 53]
    assert found.item_names == ("Björk", "Air", "artist 53")
    assert found.values.tolist() == [1.0] * 5
    assert found.term_ids == ("chanson française", "Calm")
    assert found.weights.toarray().tolist() == [[2, 1], [0, 2], [0, 0]]
    assert (found.name, found.implicit) == ("listening", True)


def test_ratings_as_published(folder: Path) -> None:
    found = ratings(folder, min_ratings=1, min_films=1)
    assert found.people.tolist() == [0, 0, 1]
    assert [found.item_ids[i] for i in found.items] == [7, 8, 7]
    assert found.item_names == ("Misérables, Les (1995)", "New (2018)")
    assert found.values == pytest.approx([3.5 / 4.5, 0.0, 1.0])
    assert found.term_ids == ("DRAMA", "café", "Drama (genre)", "War (genre)")
    assert found.weights.toarray().tolist() == [[1, 3, 1, 1], [0, 1, 0, 0]]
    assert (found.name, found.implicit) == ("ratings", False)


def test_rare_ones_are_left_out(folder: Path) -> None:
    assert listening(folder, min_listeners=2, min_artists=1).item_ids == (51,)
    assert listening(folder, min_listeners=1, min_artists=2).term_ids == ("Calm",)
    assert ratings(folder, min_ratings=2, min_films=1).item_ids == (7,)
    assert ratings(folder, min_ratings=1, min_films=2).term_ids == ("café",)


def test_the_variable_names_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(folder))
    assert len(listening(min_listeners=1, min_artists=1)) == 5


@pytest.mark.parametrize(
    ("file", "load", "told"),
    [
        ("hetrec-lastfm-2k/user_artists.dat", listening, "fetch lastfm"),
        ("hetrec-movielens-2k/movie_tags.dat", ratings, "fetch movielens"),
        ("ml-latest-small/ratings.csv", ratings, "fetch ml-latest-small"),
    ],
)
def test_a_missing_file_says_what_to_fetch(
    folder: Path, file: str, load: object, told: str
) -> None:
    (folder / file).unlink()
    with pytest.raises(MissingData, match=told):
        load(folder)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("file", "data", "told"),
    [
        ("ml-latest-small/ratings.csv", b"a,b\r\n1,2\r\n", "no column 'userId'"),
        ("ml-latest-small/ratings.csv", b"userId,movieId,rating\r\n1,2,x\r\n", "ratings.csv.*'x'"),
        ("ml-latest-small/movies.csv", b"movieId,title,genres\r\nx,y,z\r\n", "movies.csv.*'x'"),
        ("hetrec-movielens-2k/movie_tags.dat", b"h\r\n1\t2\r\n", "movie_tags.dat"),
    ],
)
def test_a_damaged_file_is_named(folder: Path, file: str, data: bytes, told: str) -> None:
    (folder / file).write_bytes(data)
    with pytest.raises(cl.InvalidInput, match=told):
        ratings(folder, min_ratings=1, min_films=1)


@real
def test_the_real_listening() -> None:
    found = listening()
    assert found.counts["people"] == 1876
    assert (len(found.item_ids), len(found.term_ids), len(found)) == (1530, 537, 63009)
    assert np.bincount(found.items).min() >= 10
    assert np.bincount(found.weights.indices).min() >= 15
    assert {"Björk", "Radiohead"} <= set(found.item_names)
    assert len(np.unique(found.people * 10_000 + found.items)) == len(found)


@real
@pytest.mark.skipif(
    not (Path(DATA) / "ml-latest-small").is_dir(), reason="CONLINUCB_DATA has no ml-latest-small"
)
def test_the_real_ratings() -> None:
    found = ratings()
    assert found.counts["people"] == 610
    assert (len(found.item_ids), len(found.term_ids), len(found)) == (1650, 552, 73845)
    assert np.bincount(found.items).min() >= 15
    assert (np.diff(found.weights.indptr) > 0).all()
    assert set(np.unique(found.values * 9)) == set(range(10))
    assert found.item_names[found.item_ids.index(296)] == "Pulp Fiction (1994)"
