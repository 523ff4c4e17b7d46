"""The numbered examples run, say what their texts say, and are the notebooks beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from examples.draw_all import drawn
from examples.make_notebooks import notebook_text, scripts, split
from nbclient import NotebookClient

SCRIPTS = scripts()
each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem[:2])
STARTS_A_SERVER = "14"
each_run = pytest.mark.parametrize(
    "script",
    [
        pytest.param(path, marks=pytest.mark.more if path.stem[:2] == STARTS_A_SERVER else ())
        for path in SCRIPTS
    ],
    ids=lambda path: path.stem[:2],
)
Named = dict[str, Any]


def first(named: Named, printed: str) -> None:
    assert named["fits"][named["seen"]].mean() > 0.5  # nobody was asked for a list of westerns
    again = named["agent"].recommend(named["user"], exclude=named["seen"]).ids[0]
    assert f"the same next film: {again}" in printed


def table(named: Named, printed: str) -> None:
    assert named["catalog"].term_ids == ("jazz", "calm", "rock", "british", "dreamy")
    assert "Did you mean 'album'?" in printed


def compared(named: Named, _: str) -> None:
    assert named["joined"].agents == ["MCR", "ConUCB", "LinUCB", "BS"]


def ellipse(named: Named, _: str) -> None:
    """The answer brings the estimate nearer to the truth than the reward alone did."""
    agent, question = named["agent"], named["question"]
    before = agent.new_user()
    agent.learn(before, "Alien", named["reward"])
    widest = agent.estimates(before).radii.argmax()
    assert question.index == widest
    truth = named["TRUE"]
    assert abs(truth - named["user"].theta).sum() < abs(truth - before.theta).sum()


def strategy(named: Named, printed: str) -> None:
    assert "careless: Strategy 'careless' chose" in printed
    assert named["results"].compare("doubtful", "random").high < 0


def people(named: Named, _: str) -> None:
    gains = named["gains"]
    assert max(gains[name].high for name in ("exact", "yes or no")) < 0
    assert gains["1 or 0"].low < 0 < gains["1 or 0"].high
    assert gains["yes or no"].improvement > 0.8 * gains["exact"].improvement


def population(named: Named, _: str) -> None:
    assert 0.85 < named["told"]["coverage"] < 0.95
    assert named["results"].compare("with others' log", "without", round=5).high < 0


def tuned(named: Named, _: str) -> None:
    assert named["tuned"].results.shape == (1, 20)
    assert named["tuned"].results.compare("MCR", "LinUCB").high < 0


def offline(named: Named, printed: str) -> None:
    held = {each.name for each in named["found"].estimates.values() if each.covers(named["truth"])}
    assert held == {"replay", "ips", "snips", "clipped", "dr"}
    assert "weights are" in printed.splitlines()[-1]


def libraries(named: Named, printed: str) -> None:
    assert "a clone is equal: True - the first agent is not: False" in printed
    assert named["theirs"] > named["results"].final_regret("LinUCB").mean()


def heard(named: Named, printed: str) -> None:
    """Who asks hits more often than who does not, of real people and of made-up ones."""
    assert ("MADE-UP" in printed) == (named["logged"].name == "made up")
    assert named["hits"]["asks"][-1] > named["hits"]["does not ask"][-1]


def rated(named: Named, printed: str) -> None:
    assert ("MADE-UP" in printed) == (named["logged"].name == "made up")
    assert named["after"].mean() < named["before"].mean()
    assert named["better"] > 0.6


def groups(named: Named, _: str) -> None:
    assert len(named["catalog"].term_ids) == 16
    assert named["results"].compare("one group", "no questions").high < 0


def client(named: Named, printed: str) -> None:
    assert named["ann"][0] < named["ann"][-1]
    assert "known of bo after taking it back: 0.0" in printed
    assert "422 unknown_name" in printed
    assert named["server"].returncode == 0


CLAIMS: list[Callable[[Named, str], None]] = [
    first, table, compared, ellipse, strategy, people, population, tuned, offline, libraries,
    heard, rated, groups, client,
]  # fmt: skip


def test_they_are_all_there_in_order() -> None:
    assert [path.name[:3] for path in SCRIPTS] == [
        f"{number:02}_" for number in range(1, len(CLAIMS) + 1)
    ]


@each_run
def test_a_script_does_what_its_text_says(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named, files = drawn(script, tmp_path)
    printed = capsys.readouterr()
    assert printed.err == ""
    assert len(printed.out.splitlines()) <= 30
    assert len(files) == 1
    CLAIMS[int(script.stem[:2]) - 1](named, printed.out)


@each_script
def test_a_notebook_is_what_its_script_makes(script: Path) -> None:
    notebook = script.with_suffix(".ipynb").read_text("utf-8")
    assert notebook == notebook_text(script), "run: python examples/make_notebooks.py"


@each_script
def test_a_script_begins_with_its_number_and_name(script: Path) -> None:
    (start, title), *_ = split(script.read_text("utf-8"))
    assert start == "# %% [markdown]"
    assert title.startswith(f"# # {int(script.stem[:2])}. ")
    listed = script.with_name("README.md").read_text("utf-8")
    assert f"({script.name})" in listed
    assert f"({script.stem}.ipynb)" in listed


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("import sys\n# %%\n", "'import sys'"),
        ("# %% [raw]\nx\n", "[raw]"),
        ("# %% [markdown]\nx = 1\n", "'x = 1'"),
    ],
)
def test_what_is_no_cell_is_refused(text: str, wrong: str, tmp_path: Path) -> None:
    script = tmp_path / "99_wrong.py"
    script.write_text(text)
    with pytest.raises(ValueError, match="begins with") as refusal:
        notebook_text(script)
    assert wrong in str(refusal.value)


@pytest.mark.more
@each_script
def test_a_notebook_runs_in_a_kernel(script: Path, tmp_path: Path) -> None:
    book = nbformat.read(script.with_suffix(".ipynb"), as_version=4)
    where = {"metadata": {"path": str(tmp_path)}}  # a notebook alone, nothing beside it
    NotebookClient(book, timeout=600, resources=where).execute()
    outputs = [each for cell in book.cells for each in cell.get("outputs", [])]
    shown = [each for each in outputs if "image/png" in each.get("data", {})]
    assert len(shown) == 1
    assert not [each.text for each in outputs if each.get("name") == "stderr"]
    assert "".join(each.text for each in outputs if each.get("name") == "stdout")
