"""docs/compare.md as a reader follows it: its files, both comparisons, what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conlinucb.cli.reproduction import compare

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")
MORE = 24
"""Recipes beyond the page's own."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def write_files(folder: Path, more: int) -> None:
    """The page's two tables, with as many more dishes."""
    tags, stars = blocks("text")[:2]
    names = ("vegan", "warm", "quick", "nuts", "sweet")
    for i in range(more):
        tags += f"Dish {i},{names[i % 5]}\nDish {i},{names[i // 5]}\n"
        stars += f"ann,Dish {i},{1 + i % 5}\nbo,Dish {i},{1 + (i // 2) % 5}\n"
    (folder / "tags.csv").write_text(tags)
    (folder / "stars.csv").write_text(stars)


@pytest.mark.parametrize("more", [0, MORE], ids=["as printed", "more"])
@pytest.mark.parametrize("number", [0, 1])
def test_the_page_leads_from_two_files_to_a_citable_report(
    number: int, more: int, tmp_path: Path
) -> None:
    write_files(tmp_path, more)
    (tmp_path / "recipes.toml").write_text(blocks("toml")[number])
    said: list[str] = []
    compare(tmp_path / "recipes.toml", tmp_path / "results" / "recipes", "threads", said.append)
    for name in re.findall(r"^\| `([^`]+)` \|", PAGE.split("**5. Read it.**")[1], re.MULTILINE)[:5]:
        assert (tmp_path / "results" / "recipes" / name).exists()
    text = (tmp_path / "results" / "recipes" / "methods.md").read_text(encoding="utf-8")
    quoted = " ".join(re.findall(r"^> (.*)$", PAGE, re.MULTILINE)).removesuffix(" ...")
    assert (quoted in text) == (number == 0)
    assert any("methods.md" in each for each in said)


def test_agents_that_do_the_same_are_said_to(tmp_path: Path) -> None:
    write_files(tmp_path, 0)
    spec = """rounds = 5
repeats = 1
[data]
tags = "tags.csv"
[people]
users = 4
pool_size = 3
[agents.one]
recipe = "linucb"
[agents.other]
recipe = "linucb"
"""
    (tmp_path / "twins.toml").write_text(spec)
    said: list[str] = []
    compare(tmp_path / "twins.toml", tmp_path / "twins", "threads", said.append)
    assert any("one has the least regret" in each and "the same as other." in each for each in said)
