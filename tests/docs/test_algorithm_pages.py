"""A page of an algorithm says where it is from, how it is used and checked, what was found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALGORITHMS = ROOT / "docs" / "algorithms"
PAGES = sorted(path.stem for path in ALGORITHMS.glob("*.md") if path.stem != "index")
LATER = (
    *("sharing", "groups", "relative-feedback", "clusters", "graph", "when-to-ask", "logistic"),
    *("conduel", "conts", "hierarchy", "hier-linucb", "design", "log-det", "thompson"),
)
PARAGRAPH = r"(?:(?!\n\n)[\s\S])*?"
RESULT = rf"^\*\*(?:Measured|Results?)\.\*\*{PARAGRAPH}"
SAYS = {
    "formula": r"^```\n|^    \S.*=|x'theta",
    "source": r"^\*\*Source\.\*\*|^After ",
    "what is theirs, what ours": r"\b[Oo]urs\b|[Tt]he authors'|the paper",
    "reference test": rf"^\*\*Reference\.\*\*{PARAGRAPH}`tests/\S+\.py`",
    "command": r"`cl\.|>>> ",
    "result": rf"{RESULT}\]\(\.\./results/[\w-]+\.md\)",
    "command of the result": rf"{RESULT}`conlinucb (?:reproduce|people)\b",
    "deviations": r"^\*\*(Deviations|Ours, and deviations)\.\*\*",
}
NAMED = re.compile(r"`(tests/\w[\w/]*\.py)`")


def page(name: str) -> str:
    return (ALGORITHMS / f"{name}.md").read_text("utf-8")


def lacking(text: str) -> set[str]:
    return {what for what, shape in SAYS.items() if not re.search(shape, text, re.MULTILINE)}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_everything(name: str) -> None:
    assert lacking(page(name)) == set()


@pytest.mark.parametrize("name", PAGES)
def test_tests_that_a_page_names_are_there(name: str) -> None:
    named = NAMED.findall(page(name))
    assert named
    assert [each for each in named if not (ROOT / each).is_file()] == []


@pytest.mark.parametrize("what", SAYS)
@pytest.mark.parametrize("name", ["conlinucb", "conts", "design"])
def test_what_is_missing_would_be_found(name: str, what: str) -> None:
    gone = re.sub(SAYS[what], "", page(name), flags=re.MULTILINE)
    assert what in lacking(gone)


def test_a_result_that_is_told_elsewhere_is_missing() -> None:
    """A link or a command of another paragraph is none of the result's."""
    text = "**Result.** Not by itself.\n\n`conlinucb reproduce 1a`: [1a](../results/1a.md)\n"
    assert {"result", "command of the result"} <= lacking(text)


def test_every_page_is_in_the_list() -> None:
    listed = (ALGORITHMS / "index.md").read_text("utf-8")
    assert [name for name in PAGES if f"({name}.md)" not in listed] == []
    assert sorted(set(LATER) - set(PAGES)) == []
