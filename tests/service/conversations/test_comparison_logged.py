"""Real people on the page: only where their files are, and as their log has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb import datasets
from conlinucb.service.catalogues.version import CatalogueVersion, Content
from conlinucb.service.conversations.comparison import PEOPLE, Comparisons
from conlinucb.service.conversations.comparison.logged import LOGS, LoggedKinds
from conlinucb.service.schemas import ComparisonBody
from conlinucb.service.settings import Settings
from support.logged_people import tables
from support.reproductions import real

FILMS = CatalogueVersion(1, "films", 1, 1, Content(datasets.demo().catalog), Settings())
STARS, TAGGED = "ml-latest-small", "hetrec-movielens-2k"


def written(folder: Path, people: int) -> Path:
    """Made-up people as the published files of ratings have them."""
    log, tags = tables(implicit=False, people=people)
    number = {f"item {i}": i + 1 for i in range(80)}
    stars = zip(log["person"], log["item"], log["value"], strict=True)
    genres: dict[int, list[str]] = {}
    for item, tag in zip(tags["item"], tags["tag"], strict=True):
        genres.setdefault(number[item], []).append(tag)
    rows = {
        f"{STARS}/ratings.csv": ["userId,movieId,rating,timestamp"]
        + [f"{who + 1},{number[what]},{value:.1f},1" for who, what, value in stars],
        f"{STARS}/movies.csv": ["movieId,title,genres"]
        + [f"{film},Film {film} (2000),{'|'.join(each)}" for film, each in genres.items()],
        f"{TAGGED}/user_taggedmovies.dat": [""],
        f"{TAGGED}/movies.dat": [""],
        f"{TAGGED}/tags.dat": ["id\tvalue", "1\tquiet"],
        f"{TAGGED}/movie_tags.dat": ["movieID\ttagID\ttagWeight", "1\t1\t2"],
    }
    for name, lines in rows.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("\r\n".join([*lines, ""]), encoding="utf-8")
    return folder


def compare(comparisons: Comparisons, **order: Any) -> Any:
    given: dict[str, Any] = {"agents": ["for-newcomers", "linucb"], "rounds": 8, **order}
    return comparisons.compare(FILMS, ComparisonBody(**given))


def test_they_are_offered_only_where_their_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path))
    comparisons = Comparisons()
    assert [each.name for each in comparisons.kinds()] == ["steady", "random"]
    with pytest.raises(cl.InvalidInput, match="conlinucb data fetch ml-latest-small"):
        compare(comparisons, people="ratings")
    written(tmp_path, 120)
    offered = comparisons.kinds()[-1]
    assert (offered.name, offered.real, offered.ready) == ("ratings", True, False)
    with (tmp_path / STARS / "tags.csv").open("wb") as file:
        file.truncate(65 * 10**6)
    assert len(comparisons.kinds()) == 2


def test_they_say_and_like_what_the_log_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(written(tmp_path, 120)))
    comparisons = Comparisons()
    found = compare(comparisons, people="ratings", seed=3, person=7)
    assert comparisons.kinds()[-1].ready
    assert len(found.everybody.people) == PEOPLE
    data = datasets.ratings()
    named = {name: i for i, name in enumerate(data.item_names)}
    given = [(named[each.item], each.reward) for run in found.runs for each in run.rounds]
    of = [
        who
        for who in range(len(data.user_ids))
        if all(
            ((data.people == who) & (data.items == i) & (data.values == v)).any() for i, v in given
        )
    ]
    assert len(of) == 1  # nobody else rated all of this so
    for run in found.runs:
        for each in run.rounds:
            assert each.liked == (0.5 + 4.5 * each.reward >= 4.0 - 1e-6)
            assert {answer.answer for answer in each.asked} <= {0.0, 1.0, None}
    again = compare(Comparisons(), people="ratings", seed=3, person=7)
    assert again == found
    assert compare(comparisons, people="ratings", seed=4).everybody != found.everybody


def test_nothing_is_learned_from_those_who_are_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(written(tmp_path, 120)))
    kinds = LoggedKinds()
    meeting = kinds.meet("ratings", ComparisonBody(agents=["ucb"]), PEOPLE)
    loaded = kinds._loaded["ratings"]
    assert loaded.aside.size == 60
    assert meeting.version.population is not None
    log = LOGS["ratings"]
    others = np.setdiff1d(np.arange(120), loaded.aside)[: log.learned_from]
    of = np.isin(loaded.data.people, others)
    rows = {
        "person": loaded.data.people[of],
        "kind": np.full(int(of.sum()), "reward"),
        "id": np.asarray(loaded.version.catalog.arm_ids)[loaded.data.items[of]],
        "value": loaded.data.values[of],
    }
    expected = cl.Population.fit(loaded.version.catalog, rows)
    assert np.allclose(meeting.version.population.prior.mean, expected.mean)


def test_too_few_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONLINUCB_DATA", str(written(tmp_path, 50)))
    with pytest.raises(cl.InvalidInput, match="Only 25 people"):
        compare(Comparisons(), people="ratings")


@real
@pytest.mark.more
def test_real_listeners_are_served_better_with_what_others_like() -> None:
    found = compare(Comparisons(), people="listening", rounds=30)
    better, worse = found.everybody.better
    assert better > 2 * worse
