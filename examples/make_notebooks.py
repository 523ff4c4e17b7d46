"""The notebooks beside the numbered examples, made from their scripts.

python examples/make_notebooks.py writes them. A script is the one source: a line that begins with
"# %%" begins a cell, one that begins with "# %% [markdown]" a cell of text, whose lines are
comments. Notebooks hold no outputs, so that a change of one line is a change of one line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat

HERE = Path(__file__).parent
CELL, TEXT = "# %%", "# %% [markdown]"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def scripts() -> list[Path]:
    """The numbered examples, in their order."""
    return sorted(HERE.glob("[0-9][0-9]_*.py"))


def notebook_text(script: Path) -> str:
    """The notebook of a script, as its file holds it."""
    cells = [_cell(i, *each) for i, each in enumerate(split(script.read_text("utf-8")))]
    book = nbformat.v4.new_notebook(cells=cells, metadata=METADATA, nbformat_minor=5)
    return str(nbformat.writes(book)) + "\n"


def split(text: str) -> list[tuple[str, str]]:
    """The first line of each cell, and its other lines.

    >>> split("# %% [markdown]\\n# Hello\\n\\n# %%\\nx = 1\\n")
    [('# %% [markdown]', '# Hello'), ('# %%', 'x = 1')]
    """
    cells: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith(CELL):
            cells.append((line.rstrip(), []))
        elif cells:
            cells[-1][1].append(line)
        elif line.strip():
            raise ValueError(f"An example begins with a cell, {TEXT!r} or {CELL!r}, not {line!r}.")
    return [(first, "\n".join(lines).strip("\n")) for first, lines in cells]


def _cell(number: int, first: str, source: str) -> Any:
    identity = f"cell-{number}"  # by place: random ones would differ at every writing
    if first == CELL:
        return nbformat.v4.new_code_cell(source, id=identity)
    if first != TEXT:
        raise ValueError(f"A cell begins with {CELL!r} or {TEXT!r}, got {first!r}.")
    text = "\n".join(_plain(line) for line in source.splitlines())
    return nbformat.v4.new_markdown_cell(text, id=identity)


def _plain(line: str) -> str:
    if not line.startswith("#"):
        raise ValueError(f"Every line of a text cell begins with '#', got {line!r}.")
    return line.removeprefix("#").removeprefix(" ")


if __name__ == "__main__":
    for each in scripts():
        each.with_suffix(".ipynb").write_text(notebook_text(each), encoding="utf-8")
