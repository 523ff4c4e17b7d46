"""Pages of the documentation that come from the code: written anew at every build, into ``made``.

What is written by hand cannot be forgotten there: an option, a route, a metric or a public name
that exists has its place, or ``make docs`` fails.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import api, capacity, command_line, gallery, history, http, metrics


def make_all(docs: Path) -> None:
    """Write every generated page below ``docs / "made"``; what has not changed is left alone."""
    made = docs / "made"
    pages = {
        **{f"api/{name}.rst": text for name, text in api.pages().items()},
        "command-line.md": command_line.page(),
        "http.md": http.page(),
        "metrics.md": metrics.page(),
        "capacity.md": capacity.page(),
        **history.pages(),
        **gallery.pages(docs.parent / "examples"),
    }
    for name, text in pages.items():
        write(made / name, text)
    for path in sorted(made.rglob("*")):
        if path.is_file() and str(path.relative_to(made)) not in pages:
            path.unlink()  # of something that is no more
    for path in sorted(made.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            shutil.rmtree(path)


def write(path: Path, text: str) -> None:
    """Only where it differs, so that Sphinx reads again only what changed."""
    if path.exists() and path.read_text("utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
