"""The report of a comparison of one's own: its own names, its own facts, no word of the paper."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import conlinucb as cl
from conlinucb import report
from conlinucb.cli.reproduction import compare
from conlinucb.experiments.methods import methods
from conlinucb.experiments.run import outcomes
from support.own_comparison import TOML, write_comparison

NOT_RUN = ("the paper", "claim", "protocol", "ConLinUCB-", "reproduc", "authors'")
FIRST_WORDS = "We compared 3 agents (ConUCB, MCR and My <UCB>) in simulation with conlinucb"


@pytest.fixture(scope="module")
def said() -> list[str]:
    return []


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, said: list[str]) -> Path:
    folder = tmp_path_factory.mktemp("own")
    compare(write_comparison(folder), folder / "out", "threads", said.append)
    return folder / "out"


def text_of(page: Path) -> str:
    """What a reader sees: no styles, no markup, no pictures."""
    html = page.read_text(encoding="utf-8")
    shown = re.sub(r"<style>.*?</style>|<[^>]*>", " ", html, flags=re.DOTALL)
    return " ".join(shown.replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'").split())


def test_nothing_is_said_of_what_was_not_run(out: Path, said: list[str], tmp_path: Path) -> None:
    report.write_docs(out, tmp_path)
    texts = {
        "page": text_of(out / "report.html"),
        "alt": " ".join(re.findall(r'alt="([^"]*)"', (out / "report.html").read_text())),
        "terminal": " ".join(said),
        "methods": (out / "methods.md").read_text(encoding="utf-8"),
        "numbers": (out / "comparisons.json").read_text(encoding="utf-8"),
        **{path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.md")},
        **{path.name: path.read_text(encoding="utf-8") for path in out.glob("figures/*.svg")},
    }
    assert {"index.md", "dishes.md", "own-dishes.svg"} <= set(texts)
    for where, text in texts.items():
        for word in NOT_RUN:
            assert word.lower() not in text.lower(), (where, word)


def test_agents_keep_the_names_they_were_given(out: Path) -> None:
    svg = (out / "figures" / "own-dishes.svg").read_text(encoding="utf-8")
    for name in ("ConUCB", "MCR", "My &lt;UCB&gt;"):
        assert f"<!-- {name} -->" in svg
    page = (out / "report.html").read_text(encoding="utf-8")
    assert re.findall(r'<th scope=row data-label="Agent">(.*?)</th>', page) == [
        *("MCR", "My &lt;UCB&gt;"),
        *("ConUCB", "MCR", "My &lt;UCB&gt;"),
    ]


def test_the_page_has_every_fact_and_the_text(out: Path) -> None:
    page, (outcome,) = text_of(out / "report.html"), outcomes(out)
    made = methods(outcome)
    for each in (*made.paragraphs, *made.listed):
        assert " ".join(each.split()) in page
    prior = cl.Population.load(out.parent / "people.npz").digest()["prior"]
    version = cl.Catalog.from_tags(out.parent / "tags.csv", item="dish").version
    for fact in (prior, version, outcome.versions["numpy"], "linucb", "key-terms, by max-radius"):
        assert fact in page


def test_the_terminal_has_it_in_short(out: Path, said: list[str]) -> None:
    assert any(str(out / "methods.md") in each for each in said)
    assert any(each.strip().startswith(FIRST_WORDS) for each in said)


def test_the_numbers_lie_in_comparisons_not_in_claims(out: Path) -> None:
    found = json.loads((out / "comparisons.json").read_text())
    assert [(each["agent"], each["against"]) for each in found] == [
        ("MCR", "ConUCB"),
        ("My <UCB>", "ConUCB"),
    ]
    assert not (out / "claims.json").exists()


def test_a_mistake_leaves_no_folder_behind(tmp_path: Path) -> None:
    path = write_comparison(tmp_path, TOML.replace('baseline = "ConUCB"', 'baseline = "ConUCV"'))
    with pytest.raises(cl.UnknownName, match="'ConUCB'"):
        compare(path, tmp_path / "out", "threads", print)
    assert not (tmp_path / "out").exists()


def test_the_report_can_be_written_again(out: Path) -> None:
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    report.write(out)
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
