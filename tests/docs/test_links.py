"""Every link inside the repository's pages leads somewhere, to the very heading."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest
from docs.generate import api, gallery

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT)
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md"),
                 *ROOT.glob("deploy/**/*.md"))
    if not {"made", "_build"} & set(path.relative_to(ROOT).parts)
)  # fmt: skip
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)|:link: (\S+)")
MADE = {
    *(ROOT / "docs/made/api" / f"{name}.rst" for name in api.pages()),
    *(ROOT / "docs/made" / name for name in gallery.pages(ROOT / "examples")),
    *(ROOT / "docs/made" / name for name in ("command-line.md", "http.md", "metrics.md")),
    *(ROOT / "docs/made" / name for name in ("capacity.md", "history.md")),
}
"""Pages that a build writes."""


def links(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)
    found = ["".join(each) for each in LINK.findall(text)]
    return [each for each in found if not re.match(r"[a-z]+:", each)]


@lru_cache
def anchors(path: Path) -> set[str]:
    """Headings as addresses: small letters, hyphens for spaces, nothing else."""
    lines = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL).splitlines()
    titles = [line.lstrip("# ") for line in lines if line.startswith("#")]
    plain = [re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles]
    return set(plain)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for link in links(page):
        target, _, anchor = link.partition("#")
        path = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        known = path.exists() or path in MADE or path.with_name(path.name + ".md").exists()
        if not known or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
            wrong.append(link)
    assert not wrong


def test_a_wrong_link_would_be_found() -> None:
    page = Path("docs/index.md")
    assert "people.md" in links(page)
    assert "no-such-heading" not in anchors(ROOT / "docs/people.md")
    assert "a-log-of-your-own" in anchors(ROOT / "docs/people.md")
