"""A file is dropped on the builder's home, and a page is looked at in every light."""

from __future__ import annotations

from typing import Any, Literal

from playwright.sync_api import Page, expect

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = (390, 1440)
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, { type: "text/csv" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    document.getElementById("drop").dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }
}"""


def check(axe: Any, page: Page) -> None:
    """Nothing to complain about, by day and by night, on a phone and on a desk, in large type."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for size in ("200%", "100%"):
            page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found = axe.run(page)
            told = f"{width} {scheme}: {found.generate_report()}"
            assert found.violations_count == 0, told


def drop(page: Page, name: str, text: str) -> None:
    expect(page.locator("#drop")).to_be_visible()
    page.evaluate(DROP, [name, text])
