"""Numbers to the digits they deserve, and tables as text and HTML."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.adapters.frames import BatchRecommender
from conlinucb.shown import Table, interval, p_text, rounded
from support.runs import some_agents, some_people


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (123.456, 9.87, "123.5"),
        (123.456, 0.0987, "123.456"),
        (123.456, 98.7, "123"),
        (123456.7, 987.0, "123,460"),
        (-0.004, 1.5, "0.0"),
        (-41.26, 3.0, "-41.3"),
        (0.0, 0.0, "0"),
        (15.0, 0.0, "15"),
        (1 / 3, 0.0, "0.3333"),
        (1 / 3, math.inf, "0.3333"),
        (3.2e-9, 1.1e-10, "3.20e-09"),
        (1e-9, math.nan, "1.000e-09"),
        (1e300, 1e290, "1.00000000000e+300"),
        (math.nan, 1.0, "-"),
        (math.inf, 1.0, "-"),
        (np.float64(2.5), np.float64(0.5), "2.50"),
    ],
)
def test_digits_follow_the_width_of_the_interval(value: float, half: float, shown: str) -> None:
    assert rounded(value, half) == shown


@pytest.mark.parametrize("half", [0.011, 0.5, 0.099, 3.0, 97.0, 1234.0])
def test_what_is_cut_off_is_small_beside_the_interval(half: float) -> None:
    for value in np.random.default_rng(0).normal(scale=1000.0, size=50):
        shown = float(rounded(value, half).replace(",", ""))
        assert abs(shown - value) <= 0.05 * half + 1e-12


def test_an_interval_has_the_digits_of_its_number() -> None:
    assert interval(12.345, 11.111, 13.579) == "12.3 (11.1 to 13.6)"
    assert interval(15.0, 15.0, 15.0) == "15 (15 to 15)"
    assert interval(15.0, math.nan, math.nan) == "15"
    assert interval(math.nan, math.nan, math.nan) == "-"


def test_a_p_value_is_never_0() -> None:
    assert [p_text(p) for p in (0.0, 0.00099, 0.05, 0.99999)] == ["< 0.001", "< 0.001", "0.05", "1"]


def test_a_table_is_aligned() -> None:
    table = Table("Two", ("agent", "regret"), [("a", "1.0"), ("longer", "100.0")])
    assert table.to_text().splitlines() == [
        "Two",
        "agent   regret",
        "a          1.0",
        "longer   100.0",
    ]


# What a notebook shows

EVIL = "<script>alert('x')</script>&"


def things() -> dict[str, Any]:
    features = np.eye(3)
    catalog = cl.Catalog(features, np.ones((3, 1)), arm_ids=[EVIL, "b", "c"], term_ids=[EVIL])
    agents = {EVIL: cl.conlinucb(catalog), "it": cl.linucb(catalog)}
    results = cl.simulate(agents, cl.LinearUsers(features, pool_size=2), rounds=4)
    log = {"person": [1, 1, 2], "id": [EVIL, "b", "b"], "value": [0.5, 0.2, 0.9]}
    return {
        "results": results,
        "summary": results.summary(),
        "comparison": results.compare(EVIL, "it"),
        "comparisons": results.compare_all(),
        "catalog": catalog,
        "agent": agents[EVIL],
        "population": cl.Population.fit(catalog, log),
        "tuned": cl.tune(
            {EVIL: cl.Space(cl.linucb, catalog), "it": agents["it"]},
            cl.LinearUsers(features[:2], pool_size=2),
            rounds=4,
            budget=1,
        ),
    }


THINGS = things()


@pytest.mark.parametrize("name", sorted(THINGS))
def test_html_is_a_small_escaped_table(name: str) -> None:
    html = THINGS[name]._repr_html_()
    assert html.startswith("<table>")
    assert html.endswith("</table>")
    assert len(html) < 4000
    for never in ("<script", "src=", "href=", "http", "&<", "nan"):
        assert never not in html
    assert html.count("<tr>") == html.count("</tr>") > 1
    if name in ("results", "summary", "comparison", "comparisons", "tuned"):
        assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;" in html


def test_an_agent_shows_its_parameters_and_a_catalogue_its_size() -> None:
    agent, catalog = THINGS["agent"]._repr_html_(), THINGS["catalog"]._repr_html_()
    assert "max-radius" in agent
    assert THINGS["catalog"].version in agent
    assert 'arms</th><td style="text-align:left">3</td>' in catalog


def test_results_show_every_agent_once() -> None:
    results = cl.simulate(some_agents(), some_people(3), rounds=5)
    assert results._repr_html_().count("<tr>") == 1 + 4


def test_a_search_shows_what_it_chose_and_counts_in_english() -> None:
    html, told = THINGS["tuned"]._repr_html_(), THINGS["tuned"].summary()
    assert "alpha 0.5, beta 1; regret" in html
    assert "nothing to tune; regret" in html
    assert "1 trial for each algorithm on 1 person, " in told
    assert "Scored on 1 person who was not tuned on" in told


def test_a_recommender_says_whom_it_knows() -> None:
    known = BatchRecommender(THINGS["agent"])
    assert repr(known).endswith("), 0 people)")
    assert "1 person" in repr(known.fit({"person": ["ann"], "arm": ["b"], "reward": [1.0]}))
