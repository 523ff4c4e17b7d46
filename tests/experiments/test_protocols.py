"""The three protocols against the table of what the paper prints and the authors' code does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.experiments import ITEMS
from conlinucb.experiments.algorithms import ALGORITHMS, PAPER, authors_constants
from conlinucb.experiments.protocols import PROTOCOLS, protocol_of
from conlinucb.experiments.setting import Setting, Size, settings_of
from support.reproductions import agent_of, linear_people, real

WITHOUT_LATER = {name: item for name, item in ITEMS.items() if not item.family}
RAW_DENSE = {"graph": "dense", "normalized": False}
UNIT_SPARSE = {"graph": "sparse", "normalized": True}
AUTHORS_FEATURES = {"selection": "authors", "features": "authors"}
PAPER_FEATURES = {"selection": "authors", "features": "paper"}
EIGHT = {"beta": 1.0, "alpha": cl.TheoryAlpha(delta=0.05)}

VARIANTS: dict[tuple[str, str], list[tuple[dict[str, Any], str]]] = {
    ("authors", "1a"): [(RAW_DENSE, "authors")],
    ("paper", "1a"): [(UNIT_SPARSE, "authors"), (UNIT_SPARSE, "theory")],
    ("fair", "1a"): [
        ({"graph": graph, "normalized": normalized}, "tuned")
        for normalized in (False, True)
        for graph in ("dense", "sparse")
    ],
    ("authors", "2a"): [(AUTHORS_FEATURES, "authors")],
    ("paper", "2a"): [(PAPER_FEATURES, "authors"), (PAPER_FEATURES, "theory")],
    ("fair", "2a"): [(AUTHORS_FEATURES, "tuned")],
}
CONUCB = {"mix": 0.5, "term_beta": 1.0, "alpha": 0.25, "term_alpha": 0.25}
CONSTANTS: dict[str, dict[str, dict[str, Any]]] = {
    "1a": {
        "LinUCB": {"beta": 1.2, "alpha": 0.5},
        "Arm-Con": {"beta": 1.2, "alpha": 0.5},
        "ConUCB": CONUCB,
        "UCB": {"beta": 0.2, "alpha": 0.1},
        "BS": {"beta": 0.15, "alpha": 0.1},
        "MCR": {"beta": 0.15, "alpha": 0.1},
    },
    "2a": {
        "LinUCB": {"beta": 1.0, "alpha": 0.5},
        "Arm-Con": {"beta": 1.15, "alpha": 0.5},
        "ConUCB": CONUCB,
        "UCB": {"beta": 0.1, "alpha": 0.1},
        "BS": {"beta": 0.1, "alpha": 0.1},
        "MCR": {"beta": 0.1, "alpha": 0.1},
    },
}
CHANCE = {"authors": (True, True), "paper": (False, False), "fair": (False, False)}
"""Whether one noise serves a whole round, and whether rounds count from 0."""
AUTHORS_ROUNDS = [2, 7, 20, 54, 148, 403, 1096, 2980]
"""Rounds of the authors' code, counted from 0, in which it asks five questions each."""
SMALL = Size(runs=1, users=3, rounds=25, trials=2, tuning_users=2)
either = pytest.mark.parametrize("item", ["1a", pytest.param("2a", marks=real)])


def settings(protocol: str, item: str = "1a", size: Size = SMALL) -> list[Setting]:
    return settings_of(ITEMS[item], PROTOCOLS[protocol], size, seed=0)


@pytest.mark.parametrize(("protocol", "item"), VARIANTS)
def test_the_variants_are_those_of_the_table(protocol: str, item: str) -> None:
    found = settings(protocol, item)
    assert [(each.variant.options, each.constants) for each in found] == VARIANTS[protocol, item]
    assert len({each.name for each in found}) == len(found)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_items_on_the_same_kind_of_data_have_the_same_variants(protocol: str) -> None:
    for name, item in WITHOUT_LATER.items():
        if name != "theory":
            like = settings(protocol, "1a" if item.data == "synthetic" else "2a")
            found = list(dict.fromkeys(each.variant.label for each in settings(protocol, name)))
            assert found == [each.variant.label for each in like]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_synthetic_data_are_what_the_options_say(protocol: str) -> None:
    for setting in settings(protocol):
        lengths = np.linalg.norm(setting.thetas()[0], axis=1)
        expected = 1.0 if setting.variant.options["normalized"] else np.sqrt(50)
        assert np.abs(lengths - expected).max() < (1e-12 if expected == 1.0 else 2.0)
        terms_of_arms = np.diff(setting.dataset.catalog.weights.indptr)
        without = float((terms_of_arms == 0).mean())
        dense = setting.variant.options["graph"] == "dense"
        assert without == 0 if dense else without == pytest.approx(0.577, abs=0.02)


# Chance


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_noise_is_shared_within_a_round_only_by_the_authors(protocol: str) -> None:
    shared, _ = CHANCE[protocol]
    for setting in settings(protocol):
        people = linear_people(setting)
        assert (people.noise, people.term_noise) == (0.1, 0.1)
        assert (people.pool_size, people.offered_size) == (50, None)
        chance = people.draw(0, 0, 0, 7, questions=5, catalog=setting.dataset.catalog)
        assert np.unique(chance.term_noise).size == (1 if shared else 5)
        assert np.unique([*chance.arm_noise, chance.noise]).size == (1 if shared else 6)
        assert chance.noise not in chance.term_noise


@pytest.mark.parametrize(
    ("protocol", "item", "size"),
    [*((each, "1d", 300) for each in PROTOCOLS), pytest.param("fair", "2c", 1000, marks=real)],
)
def test_key_terms_vary_from_round_to_round(protocol: str, item: str, size: int) -> None:
    setting = settings(protocol, item)[0]
    people, catalog = linear_people(setting), setting.dataset.catalog
    offered: list[Any] = [people.draw(0, 0, 0, t, catalog=catalog).offered for t in (1, 2)]
    assert [len(set(each.tolist())) for each in offered] == [size, size]
    assert set(offered[0]) != set(offered[1])


def questions(setting: Setting, name: str, rounds: int) -> list[int]:
    """How many questions an agent of the setting really asks in rounds 1, 2, ..."""
    agent = setting.agent(name, authors_constants(name, setting.item.data))
    people = setting.people(setting.thetas()[0][:1])
    played = cl.simulate({name: agent}, people, rounds=rounds, log=range(1, rounds + 1))
    return [int(each) for each in np.diff(played.metric(name, "questions")[0, 0], prepend=0)]


@pytest.mark.parametrize("name", ["Arm-Con", "MCR"])
def test_the_authors_ask_in_these_very_rounds(name: str) -> None:
    asked = questions(settings("authors")[0], name, 3000)
    assert [t for t, count in enumerate(asked) if count] == AUTHORS_ROUNDS
    assert [count for count in asked if count] == [5] * len(AUTHORS_ROUNDS)


@pytest.mark.parametrize("protocol", ["paper", "fair"])
def test_the_others_count_rounds_from_one(protocol: str) -> None:
    for setting in settings(protocol)[:2]:
        asked = questions(setting, "MCR", 410)
        assert [t for t, count in enumerate(asked, start=1) if count] == AUTHORS_ROUNDS[:6]
        assert [count for count in asked if count] == [5] * 6


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("f", [5, 10, 20, 30])
def test_the_frequency_is_how_many_are_asked_at_once(protocol: str, f: int) -> None:
    (setting, *_) = [each for each in settings(protocol, "1b") if each.point.at == f]
    first = 4 if protocol == "authors" else 3
    assert questions(setting, "MCR", first)[2 - (protocol != "authors")] == f


# Real data, and constants on both kinds of data (in this order each is read once)


@real
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_real_data_are_what_the_options_say(protocol: str) -> None:
    setting = settings(protocol, "2a")[0]
    arms, thetas = setting.dataset.catalog.arms, setting.thetas()[0]
    rewards = arms @ thetas.T
    assert len(setting.dataset.catalog.term_ids) == 2726, "the authors' selection"
    cosines = protocol != "paper"
    assert np.allclose(np.linalg.norm(arms, axis=1), 1.0) == cosines
    assert bool(rewards.min() >= 0) == cosines
    assert np.allclose(arms[:, -1], np.sqrt(0.5)) == cosines


@either
@pytest.mark.parametrize("protocol", ["authors", "paper"])
def test_agents_have_the_authors_constants(protocol: str, item: str) -> None:
    setting = settings(protocol, item)[0]
    assert set(setting.agents) == set(PAPER)
    for name, constants in CONSTANTS[item].items():
        agent = agent_of(setting, name)
        assert agent.estimator.parameters() == constants
        assert authors_constants(name, setting.item.data) == constants


@pytest.mark.parametrize("data", ["synthetic", "lastfm", "movielens"])
def test_crossed_agents_have_their_nearest_relatives_constants(data: str) -> None:
    table = CONSTANTS["1a" if data == "synthetic" else "2a"]
    for name, (two_step, asks, prior) in ALGORITHMS.items():
        if name not in table and not prior:
            assert asks in cl.STRATEGIES
            assert authors_constants(name, data) == table["ConUCB" if two_step else "MCR"]


def test_constants_are_copies() -> None:
    for name in PAPER:
        authors_constants(name, "synthetic")["alpha"] = 99.0
        assert authors_constants(name, "synthetic")["alpha"] < 1


@either
def test_equation_8_in_the_paper(item: str) -> None:
    setting = settings("paper", item)[1]
    t, asked = np.array([1, 25, 1000]), np.array([0, 15, 30])
    by_hand = np.sqrt(2 * np.log(1 / 0.05) + 50 * np.log(1 + (t + asked) / 50)) + 1
    for name in setting.agents:
        estimator = agent_of(setting, name).estimator
        if name == "ConUCB":
            alpha = cl.TheoryAlpha(delta=0.05)
            expected = {"mix": 0.5, "term_beta": 1.0, "alpha": alpha, "term_alpha": alpha}
            widths = estimator.widths(t, asked, 50)
            arm = 0.5 * cl.theory.conucb_alpha(t, 50, 0.5, 0.05)
            term = 0.5 * cl.theory.conucb_term_alpha(asked, 50, 1.0, 0.05)
            np.testing.assert_allclose(widths.values.T, [arm, term])
        else:
            expected = EIGHT
            np.testing.assert_allclose(estimator.widths(t, asked, 50).values[:, 0], by_hand)
        assert estimator.parameters() == expected


@pytest.mark.parametrize("protocol", ["authors", "paper"])
def test_every_algorithm_is_put_together_as_the_paper_says(protocol: str) -> None:
    for setting in settings(protocol):
        agents = {name: agent_of(setting, name) for name in PAPER}
        asks = {name: agent.parameters()["strategy"] for name, agent in agents.items()}
        assert asks == {
            "LinUCB": None,
            "Arm-Con": "arm",
            "ConUCB": "optimal-greedy",
            "UCB": "ucb",
            "BS": "spanner",
            "MCR": "max-radius",
        }
        two_steps = [name for name in PAPER if isinstance(agents[name].estimator, cl.TwoStep)]
        assert two_steps == ["ConUCB"]


# Size


def test_everything_runs_ten_times_but_what_says_otherwise() -> None:
    fewer = {
        (item, setting.point.label, setting.variant.label): setting.runs
        for item in WITHOUT_LATER
        for protocol in PROTOCOLS
        for setting in settings(protocol, item, Size())
        if setting.runs != 10
    }
    for (item, point, variant), runs in fewer.items():
        once = item == "theory" or point == "every radius computed"
        assert runs == (1 if once else 2)
        assert once or variant == "Eq. 8"
    assert {item for item, _, variant in fewer if variant == "Eq. 8"} == set(WITHOUT_LATER) - {
        "theory"
    }


def test_only_fair_has_people_to_tune_on() -> None:
    for protocol, tuning in (("authors", 0), ("paper", 0), ("fair", 2)):
        for setting in settings(protocol):
            assert [len(each) for each in setting.thetas()] == [3, tuning]


@pytest.mark.parametrize(
    ("given", "told"), [("author", "Did you mean 'authors'"), ("x", "'authors', 'paper', 'fair'")]
)
def test_an_unknown_protocol_is_refused_with_a_hint(given: str, told: str) -> None:
    with pytest.raises(cl.UnknownName, match=told):
        protocol_of(given)
