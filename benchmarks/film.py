"""A silent film of a newcomer's first minute, as one animated image.

``python -m benchmarks.film docs/page/first-minute.webp``.
"""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.page import browser

SIZE = {"width": 1440, "height": 900}
SHOWN = (960, 600)
"""Pixels of the image; the page is drawn larger, so that its text stays crisp."""
QUALITY = 70
Take = tuple[bytes, int]
"""A picture, and for how many milliseconds it stands."""


def make(path: Path) -> int:
    """Play the first minute, write it down, and return its bytes."""
    image = importlib.import_module("PIL.Image")
    with browser() as (chromium, base):
        context = chromium.new_context(viewport=SIZE, color_scheme="light")
        takes = list(_first_minute(context.new_page(), base))
        context.close()
    frames = [image.open(io.BytesIO(taken)).convert("RGB").resize(SHOWN) for taken, _ in takes]
    stands = [milliseconds for _, milliseconds in takes]
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=stands, loop=0, quality=QUALITY
    )
    return path.stat().st_size


def _first_minute(page: Any, base: str) -> Iterator[Take]:
    """What somebody does who loves Alien and is no friend of musicals."""

    def take(milliseconds: int) -> Take:
        page.wait_for_timeout(350)  # what moves has arrived
        return page.screenshot(), milliseconds

    page.goto(base + "/")
    page.locator("#onward").wait_for()
    yield take(1800)
    for letters in ("ali", "en"):
        page.get_by_role("combobox").first.press_sequentially(letters)
        page.locator(".suggestion").first.wait_for()
        yield take(700)
    page.keyboard.press("Enter")
    yield take(900)
    for topic, presses in (("suspense thrillers", 1), ("musicals", 2)):
        for _ in range(presses):
            page.locator(f'.choice-chip[data-term="{topic}"] .face').first.click()
        yield take(800)
    page.get_by_role("button", name="Show me films").click()
    yield from _conversation(page, take)
    page.goto(base + "/taste")
    page.locator(".bloom").wait_for()
    yield take(3500)


def _conversation(page: Any, take: Any) -> Iterator[Take]:
    """Twice three films and a question."""
    for _ in range(2):
        page.locator(".card[data-item]").first.wait_for()
        yield take(2200)
        page.get_by_role("button", name="Like: ").first.click()
        yield take(900)
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Yes", exact=True).wait_for()
        yield take(1600)
        page.get_by_role("button", name="Yes", exact=True).click()
    page.locator(".card[data-item]").first.wait_for()
    yield take(2200)


if __name__ == "__main__":
    print(f"{make(Path(sys.argv[1])):,} bytes")
