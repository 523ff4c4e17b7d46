"""Twelve people with steady tastes, on a service that knows nobody, each with a real browser."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib import resources
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from support import browser
from support.browser import Come, button, face, name, shown, skip
from support.service_world import Server
from support.tastes import STEADY

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
FIRST, EACH = 9, 3
MANY_ROUNDS = 20


def films() -> dict[str, set[str]]:
    text = (resources.files("conlinucb.datasets") / "demo_films.tsv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return {f"{row['title']} ({row['year']})": set(row["topics"].split("|")) for row in rows}


FILMS = films()


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service of its own: whoever comes to the shared one would be learned from."""
    folder = tmp_path_factory.mktemp("personas")
    server = Server(f"sqlite:///{folder / 'service.db'}")
    try:
        yield server.wait()
    finally:
        server.kill()


class Visit(NamedTuple):
    shown: list[str]
    asked: list[tuple[str, bool]]
    """Topics, and whether the answer was yes."""

    def fitting(self, taste: tuple[str, ...]) -> int:
        return sum(fits(each, taste) for each in self.shown[:FIRST])


def fits(film: str, taste: tuple[str, ...]) -> bool:
    return not FILMS[film].isdisjoint(taste)


def favourite(taste: tuple[str, ...]) -> str:
    """A film with as many of the topics as any has; the first in the list."""
    return max(FILMS, key=lambda film: len(FILMS[film] & set(taste)))


def talk(page: Page, taste: tuple[str, ...], rounds: int) -> Visit:
    """Answer truthfully, say of each film what one thinks of it, and go on."""
    visit = Visit([], [])
    while len(visit.shown) < rounds * EACH:
        expect(page.locator("#step:not([aria-busy]) h2")).to_be_visible()
        if page.locator(".answers").count():
            topic = str(page.locator("h2.asked").get_attribute("data-term"))
            likes = topic in taste
            visit.asked.append((topic, likes))
            page.keyboard.press("y" if likes else "n")
        else:
            visit.shown.extend(shown(page))
            for film in shown(page)[:EACH]:
                likes = fits(film, taste)
                button(page, f"{'Like' if likes else 'Not for me'}: {film}").click()
            button(page, "Go on", exact=False).click()
        expect(page.locator("#step[aria-busy]")).to_have_count(0)
    return visit


def everyone(come: Come, strangers: Server, begin: str, rounds: int = 3) -> list[Visit]:
    found = []
    for taste in STEADY:
        guest = come(server=strangers, reduced_motion="reduce")
        page = guest.open()
        if begin == "favourite":
            name(page, favourite(taste))
            button(page, "Show me films").click()
        elif begin == "topics":
            page.get_by_text("All 58 topics").click()
            for topic in taste:
                face(page, topic).click()
            button(page, "Show me films").click()
        else:
            skip(page)
        found.append(talk(page, taste, rounds))
        guest.context.close()
    return found


def share(visits: list[Visit]) -> float:
    fitting = sum(each.fitting(taste) for each, taste in zip(visits, STEADY, strict=True))
    return 100 * fitting / (FIRST * len(visits))


def lowest(visits: list[Visit]) -> int:
    return min(each.fitting(taste) for each, taste in zip(visits, STEADY, strict=True))


def check(visits: list[Visit]) -> None:
    """No question twice, no film twice."""
    for visit in visits:
        topics = [topic for topic, _ in visit.asked]
        assert len(set(topics)) == len(topics)
        assert len(set(visit.shown)) == len(visit.shown)


def yes(visits: list[Visit]) -> float:
    answers = [likes for visit in visits for _, likes in visit.asked]
    return 100 * sum(answers) / len(answers)


def test_after_one_favourite_found_by_search(come: Come, strangers: Server) -> None:
    visits = everyone(come, strangers, "favourite")
    assert share(visits) >= 75
    assert lowest(visits) >= 3
    assert yes(visits) >= 20
    check(visits)


def test_after_picking_topics(come: Come, strangers: Server) -> None:
    """They have named all that they like, so no question can get a yes from them."""
    visits = everyone(come, strangers, "topics")
    assert share(visits) >= 85
    assert lowest(visits) >= 5
    check(visits)


def test_skipping_everything(come: Come, strangers: Server) -> None:
    visits = everyone(come, strangers, "nothing")
    assert share(visits) >= 46
    assert yes(visits) >= 20
    check(visits)


def test_twenty_rounds_show_no_film_twice(come: Come, strangers: Server) -> None:
    taste = STEADY[5]  # a narrow one: westerns
    guest = come(server=strangers, reduced_motion="reduce")
    page = guest.open()
    skip(page)
    visit = talk(page, taste, MANY_ROUNDS)
    assert len(visit.shown) == len(set(visit.shown)) == MANY_ROUNDS * EACH
    assert len({topic for topic, _ in visit.asked}) == len(visit.asked)
