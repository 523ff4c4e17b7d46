"""A page of an algorithm says where it is from, how it is used and checked, what was found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ALGORITHMS = Path(__file__).parents[2] / "docs" / "algorithms"
PAGES = sorted(path.stem for path in ALGORITHMS.glob("*.md") if path.stem != "index")
SAYS = {
    "formula": r"^```\n|^    \S.*=|x'theta",
    "source": r"^\*\*Source\.\*\*|^After ",
    "reference test": r"^\*\*Reference\.\*\*",
    "command": r"`cl\.|>>> ",
    "result": r"^\*\*(Measured|Result|Results)\.\*\*",
    "deviations": r"^\*\*(Deviations|Ours, and deviations)\.\*\*",
}
SEVERAL = {"when-to-ask": {"deviations"}}
"""Pages of several schedules, which say at each what is ours."""


def lacking(text: str) -> set[str]:
    return {what for what, shape in SAYS.items() if not re.search(shape, text, re.MULTILINE)}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_everything(name: str) -> None:
    text = (ALGORITHMS / f"{name}.md").read_text("utf-8")
    assert lacking(text) - SEVERAL.get(name, set()) == set()


@pytest.mark.parametrize("what", SAYS)
def test_what_is_missing_would_be_found(what: str) -> None:
    text = (ALGORITHMS / "conlinucb.md").read_text("utf-8")
    assert lacking(text) == set()
    gone = re.sub(SAYS[what], "", text, flags=re.MULTILINE)
    assert what in lacking(gone)


def test_every_page_is_in_the_list() -> None:
    listed = (ALGORITHMS / "index.md").read_text("utf-8")
    assert [name for name in PAGES if f"({name}.md)" not in listed] == []
