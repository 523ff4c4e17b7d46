"""A taste worth keeping: one sentence, one picture, ten best; and a link that tells no more."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support import browser
from support.browser import IMAGE, SCRIPT, Come, Guest, button, face, name, settled, shown

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come


def taste_of(guest: Guest) -> Page:
    """Someone who loves space and cannot stand musicals, and has saved a film."""
    page = guest.open()
    name(page, "alien")
    face(page, "science fiction").click()
    face(page, "musicals").dblclick()
    button(page, "Show me films").click()
    expect(page.locator(".card[data-item]")).to_have_count(3)
    button(page, f"Save: {shown(page)[0]}").click()
    page.get_by_role("link", name="Your list: 1").click()
    return settled(page)


def test_a_taste_in_a_sentence_a_picture_and_ten_best(come: Come, tmp_path: Path) -> None:
    guest = come()
    page = taste_of(guest)
    before = guest.kinds()
    sentence = page.locator("#summary").inner_text()
    assert sentence.startswith("You love science fiction")
    assert "can do without musicals" in sentence
    expect(page.get_by_role("img", name=sentence)).to_be_visible()
    expect(page.locator(".best .tile")).to_have_count(10)
    best = guest.ask("/best", k=10).json()["items"]
    first = page.locator(".best .tile-name").first
    expect(first).to_contain_text(best[0]["title"])
    expect(page.locator(".saved .tile")).to_have_count(1)
    with page.expect_download() as download:
        button(page, "Export").click()
    exported = json.loads(Path(str(download.value.path())).read_text("utf-8"))
    assert exported["sentence"] == sentence
    assert len(exported["best"]) == 10
    page.emulate_media(media="print")
    expect(page.locator("nav")).to_be_hidden()
    expect(page.locator(".bloom")).to_be_visible()
    page.emulate_media(media="screen")
    button(page, "Remove: ", exact=False).click()
    expect(page.locator(".saved .tile")).to_have_count(0)
    assert guest.kinds() == before  # looking says nothing


def test_a_shared_link_shows_the_taste_and_nothing_else(come: Come) -> None:
    guest = come()
    page = taste_of(guest)
    sentence = page.locator("#summary").inner_text()
    link = page.get_by_label("Link to share").input_value()
    told = unpacked(link.split("#")[1])
    assert set(told) == {"v", "love", "like", "not", "petals", "best", "nouns"}
    other = come()
    seen = other.open(link.removeprefix(other.server.base), settle=False)
    expect(seen.locator("#summary")).to_have_text(sentence.replace("You", "They", 1))
    expect(seen.locator(".best .tile")).to_have_count(10)
    assert not [url for url in other.called if "/v1/" in url]  # nothing is asked for, or told
    seen.get_by_role("link", name="Find your own taste").click()
    expect(seen.get_by_role("heading", name="What do you love?")).to_be_visible()
    assert other.ask().status_code == 404


def unpacked(text: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def packed(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_forged_link_is_only_ever_text(come: Come) -> None:
    guest = come()
    many = [f"{SCRIPT}{i}" for i in range(50)]
    forged = {"v": 1, "love": [IMAGE, *many], "like": 7, "not": [None, {}], "best": many}
    page = guest.open(f"/taste#{packed(forged)}", settle=False)
    expect(page.locator("#summary")).to_contain_text(IMAGE)
    expect(page.locator(".best .tile")).to_have_count(10)
    assert page.evaluate("() => typeof window.hacked") == "undefined"
    for text in (
        packed({"v": 2, "love": ["x"]}),
        packed({"v": 1, "love": ["x" * 300]}),
        packed({"v": 1, "love": ["x"], "more": "y" * 9000}),
        packed([]),
        "A" * 60,
        "%00%ff",
    ):
        page = guest.open(f"/taste#{text}")
        expect(page.get_by_role("link", name="Begin")).to_be_visible()  # one's own, still empty
        page.close()
