"""A comparison of one's own from a TOML file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies import RelativeDifference
from conlinucb.datasets import synthetic
from conlinucb.experiments.spec import run_spec
from support.worlds import films, refused

EXAMPLE = Path(__file__).parents[2] / "examples" / "compare.toml"
AGENTS = """
[agents.LinUCB]
recipe = "linucb"
alpha = 0.3
[agents.MCR]
recipe = "conlinucb"
schedule = { name = "every", n = 3 }
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_gives_what_a_call_of_simulate_gives(tmp_path: Path) -> None:
    outcome = run_spec(EXAMPLE, tmp_path)
    data = synthetic(arms=500, terms=60, d=10, graph="sparse", users=40)
    schedule = cl.Every(10)
    direct = cl.simulate(
        {
            "LinUCB": cl.linucb(data.catalog, beta=1.0, alpha=0.3),
            "random": cl.conlinucb(data.catalog, strategy="random", alpha=0.3, schedule=schedule),
            "MCR": cl.conlinucb(data.catalog, alpha=0.3, schedule=schedule),
            "BS": cl.conlinucb(
                data.catalog,
                strategy="spanner",
                alpha=cl.TheoryAlpha(delta=0.05),
                schedule=schedule,
            ),
        },
        cl.LinearUsers(np.asarray(data.thetas), pool_size=25),
        rounds=300,
        repeats=2,
    )
    kept = cl.Results.load(tmp_path / "own" / "compare" / "base.parquet")
    for name in direct.agents:
        assert np.array_equal(kept.final_regret(name), direct.final_regret(name))
        assert outcome.regret(name) == direct.final_regret(name).mean()
    for versus in direct.compare_all(against="random"):  # with the care that many pairs need
        found = outcome.agents[versus.a].improvement
        assert found is not None
        expected = (versus.improvement, versus.improvement_low, versus.improvement_high)
        assert (found.measured, found.low, found.high) == pytest.approx(100 * np.array(expected))
    assert run_spec(EXAMPLE, tmp_path) == outcome


def test_a_catalogue_of_ones_own_gets_people_of_length_one(tmp_path: Path) -> None:
    films().save(tmp_path / "films.npz")
    text = (
        f'rounds = 5\nrepeats = 1\n[data]\ncatalog = "films.npz"\n[people]\npool_size = 2\n{AGENTS}'
    )
    outcome = run_spec(write(tmp_path, text), tmp_path / "out")
    assert outcome.data["arms"] == 4
    assert outcome.users == 50
    assert outcome.baseline == outcome.compared_with == "LinUCB"


def test_a_table_of_tags_is_data_enough(tmp_path: Path) -> None:
    rows = [f"film {i},{tag}" for i in range(12) for tag in ("a", "b", "c")[: 1 + i % 3]]
    (tmp_path / "tags.csv").write_text("item,tag\n" + "\n".join(rows) + "\n")
    people = "[people]\nusers = 3\npool_size = 4\n"
    text = f'rounds = 5\n[data]\ntags = "tags.csv"\nd = 3\n{people}{AGENTS}'
    assert run_spec(write(tmp_path, text), tmp_path / "out").users == 3


def test_people_who_share_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    agents = '[agents.A]\nrecipe = "linucb"\nsharing = { name = "clusters", a = 1.0 }\n'
    data = '[data]\nname = "demo"\n[people]\nusers = 4\n' + agents
    found = {
        arrivals: run_spec(
            write(tmp_path, f'rounds = 30\nrepeats = 1\narrivals = "{arrivals}"\n' + data),
            tmp_path / arrivals,
        )
        for arrivals in ("one by one", "interleaved")
    }
    regrets = [each.agents["A"].curve.mean for each in found.values()]
    assert regrets[0] != regrets[1]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("rounds = [", "not TOML"),
        ("ronds = 5", "'rounds'"),
        ("rounds = 5", "[data]"),
        ('[data]\nname = "syntetic"\n' + AGENTS, "'synthetic'"),
        ('[data]\nname = "synthetic"\narmss = 3\n' + AGENTS, "'arms'"),
        ('[data]\nname = "demo"\ntags = "x.csv"\n' + AGENTS, "one of name"),
        ('[data]\ncatalog = "nowhere.npz"\n' + AGENTS, "nowhere.npz"),
        ('[data]\nname = "demo"\n', "[agents.MCR]"),
        ('[data]\nname = "demo"\n[agents.A]\nbeta = 1\n', "recipe"),
        ('[data]\nname = "demo"\n[agents.A]\nrecipe = "linucv"\n', "'linucb'"),
        ('[data]\nname = "demo"\n[agents.A]\nrecipe = "linucb"\nbetta = 1\n', "'beta'"),
        ('[data]\nname = "demo"\n[people]\npool = 1\n' + AGENTS, "'pool_size'"),
        ('baseline = "MRC"\n[data]\nname = "demo"\n' + AGENTS, "'MCR'"),
        ('arrivals = "at once"\n[data]\nname = "demo"\n' + AGENTS, "'interleaved'"),
        ('rounds = 0\n[data]\nname = "demo"\n' + AGENTS, "rounds"),
        ('data = 3\n[agents.A]\nrecipe = "linucb"\n', "[data]"),
        (
            '[data]\nname = "demo"\n[agents.A]\nrecipe = "arm_con"\nschedule = { name = "evry" }\n',
            "'every'",
        ),
    ],
)
def test_a_mistake_is_named_with_what_would_be_right(tmp_path: Path, text: str, named: str) -> None:
    refused(lambda: run_spec(write(tmp_path, text), tmp_path / "out"), named)
    assert not (tmp_path / "out").exists()


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    refused(lambda: run_spec(tmp_path / "no.toml", tmp_path), "no.toml")


def test_another_comparison_under_the_same_name_is_refused(tmp_path: Path) -> None:
    text = '[data]\nname = "demo"\n[people]\nusers = 2\n' + AGENTS
    run_spec(write(tmp_path, "rounds = 5\nrepeats = 1\n" + text), tmp_path / "out")
    other = write(tmp_path, "rounds = 6\nrepeats = 1\n" + text)
    refused(lambda: run_spec(other, tmp_path / "out"), "rounds: 5 there, 6 now")


def test_people_and_parts_of_ones_own(tmp_path: Path) -> None:
    """By name, from a module beside the file; such people have no taste to be wrong of."""
    (tmp_path / "parts_of_a_comparison.py").write_text(
        "import conlinucb as cl\n"
        "class Kind(cl.People):\n"
        "    pool_size = 5\n"
        "    def __init__(self, thetas, always=1.0):\n"
        "        self.users, self.always = len(thetas), always\n"
        "    def __len__(self):\n"
        "        return self.users\n"
        "    def answer(self, place, question, number):\n"
        "        return self.always\n"
        "    def reward(self, place, arm):\n"
        "        return self.always\n"
        "    def values(self, place, arms):\n"
        "        return 0.5 + 0.0 * arms\n"
        "class Last:\n"
        "    name = 'last'\n"
        "    def choose(self, view):\n"
        "        return view.offered[-1]\n"
    )
    path = tmp_path / "mine.toml"
    path.write_text(
        "rounds = 4\nrepeats = 1\n[data]\nname = 'synthetic'\narms = 20\nterms = 5\nd = 3\n"
        "[people]\nkind = 'parts_of_a_comparison:Kind'\nusers = 2\nalways = 0.75\nrefuses = 1.0\n"
        "[agents.mine]\nrecipe = 'own'\nstrategy = 'parts_of_a_comparison:Last'\n"
        "schedule = { name = 'every', n = 1 }\n"
    )
    outcome = run_spec(path, tmp_path / "out")
    assert outcome.agents["mine"].last.error is None
    assert outcome.agents["mine"].last.questions == 4
    assert outcome.agents["mine"].last.regret == 0
    assert "NaN" not in (tmp_path / "out" / "own" / "mine" / "base.json").read_text()


def test_pairs_from_a_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "rounds = 30\nrepeats = 1\n[data]\nname = 'synthetic'\narms = 60\nterms = 9\nd = 4\n"
        "[people]\nkind = 'ClickUsers'\nlink = 'clip'\nusers = 3\npool_size = 10\ncompares = 0.2\n"
        "[agents.theirs]\nrecipe = 'relative_conucb'\npair_update = 'winner'\n"
        "[agents.fast]\nrecipe = 'relative_conucb'\n"
        "strategy = { name = 'relative-difference', exact = false }\n"
        "[agents.crossed]\nrecipe = 'conlinucb'\nstrategy = 'max-radius-pairs'\n"
        "pair_update = 'both'\n",
    )
    outcome = run_spec(path, tmp_path / "out")
    data = synthetic(arms=60, terms=9, d=4, users=3)
    inner = cl.ClickUsers(np.asarray(data.thetas), link="clip", pool_size=10)
    agents = {
        "theirs": cl.relative_conucb(data.catalog, pair_update="winner"),
        "fast": cl.relative_conucb(data.catalog, strategy=RelativeDifference(exact=False)),
        "crossed": cl.conlinucb(data.catalog, strategy="max-radius-pairs", pair_update="both"),
    }
    direct = cl.simulate(agents, cl.Compares(inner, noise=0.2), rounds=30)
    for name in agents:
        assert outcome.regret(name) == direct.final_regret(name).mean()
