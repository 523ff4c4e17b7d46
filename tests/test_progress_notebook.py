"""Bars under the cells of notebooks."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from conlinucb import progress
from conlinucb.progress import Drawn, Progress


class Notebook:
    """As much of a Jupyter kernel's IPython as a bar meets."""

    def __init__(self) -> None:
        self.places: list[list[Any]] = []

    def display(self, shown: Any, display_id: bool) -> Any:
        assert display_id
        self.places.append([shown])
        return SimpleNamespace(update=self.places[-1].append)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    cells = Notebook()
    package: Any = ModuleType("IPython")
    package.get_ipython = lambda: SimpleNamespace(kernel=object())
    package.display = ModuleType("IPython.display")
    package.display.display = cells.display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", package.display)
    for name in ("rich", "rich.console", "rich.progress"):  # not needed there
        monkeypatch.setitem(sys.modules, name, None)
    return cells


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    watch = SimpleNamespace(now=100.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: watch.now))
    return watch


def test_a_bar_is_drawn_over_itself_under_the_cell(
    notebook: Notebook, clock: SimpleNamespace, capfd: pytest.CaptureFixture[str]
) -> None:
    bar = Progress(4_000_000)
    for _ in range(4):
        clock.now += 1.0
        bar.add(1_000_000)
    bar.close()
    bar.close()
    (place,) = notebook.places
    lines = [each.line.strip() for each in place]
    assert lines[0] == "25%  1.0 of 4.0 million user-rounds, 1.00 a second, 3 s left"
    assert lines[-1] == "100%  4.0 of 4.0 million user-rounds, 1.00 a second, 0 s left"
    assert capfd.readouterr() == ("", "")


def test_a_short_cell_stays_clean_unless_asked_for(
    notebook: Notebook, clock: SimpleNamespace
) -> None:
    for shown in (None, False, True):
        bar = Progress(10, shown=shown)
        clock.now += 0.1
        bar.add(10)
        bar.close()
    assert len(notebook.places) == 1


def test_a_bar_that_goes_elsewhere_is_not_in_the_notebook(notebook: Notebook) -> None:
    bar = Progress(10, to=sys.stderr)
    bar.add(10)
    bar.close()
    assert not notebook.places


@pytest.mark.parametrize("shell", [None, SimpleNamespace(), SimpleNamespace(kernel=None)])
def test_ipython_in_a_terminal_is_no_notebook(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch, shell: Any
) -> None:
    assert progress.in_notebook()
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: shell)
    assert not progress.in_notebook()


def test_a_drawn_bar_is_html_and_letters() -> None:
    drawn = Drawn(5, 20, "25% <of> it")
    assert drawn._repr_html_() == (
        '<div><progress value="5" max="20"></progress> <code>25% &lt;of&gt; it</code></div>'
    )
    assert repr(drawn) == "[#####...............] 25% <of> it"
    assert repr(Drawn(5, None, "5 people")) == "5 people"
    assert "<progress" not in Drawn(5, None, "5 people")._repr_html_()


CELL = """
import warnings
warnings.simplefilter("error")
import numpy as np
import conlinucb as cl
catalog = cl.Catalog(np.eye(3), np.ones((3, 1)))
people = cl.LinearUsers(np.eye(3), pool_size=2)
results = cl.simulate({"it": cl.linucb(catalog)}, people, rounds=9, progress=True)
"""


@pytest.mark.more
def test_a_real_notebook_shows_bar_and_table_without_a_warning() -> None:
    names = ("ipykernel", "nbclient", "nbformat")
    _, client, books = (pytest.importorskip(n, reason=f"{n} is not installed") for n in names)
    cells = [books.v4.new_code_cell(each) for each in (CELL, "results")]
    book = books.v4.new_notebook(cells=cells)
    client.NotebookClient(book, timeout=300).execute()
    bar, table = (cell["outputs"] for cell in book.cells)
    assert [each["output_type"] for each in bar] == ["display_data"]
    assert '<progress value="27" max="27">' in bar[0]["data"]["text/html"]
    assert "<table>" in table[0]["data"]["text/html"]
