"""The page in a real browser: how heavy it is, how soon it shows, and pictures of it."""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.server import BenchFailed, free_port, running
from conlinucb.errors import MissingExtra

PAGES = {
    "talk": "/",
    "taste": "/taste",
    "profile": "/profile",
    "compare": "/compare",
    "build": "/build",
    "dashboard": "/dashboard",
}
SLOWDOWN = 4
"""How many times slower the processor is made, as for a phone."""
WIDTHS = {390: 844, 820: 1180, 1440: 900}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OBSERVE = """() => new Promise((done) => {
  const sum = (entries) => entries.reduce((all, each) => all + each.value, 0);
  new PerformanceObserver((list) => done(sum(list.getEntries())))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(0), 500);
})"""
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
Row = dict[str, Any]


@contextmanager
def browser() -> Iterator[Any]:
    """A Chromium of this machine, and the address of a service with the demo films."""
    try:
        sync_api = importlib.import_module("playwright.sync_api")
    except ModuleNotFoundError:
        raise MissingExtra("test", "Driving a browser") from None
    found = os.environ.get("CONLINUCB_CHROMIUM") or next(
        filter(None, map(shutil.which, BROWSERS)), ""
    )
    if not found:
        raise BenchFailed(f"There is no browser here: none of {', '.join(BROWSERS)} is installed.")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, sync_api.sync_playwright() as playwright:
        database = f"sqlite:///{folder}/page.db"
        command = ["-m", "conlinucb", "serve", "--port", str(port), "--database", database]
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        with running(command, port):
            chromium = playwright.chromium.launch(
                executable_path=found, args=["--no-sandbox"] if root else []
            )
            yield chromium, f"http://127.0.0.1:{port}"
            chromium.close()


def measure(repeats: int = 5) -> Iterator[Row]:
    """A row for each page: bytes and requests of a first visit, and when it first shows."""
    with browser() as (chromium, base):
        for name, path in PAGES.items():
            visits = [_visit(chromium, base + path) for _ in range(repeats)]
            first = sorted(each["first_content"] for each in visits)
            yield {
                "page": name,
                "bytes": visits[0]["bytes"],
                "requests": visits[0]["requests"],
                "first_content": first[len(first) // 2],
                "slowest_first_content": first[-1],
                "layout_shift": max(each["layout_shift"] for each in visits),
            }


def _visit(chromium: Any, address: str) -> Row:
    """A newcomer, with nothing in the cache."""
    context = chromium.new_context(viewport={"width": 390, "height": WIDTHS[390]})
    page = context.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(_bytes(request)))
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.goto(address, wait_until="networkidle")
    found = {"first_content": page.evaluate(_PAINT), "layout_shift": page.evaluate(_OBSERVE)}
    context.close()
    return {**found, "bytes": sum(sizes), "requests": len(sizes)}


def _bytes(request: Any) -> int:
    sizes = request.sizes()
    return int(sizes["responseBodySize"] + sizes["responseHeadersSize"])


def line(row: Row) -> str:
    """One line of the text report."""
    return (
        f"{row['page']:9s} {row['bytes'] / 1000:6.1f} kB in {row['requests']:2d} requests, "
        f"first content after {row['first_content']:.0f} ms "
        f"(slowest {row['slowest_first_content']:.0f}), "
        f"layout shift {row['layout_shift']:.3f}"
    )


FOOTNOTE = f"First visits over loopback at 390 pixels, processor slowed down {SLOWDOWN} times."


def take_pictures(folder: Path) -> Iterator[Path]:
    """Each page in both themes at each width."""
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as (chromium, base):
        for theme in ("light", "dark"):
            for width, height in WIDTHS.items():
                size = {"width": width, "height": height}
                context = chromium.new_context(viewport=size, color_scheme=theme)
                for name, page in _walk(context.new_page(), base):
                    path = folder / f"{name}-{theme}-{width}.png"
                    page.wait_for_timeout(500)  # what glides has arrived
                    page.screenshot(path=path, full_page=True)
                    _shrink(path)
                    yield path
                context.close()


def _walk(page: Any, base: str) -> Iterator[tuple[str, Any]]:
    """A beginning, a short conversation, then the other pages."""
    page.goto(base + "/")
    page.locator("#onward").wait_for()
    yield "beginning", page
    page.get_by_role("combobox").first.press_sequentially("alien")
    page.locator(".suggestion").first.wait_for()
    yield "suggestions", page
    page.keyboard.press("Enter")
    page.locator('.choice-chip[data-term="science fiction"] .face').first.click()
    page.get_by_role("button", name="Show me films").click()
    page.get_by_role("button", name="Save: ").nth(1).click()
    for rating in ("Like: ", "Not for me: "):
        page.get_by_role("button", name=rating).first.click()
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Yes", exact=True).wait_for()
        if rating == "Like: ":
            yield "question", page
        page.get_by_role("button", name="Yes", exact=True).click()
        page.locator(".card[data-item]").first.wait_for()
    page.get_by_text("Why this?").first.click()
    page.locator(".parts li").first.wait_for()
    yield "items", page
    yield from _walk_on(page, base)


def _walk_on(page: Any, base: str) -> Iterator[tuple[str, Any]]:
    page.goto(base + "/taste")
    page.locator(".bloom").wait_for()
    yield "taste", page
    link = page.get_by_label("Link to share").input_value()
    page.goto("about:blank")
    page.goto(link)
    page.get_by_role("link", name="Find your own taste").wait_for()
    yield "shared", page
    page.goto(base + "/profile")
    page.get_by_role("button", name="Take back").first.click()
    page.get_by_text("Taken back").first.wait_for()
    yield "profile", page
    page.goto(base + "/compare")
    page.get_by_text("30 of 30").first.wait_for()
    yield "compare", page


def _shrink(path: Path) -> None:
    """128 colours are enough for these pages, at a third of the bytes."""
    image = importlib.import_module("PIL.Image")
    with image.open(path) as picture:
        picture.convert("RGB").quantize(128).save(path, optimize=True)
