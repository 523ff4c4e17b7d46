"""The history of ratios: what is taken from a benchmark, and how its page shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks import history
from docs.generate import history as history_page

from conlinucb import __version__
from conlinucb.errors import InvalidInput


def bench(folder: Path, times: float) -> Path:
    row = {"times_loop": times, "times_tuned": times / 2, "times_batched": None}
    path = folder / "bench.json"
    path.write_text(json.dumps({"machine": [{}], "algorithms": [{"algorithm": "MCR", **row}]}))
    return path


def service(folder: Path) -> Path:
    head = {"database": "SQLite", "workers": 1, "items": 1_000}
    rows = [{"what": "bare", **head}, {"what": "service", **head, "of_bare": 0.43219}]
    path = folder / "service.json"
    path.write_text(json.dumps(rows))
    return path


def test_an_entry_holds_ratios_of_both_files(tmp_path: Path) -> None:
    entry = history.entry_of([bench(tmp_path, 43.123), service(tmp_path)], "a busy machine")
    assert entry["version"] == __version__
    assert entry["note"] == "a busy machine"
    assert entry["ratios"] == {
        "MCR against a NumPy loop": 43.1,
        "MCR against a tuned NumPy loop": 21.6,
        "SQLite, 1 workers, 1,000 items: against a bare insert": 0.432,
    }


def test_what_fell_is_said_against_the_last_entry_that_had_it(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    assert history.add(history.entry_of([bench(tmp_path, 40.0)]), path) == []
    assert history.add(history.entry_of([service(tmp_path)]), path) == []
    assert history.add(history.entry_of([bench(tmp_path, 36.5)]), path) == []
    fell = history.add(history.entry_of([bench(tmp_path, 30.0)]), path)
    assert fell[0] == "MCR against a NumPy loop fell from 36.5 to 30"
    assert [len(each["ratios"]) for each in history.entries(path)] == [2, 1, 2, 2]


@pytest.mark.parametrize("content", ["{}", "[]", "no JSON", '[{"what": "service"}]', "[1]", "null"])
def test_a_file_without_ratios_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=r"other\.json"):
        history.entry_of([path])


def test_the_page_has_every_ratio_and_a_line_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[dict[str, Any]] = [
        history.entry_of([bench(tmp_path, 40.0), service(tmp_path)], "first"),
        history.entry_of([bench(tmp_path, 44.0)]),
    ]
    monkeypatch.setattr(history_page, "entries", lambda: known)
    made = history_page.pages()
    assert "| MCR against a NumPy loop | 40 | 44 |" in made["history.md"]
    assert "bare insert | 0.432 |  |" in made["history.md"]
    assert ": first\n" in made["history.md"]
    assert made == history_page.pages()  # the same file again: nothing to commit, nothing to read
    assert made[history_page.PICTURE].count('<g id="axes_') == 4


def test_every_kept_ratio_has_a_panel() -> None:
    for entry in history.entries():
        for name, value in entry["ratios"].items():
            assert value > 0
            assert any(name.endswith(ending) for ending, _ in history_page.PANELS), name
