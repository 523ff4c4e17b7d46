"""Logged people of one's own comparison: what they say, and what they are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.datasets import interactions
from conlinucb.experiments.methods import methods
from conlinucb.experiments.own_data import world
from conlinucb.experiments.own_log import said_and_shown, tags_of
from conlinucb.experiments.spec import run_spec
from support.reproductions import real
from support.worlds import refused

TAGS = {"item": [f"i{i}" for i in range(12)], "tag": [f"t{i % 3}" for i in range(12)]}
CATALOG = cl.Catalog.from_tags(TAGS)
MET = {"person": ["a"] * 4 + ["b"] * 6, "item": [f"i{i}" for i in (0, 3, 6, 1, *range(6))]}
STARS = {**MET, "value": [1, 2, 3, 5, 1, 5, 3, 2, 4, 4]}


def test_who_only_met_items_says_the_share_that_has_the_key_term() -> None:
    met = interactions(MET, TAGS, implicit=True)
    tables = said_and_shown(met, CATALOG, None, None)
    assert np.array_equal(tables["answers"], [[0.75, 0.25, 0.0], [2 / 6, 2 / 6, 2 / 6]])


@pytest.mark.parametrize("implicit", [True, False])
def test_no_item_both_answers_and_is_recommended(implicit: bool) -> None:
    met = interactions(MET if implicit else STARS, TAGS, implicit=implicit)
    tables = said_and_shown(met, CATALOG, None, 3)
    said, shown = tables["withheld"].toarray() > 0, tables["rewards"]
    assert not ((said > 0) & (shown.toarray() > 0)).any()
    assert np.diff(tables["withheld"].indptr).tolist() == [2, 3]
    people = cl.LoggedPeople(**tables, pool_size=6, own=1)
    for user in range(2):
        for round in range(1, 30):
            pool = people.round(people.place(CATALOG, 0, 0, user, round)).pool
            assert not said[user, pool].any()
    if not implicit:
        known = tables["answers"]
        assert np.isnan(known[0]).any()  # nobody has an opinion from fewer than two items
        return
    counts = np.array([[said[u, k::3].sum() for k in range(3)] for u in range(2)])
    assert np.array_equal(tables["answers"], counts / counts.sum(axis=1, keepdims=True))


def test_withheld_arms_count_as_other_people() -> None:
    rewards = np.array([[1.0, np.nan, np.nan]])
    apart = np.array([[np.nan, 1.0, np.nan]])
    plain = cl.LoggedPeople(rewards, own=1)
    assert cl.LoggedPeople(rewards, own=1, withheld=apart).fingerprint() != plain.fingerprint()
    catalog = cl.Catalog(np.eye(3), np.eye(3))
    refused(lambda: cl.LoggedPeople(rewards, withheld=apart[:, :2]).check(catalog), "withheld")


def test_tags_of_a_log_make_its_catalogue_again() -> None:
    met = interactions(MET, TAGS, implicit=True)
    assert cl.Catalog.from_tags(tags_of(met)).term_ids == met.term_ids


@pytest.mark.parametrize(
    ("data", "people", "named"),
    [
        ({"name": "listenin"}, {}, "'listening'"),
        ({"name": "listening", "min_listners": 5}, {}, "'min_listeners'"),
        ({"name": "listening", "log": "x.csv"}, {}, "'log'"),
    ],
)
def test_a_mistake_about_a_published_log_is_named(
    data: dict[str, object], people: dict[str, object], named: str
) -> None:
    refused(lambda: world(data, people, Path(), 0), named)


@real
def test_the_report_says_that_they_are_people_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "real.toml"
    path.write_text(
        'rounds = 3\nrepeats = 1\n[data]\nname = "listening"\n[people]\nusers = 4\nown = 2\n'
        '[agents.MCR]\nrecipe = "conlinucb"\n[agents.LinUCB]\nrecipe = "linucb"\n'
    )
    told = methods(run_spec(path, tmp_path / "out")).paragraphs[0]
    assert "on people of a log" in told
    assert "one half of what each met answers" in told


@real
def test_a_published_log_is_met_by_its_name() -> None:
    found = world({"name": "listening"}, {"own": 2, "users": 30}, Path(), 0)
    assert len(found.people) == 30
    assert "real people" in found.data["tastes"]
    refused(lambda: world({"name": "listening"}, {}, Path(), 0), "own = 1")
    refused(lambda: world({"name": "listening"}, {"own": 1, "halves": 2}, Path(), 0), "halves")
