"""The text for a methods section: every fact of a comparison, and what it cites."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from conlinucb._version import __version__
from conlinucb.experiments import facts
from conlinucb.experiments.citations import CONLINUCB, CONUCB, LINUCB, package
from conlinucb.experiments.methods import methods, methods_page
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.spec import run_spec
from support.own_comparison import TOML, write_comparison
from support.worlds import refused

CITATION = Path(__file__).parents[2] / "CITATION.cff"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    write_comparison(folder)
    return folder


@pytest.fixture(scope="module")
def outcome(folder: Path) -> Outcome:
    return run_spec(folder / "dishes.toml", folder / "out")


def test_the_text_says_everything_that_was_decided(outcome: Outcome, folder: Path) -> None:
    setup, agents, measured = methods(outcome).paragraphs
    catalog = cl.Catalog.from_tags(folder / "tags.csv", item="dish")
    for fact in (
        "3 agents (ConUCB, MCR and My <UCB>) in simulation",
        f"conlinucb {__version__} [1]",
        "the table of tags tags.csv (item dish)",
        f"20 items, 5 key-terms, 5 features (version {catalog.version} of the catalogue)",
        "4 users, with rewards and answers linear in each user's taste",
        "drawn at random, of length 1 (seed 7)",
        "In each of 12 rounds",
        "one of 5 items",
        "Rewards with Gaussian noise of sd 0.2 and answers with Gaussian noise of sd 0.3",
        "A question stays without an answer with probability 0.25",
        "2 times",
        "seed 7",
    ):
        assert fact in setup
    prior = cl.Population.load(folder / "people.npz").digest()["prior"]
    for fact in (
        "ConUCB (recipe conucb [2])",
        "mix 0.5, term_beta 1, alpha 0.25, term_alpha 0.25",
        "key-terms chosen by the strategy optimal-greedy, 5 floor(ln(t + 1)) by round t",
        "MCR (recipe conlinucb [3])",
        "alpha by Eq. 8 of [3] (delta 0.05)",
        "one every 3 rounds (4 questions a user)",
        f"My <UCB> (recipe linucb [4]) learned with one ridge estimate (alpha 1), starting from "
        f"the prior {prior}, and asked nothing.",
    ):
        assert fact in agents
    assert "improvement over ConUCB" in measured
    assert "4 users" in measured
    assert "the 2 intervals hold together at 95 % (Bonferroni: 97.5 % each)" in measured


def test_it_cites_the_package_and_each_source_once(outcome: Outcome) -> None:
    cited = methods(outcome).references
    assert cited == (package(__version__), CONUCB, CONLINUCB, LINUCB)
    page = methods_page([outcome])
    for number, each in enumerate(cited, 1):
        assert f"[{number}] {each.text}" in page
        assert page.count(each.bibtex) == 1
    numbers = {
        int(each) for each in re.findall(r"\[(\d+)\]", " ".join(methods(outcome).paragraphs))
    }
    assert numbers == {1, 2, 3, 4}


def test_what_was_not_run_is_not_cited(outcome: Outcome) -> None:
    alone = replace(outcome, agents={"My <UCB>": outcome.agents["My <UCB>"]})
    assert methods(alone).references == (package(__version__), LINUCB)
    assert "improvement" not in methods(alone).paragraphs[2]


def test_the_citations_are_those_of_the_citation_file() -> None:
    text = CITATION.read_text(encoding="utf-8")
    mine = package(__version__)
    assert f'title: "{mine.title}"' in text
    assert f"version: {__version__}" in text
    assert f"- name: {mine.authors[0]}" in text
    assert f"title: {CONLINUCB.title}" in text
    assert re.findall(r"family-names: (\w+)", text) == list(CONLINUCB.authors)
    assert f"collection-title: {CONLINUCB.where}\n    year: {CONLINUCB.year}" in text


def test_another_title_or_baseline_runs_nothing_again(tmp_path: Path) -> None:
    path = write_comparison(tmp_path)
    before = run_spec(path, tmp_path / "out")
    text = TOML.replace("Which question is best?", "Best").replace(
        'baseline = "ConUCB"', 'baseline = "MCR"'
    )
    after = run_spec(write_comparison(tmp_path, text), tmp_path / "out")
    assert (after.heading, after.compared_with) == ("Best", "MCR")
    assert after.seconds == before.seconds
    assert after.agents["ConUCB"].improvement == before.agents["ConUCB"].versus["MCR"]
    nothing = after.agents["MCR"].improvement
    assert nothing == before.agents["ConUCB"].improvement
    assert nothing is not None
    assert nothing.measured == 0
    kept = json.loads((tmp_path / "out" / "own" / "dishes" / "base.json").read_text())
    assert kept["title"] == "Best"
    assert {name: each["curve"] for name, each in kept["agents"].items()} == {
        name: each["curve"] for name, each in before.to_json()["agents"].items()
    }


def test_an_outcome_without_recipes_is_told_without(outcome: Outcome) -> None:
    """As releases before them wrote it."""
    older = Outcome.from_json(
        {k: v for k, v in outcome.to_json().items() if k not in ("recipes",)}
        | {"data": {"name": "demo"}}
    )
    told = methods(older).paragraphs
    assert "MCR [3] learned with" in told[1]
    assert "recipe" not in told[1]
    assert "tastes" not in told[0]


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (cl.Never(), "never"),
        (cl.Linear(0.5), "0.5 (t) by round t"),
        (cl.Linear(2, zero_based=True), "2 (t - 1) by round t"),
        (cl.Logarithmic(5, zero_based=True), "5 floor(ln(t - 1 + 1)) by round t"),
        (cl.WhenWorth(0.02), "while one is worth more than 0.02 of reward, at most 3 a round"),
        ("my_schedule", "my_schedule"),
    ],
)
def test_a_schedule_in_words(schedule: object, words: str) -> None:
    given = schedule if isinstance(schedule, str) else repr(schedule)
    assert facts.schedule({"schedule": given}) == words


def test_people_of_every_kind_in_words(outcome: Outcome) -> None:
    def told(**given: object) -> str:
        spec = {**outcome.spec, "people": given}
        return methods(replace(outcome, spec=spec)).paragraphs[0]

    clicks = told(people="ClickUsers", link="logistic", noise=0.0, term_noise=0.1, pool_size=5)
    assert "rewards that are clicks" in clicks
    assert "Answers with Gaussian noise of sd 0.1 were observed." in clicks
    assert "Rewards with" not in clicks
    own = told(people="Kind", users=2)
    assert "rewards and answers of the class Kind" in own
    assert "all agents met the same pools (seed 7)" in own
    logged = told(people="LoggedPeople", pool_size=10, own=2, **{"YesNo 0": [0.5, 1.0, 0.0]})
    assert "one of 10 items, up to 2 of them from the user's part of the log" in logged
    assert "An answer is yes (1) from 0.5 on, else no (0)." in logged
    shared = told(noise=0.1, term_noise=0.1, pool_size=5, shared_noise=True, offered_size=3)
    assert "one draw a round for all its answers" in shared
    assert "questions could be about 3 key-terms" in shared


# Data and priors of one's own


LOGGED = """
rounds = 6
repeats = 1
[data]
log = "stars.csv"
tags = "tags.csv"
person = "who"
item = "dish"
value = "stars"
range = [1, 5]
[people]
pool_size = 4
[agents.MCR]
recipe = "conlinucb"
schedule = { name = "every", n = 2 }
[agents.LinUCB]
recipe = "linucb"
"""


@pytest.mark.parametrize("text", [TOML, LOGGED])
def test_what_people_like_in_general_may_have_a_feature(text: str, tmp_path: Path) -> None:
    more = text.replace('tags = "tags.csv"', 'tags = "tags.csv"\nconstant = true')
    path = write_comparison(tmp_path, more.replace('prior = "people.npz"', ""))
    write_log(tmp_path)
    outcome = run_spec(path, tmp_path / "out")
    catalog = cl.Catalog.from_tags(tmp_path / "tags.csv", item="dish").with_constant()
    assert (outcome.data["features"], outcome.spec["catalog"]) == (6, catalog.version)


def test_a_prior_of_other_key_terms_is_refused(tmp_path: Path) -> None:
    """It has as many features, but they mean other things."""
    path = write_comparison(tmp_path)
    other = {"item": [f"dish {i}" for i in range(5)], "tag": ["hot", "sweet", "a", "b", "c"]}
    cl.Population.fit(cl.Catalog.from_tags(other)).save(tmp_path / "people.npz")
    refused(lambda: run_spec(path, tmp_path / "out"), "5 other key-terms, 'hot', 'sweet', 'a' ...")


def test_a_prior_of_the_table_of_tags_serves_beside_a_log(tmp_path: Path) -> None:
    """The table of tags alone makes the catalogue, in whatever order the log has the items."""
    text = LOGGED.replace('recipe = "linucb"', 'recipe = "linucb"\nprior = "people.npz"')
    path = write_comparison(tmp_path, text)
    write_log(tmp_path)
    lines = (tmp_path / "stars.csv").read_text().splitlines()
    (tmp_path / "stars.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    outcome = run_spec(path, tmp_path / "out")
    assert "population" in outcome.agents["LinUCB"].parameters["prior"]
    catalog = cl.Catalog.from_tags(tmp_path / "tags.csv", item="dish")
    assert outcome.spec["catalog"] == catalog.version


def write_log(folder: Path) -> None:
    rows = [f"p{u},dish {i},{1 + (u + i) % 5}" for u in range(3) for i in range(0, 20, 1 + u)]
    (folder / "stars.csv").write_text("who,dish,stars\n" + "\n".join([*rows, "p0,bare,5"]) + "\n")


def test_logged_people_are_met_as_the_log_has_them(tmp_path: Path) -> None:
    path = write_comparison(tmp_path, LOGGED)
    write_log(tmp_path)
    outcome = run_spec(path, tmp_path / "out")
    assert (outcome.users, outcome.data["arms"]) == (3, 20)  # the bare dish has no tag
    catalog = cl.Catalog.from_tags(tmp_path / "tags.csv", item="dish")
    rewards = np.full((3, 20), np.nan)
    for u in range(3):
        for i in range(0, 20, 1 + u):
            rewards[u, catalog.arm_index(f"dish {i}")] = (u + i) % 5 / 4
    direct = cl.simulate(
        {"LinUCB": cl.linucb(catalog)}, cl.LoggedPeople(rewards, pool_size=4), rounds=6
    )
    kept = cl.Results.load(tmp_path / "out" / "own" / "dishes" / "base.parquet")
    assert np.array_equal(kept.final_regret("LinUCB"), direct.final_regret("LinUCB"))
    told = methods(outcome).paragraphs[0]
    assert "the log stars.csv and the table of tags tags.csv" in told
    assert "one of up to 4 of the items that the log has of the user" in told


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('tags = "tags.csv"\n', "", "needs tags"),
        ("pool_size = 4", 'kind = "LinearUsers"', "'LoggedPeople'"),
        ('value = "stars"\nrange = [1, 5]', "implicit = true", "own = 1"),
        ("range = [1, 5]", "rang = [1, 5]", "'range'"),
        ("pool_size = 4", "pool = 4", "'pool_size'"),
        ("range = [1, 5]", "range = [1, 5]\nconstant = 1", "true or false, got 1"),
        ('log = "stars.csv"', 'log = "starz.csv"', "starz.csv"),
        ('recipe = "linucb"', 'recipe = "linucb"\nprior = "nobody.npz"', "nobody.npz"),
        ('recipe = "linucb"', 'recipe = "linucb"\nprior = 3', "got 3"),
        ('recipe = "linucb"', 'recipe = "linucb"\nprior = "tags.csv"', "not a population"),
    ],
)
def test_a_mistake_in_data_or_prior_is_named(
    tmp_path: Path, old: str, new: str, named: str
) -> None:
    assert old in LOGGED
    path = write_comparison(tmp_path, LOGGED.replace(old, new))
    write_log(tmp_path)
    refused(lambda: run_spec(path, tmp_path / "out"), named)
    assert not (tmp_path / "out").exists()
