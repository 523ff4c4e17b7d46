"""The examples as pages: their notebooks, executed when the documentation is built."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

HEAD = """# Gallery

Examples that run in a few seconds each, from a belief in two dimensions to a server that is talked
to. Every page is a notebook that was executed when this site was built, and so are the pictures;
scripts and notebooks are in the repository's folder `examples`. Two are about real people: they
say whether their data were there.

"""


def pages(examples: Path) -> dict[str, str]:
    """The notebooks, and a page that lists them with what their first words say."""
    books = sorted(examples.glob("[0-9][0-9]_*.ipynb"))
    found = {f"gallery/{book.name}": book.read_text("utf-8") for book in books}
    cards = "".join(_card(book) for book in books)
    tree = "\n".join(book.stem for book in books)
    listed = (
        f"{HEAD}::::{{grid}} 1 2 2 3\n:gutter: 3\n\n{cards}::::\n\n"
        f"```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )
    return {**found, "gallery/index.md": listed}


def _card(book: Path) -> str:
    """Its title and the first sentence of its text."""
    first = "".join(json.loads(book.read_text("utf-8"))["cells"][0]["source"])
    title, _, rest = first.partition("\n")
    told = " ".join(rest.split("\n\n")[0].split()) or " ".join(rest.split())
    sentence = told.split(". ")[0].rstrip(".:") + "."
    return (
        f":::{{grid-item-card}} {title.lstrip('# ')}\n:link: {book.stem}\n:link-type: doc\n\n"
        f"{sentence}\n:::\n\n"
    )


INDEX = "made/gallery/index"


def with_pictures(app: Any, doctree: Any, name: str) -> None:
    """On each card of the gallery the last picture of its example, as it was just drawn."""
    if name != INDEX:
        return
    nodes = importlib.import_module("docutils.nodes")  # where Sphinx is

    cards = [each for each in doctree.findall(nodes.container) if "sd-card" in each["classes"]]
    books = sorted(
        each for each in app.env.found_docs if each.startswith(INDEX[:-5]) and each != INDEX
    )
    for card, book in zip(cards, books, strict=True):
        drawn = list(app.env.get_doctree(book).findall(nodes.image))
        if drawn:
            picture = drawn[-1].deepcopy()
            picture["classes"] = ["sd-card-img-top"]
            picture["alt"] = f"The picture of {card.astext().splitlines()[0]}"
            card.insert(0, picture)
