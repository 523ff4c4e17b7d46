"""Published formats by name: small files written alike, and the real ones where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from conlinucb.datasets import interactions, lastfm, listening, movielens, ratings, synthetic
from conlinucb.datasets.files import data_folder
from conlinucb.errors import MissingData
from support.worlds import refused

pytestmark = pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
FILES = {
    "movies.csv": 'movieId,title,genres\n1,"Heat, The",Action|Crime\n2,Sabrina,Comedy\n'
    "3,Nothing,(no genres listed)\n",
    "tags.csv": "userId,movieId,tag,timestamp\n7,1,heist,99\n9,1,Heist,99\n7,2,paris,99\n",
    "ratings.csv": "userId,movieId,rating,timestamp\n7,1,5.0,99\n7,2,1.5,99\n9,2,4.0,99\n",
    "user_taggedartists.dat": "userID\tartistID\ttagID\tday\n2\t51\t1\t1\n3\t51\t1\t1\n"
    "3\t52\t2\t1\n3\t52\t9\t1\n",
    "user_artists.dat": "userID\tartistID\tweight\n2\t51\t13\n3\t51\t2\n3\t52\t5\n",
    "tags.dat": 'tagID\ttagValue\n1\ttropicália\n2\t"new" wave\n',
    "movie_tags.dat": "movieID\ttagID\ttagWeight\n1\t7\t2\n1\t8\t3\n2\t8\t1\n",
    "movie_genres.dat": "movieID\tgenre\n1\tCrime\n2\tComedy\n",
    "user_ratedmovies.dat": "userID\tmovieID\trating\tdate_day\n75\t1\t0.5\t3\n76\t2\t5\t4\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    return tmp_path


def told(catalog: cl.Catalog) -> dict[Any, dict[Any, float]]:
    rows = catalog.weights.toarray().tolist()
    return {item: {tag: w for tag, w in zip(catalog.term_ids, row, strict=True) if w}
            for item, row in zip(catalog.arm_ids, rows, strict=True)}  # fmt: skip


HETREC_NAMES = "id\tvalue\n7\tearth\n8\tpolice\n"
GENRES = {"1": {"Action": 1, "Crime": 1}, "2": {"Comedy": 1}}
CASES: dict[str, tuple[str, str, Any]] = {
    "genres": ("movielens", "", GENRES),
    "movies": ("movielens", "movies.csv", GENRES),
    "tags": ("movielens", "tags.csv", {"1": {"heist": 2}, "2": {"paris": 1}}),
    "artists": ("hetrec-lastfm", "", {"51": {"tropicália": 2},
                                      "52": {'"new" wave': 1, "tag 9": 1}}),
    "films": ("hetrec-movielens", "", {"1": {"earth": 2, "police": 3}, "2": {"police": 1}}),
    "film genres": ("hetrec-movielens", "movie_genres.dat", {"1": {"Crime": 1},
                                                             "2": {"Comedy": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_tags_of_every_format(case: str, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    format, file, wanted = CASES[case]
    if format == "hetrec-movielens":
        (folder / "tags.dat").write_text(HETREC_NAMES)
    assert told(cl.Catalog.from_tags(folder / file, format=format)) == wanted
    assert not caplog.text


def test_a_column_may_be_another_one(folder: Path) -> None:
    catalog = cl.Catalog.from_tags(folder, format="movielens", item="title")
    assert catalog.arm_ids == ("Heat, The", "Sabrina")
    by_title = cl.Catalog.from_tags(folder, format="movielens", tag="title")
    assert by_title.term_ids == ("Heat, The", "Sabrina", "Nothing")


@pytest.mark.parametrize(
    ("format", "people", "values"),
    [("movielens", ("7", "9"), [1.0, 0.0, 2.5 / 3.5]),
     ("hetrec-lastfm", ("2", "3"), [1, 0, 3 / 11]),
     ("hetrec-movielens", ("75", "76"), [0.0, 1.0])],
)  # fmt: skip
def test_people_of_every_format(
    format: str, people: Any, values: list[float], folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if format == "hetrec-movielens":
        (folder / "tags.dat").write_text(HETREC_NAMES)
    found = interactions(folder, format=format)
    assert found.user_ids == people
    assert found.values.tolist() == pytest.approx(values)
    assert cl.Catalog.from_interactions(folder, format=format, d=2).user_ids == people
    assert not caplog.text


def test_feedback_of_a_format(folder: Path) -> None:
    catalog = cl.Catalog.from_tags(folder, format="movielens")
    table = cl.Table(folder, format="movielens")
    assert cl.Population.fit(catalog, table, range=(0.5, 5.0)).people == 2


@pytest.mark.parametrize(
    ("file", "options", "received"),
    [
        ("ratings.csv", {}, "ratings.csv holds ['person', 'item', 'value'], but no 'tag'"),
        (
            "links.csv",
            {},
            "links.csv is no file of the format 'movielens'. Did you mean 'ratings.csv'",
        ),
        ("", {"separator": ";"}, "separator"),
        ("movies.csv", {"encoding": "latin-1"}, "format='movielens' says what encoding is"),
        ("movies.csv", {"split": ","}, "format='movielens' says what split is"),
        ("", {"item": "movieid"}, "no column 'movieid'"),
    ],
)
def test_what_a_format_refuses(file: str, options: Any, received: str, folder: Path) -> None:
    told = {"format": "movielens", **options}
    refused(lambda: cl.Catalog.from_tags(folder / file, **told), received, cl.InvalidInput)


def test_a_format_is_for_files(folder: Path) -> None:
    frame = {"movieId": [1], "genres": ["x"]}
    refused(lambda: cl.Catalog.from_tags(frame, format="movielens"), "a file or its folder")
    (folder / "tags.dat").unlink()
    refused(lambda: cl.Catalog.from_tags(folder, format="hetrec-lastfm"), "no file")
    refused(lambda: interactions(folder / "ratings.csv"), "tags must be a table of items and tags")


# User ids, and the real files


def _there(name: str) -> Path:
    try:
        return data_folder(name)
    except MissingData as missing:
        pytest.skip(str(missing))


def test_user_ids_of_made_data() -> None:
    assert synthetic(arms=20, terms=4, users=3, d=2).user_ids == (0, 1, 2)
    assert cl.datasets.demo().user_ids == ()


@pytest.mark.more
@pytest.mark.parametrize("load", [lastfm, movielens])
def test_user_ids_of_published_data(load: Any) -> None:
    name = load.__name__
    file = {"lastfm": "user_taggedartists.dat", "movielens": "user_taggedmovies.dat"}[name]
    lines = (_there(name) / file).read_text("latin-1").splitlines()[1:]
    data = load(d=2)
    assert len(set(data.user_ids)) == len(data.user_ids) == len(data.thetas)
    assert {str(each) for each in data.user_ids} <= {line.split()[0] for line in lines}


@pytest.mark.more
def test_the_format_reads_what_the_loader_reads() -> None:
    folder, wanted = _there("lastfm"), listening()
    options: dict[str, Any] = {"implicit": True, "min_people": 10, "min_items": 15}
    found = interactions(folder, format="hetrec-lastfm", **options)
    assert found.counts == wanted.counts
    assert found.item_ids == tuple(map(str, wanted.item_ids))
    assert found.user_ids == tuple(map(str, wanted.user_ids))
    assert found.people.tolist() == wanted.people.tolist()


@pytest.mark.more
def test_ratings_by_their_people() -> None:
    folder, wanted = _there("ml-latest-small"), ratings(min_ratings=1)
    found = interactions(folder, format="movielens", range=(0.5, 5.0))
    assert found.user_ids == tuple(map(str, wanted.user_ids))
    assert found.values.tolist() == wanted.values.tolist()
