"""Logged people in the report and in the documentation's pages."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from conlinucb import report
from conlinucb.errors import IncompatibleState
from conlinucb.experiments import ITEMS
from conlinucb.experiments.people.figures import Figure
from conlinucb.experiments.people.findings import findings
from conlinucb.experiments.people.outcome import PeopleOutcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.run import run_setting
from conlinucb.experiments.setting import Size, settings_of
from conlinucb.progress import Progress
from conlinucb.report.people import people_outcomes
from conlinucb.report.people.draw import draw
from conlinucb.report.pictures import pyplot
from support.logged_people import some_benchmark

pytestmark = pytest.mark.more  # a benchmark played and drawn

TITLE = "Real people: newcomers in real logs"
COMMAND = "conlinucb people --log plays.csv --tags tags.csv"
TINY = Size(runs=1, users=3, rounds=20, trials=2, tuning_users=2)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("people")
    for implicit in (True, False):
        benchmark = some_benchmark(implicit, out)
        benchmark.outcome(Progress(benchmark.work, shown=False), COMMAND)
    return out


@pytest.fixture
def out(played: Path, tmp_path: Path) -> Path:
    """A folder with the outcomes alone."""
    shutil.copytree(played / "people", tmp_path / "out" / "people")
    return tmp_path / "out"


def reproduce(out: Path) -> None:
    setting = settings_of(ITEMS["1a"], PROTOCOLS["authors"], TINY, seed=0)[0]
    run_setting(setting, out, Progress(1, shown=False), command="conlinucb reproduce 1a")


def unquicken(out: Path) -> None:
    for path in (out / "people").glob("*.json"):
        content = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({**content, "quick": False}), "utf-8")


def test_a_report_of_people_alone_tells_all_of_them(out: Path) -> None:
    text = report.write(out).read_text("utf-8")
    found = people_outcomes(out)
    assert [each.task for each in found] == ["plays", "stars"]
    assert f"<h1>{TITLE}</h1>" in text
    assert "Quick run: too small" in text
    assert text.count("<img") == 3 * len(found)
    for outcome in found:
        assert all(name in text for name in outcome.contenders)
        for each in outcome.contenders.values():
            assert f'data-value="{each.first.mean}"' in text
        for sentence in findings(outcome):
            assert sentence.split(":")[0] in text
    assert COMMAND in text
    assert "Efficient Explorative" not in text  # no item of the paper was run


def test_people_stand_beside_a_reproduction(out: Path) -> None:
    reproduce(out)
    text = report.write(out).read_text("utf-8")
    assert TITLE in text
    assert "Efficient Explorative" in text
    assert "2 of 3 settings were run small" in text
    assert 'href="#item-people"' in text
    assert 'href="#item-1a"' in text


def test_a_full_run_of_people_is_not_called_quick(out: Path, tmp_path: Path) -> None:
    unquicken(out)
    assert "Quick run" not in report.write(out).read_text("utf-8")
    (page,) = report.write_docs(out, tmp_path / "docs")
    assert "Quick run" not in page.read_text("utf-8")
    for picture in (out / "figures").glob("*.svg"):
        assert "quick" not in picture.read_text("utf-8")


def test_a_page_for_the_documentation_with_its_pictures(out: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (page,) = report.write_docs(out, docs)
    text = page.read_text("utf-8")
    assert page.name == "people.md"
    assert text.startswith(f"# {TITLE}\n\n**Quick run")
    assert COMMAND in text
    figures = re.findall(r"\]\((figures/[^)]+)\)", text)
    assert len(figures) == 6
    for figure in figures:
        assert "quick run" in (docs / figure).read_text("utf-8")
    assert not re.search(r">>>|/tmp|nan", text)


def entries(index: Path) -> list[str]:
    return re.findall(r"^- \[.*\]\((.*\.md)\)$", index.read_text("utf-8"), re.MULTILINE)


def test_the_index_links_the_page_whichever_was_written_first(out: Path, tmp_path: Path) -> None:
    docs, papers = tmp_path / "docs", tmp_path / "paper"
    reproduce(papers)
    report.write_docs(papers, docs)
    assert entries(docs / "index.md") == ["1a.md"]
    for _ in range(2):
        report.write_docs(out, docs)
        assert entries(docs / "index.md") == ["people.md", "1a.md"]
    before = (docs / "index.md").read_text("utf-8")
    report.write_docs(papers, docs)
    assert (docs / "index.md").read_text("utf-8") == before


def test_another_format_is_refused(out: Path) -> None:
    path = out / "people" / "plays.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "format": 99}), "utf-8")
    with pytest.raises(IncompatibleState, match="99"):
        report.write(out)


def test_nobody_below_chance_is_cut_off_and_no_label_runs_into_another(out: Path) -> None:
    outcome = people_outcomes(out)[0]
    worse = replace(outcome.contenders["chance"], first=Figure(mean=-5.0, low=-12.0, high=2.0))
    changed: PeopleOutcome = replace(
        outcome, contenders={**outcome.contenders, "chance": worse},
        curve=(*outcome.curve, replace(outcome.curve[-1], people=50)),
    )  # fmt: skip
    glance, _, logged = draw(changed)
    for drawing in (glance, logged):
        drawing.figure.canvas.draw()
    assert glance.figure.axes[0].get_xlim()[0] <= -12.0
    labels = glance.figure.axes[0].texts
    right = glance.figure.get_window_extent().x1
    assert all(each.get_window_extent().x1 <= right for each in labels)
    ticks = [each.get_window_extent() for each in logged.figure.axes[0].get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in pairwise(ticks))
    assert len(ticks) == 4  # 48 and 50 share one
    pyplot().close("all")
