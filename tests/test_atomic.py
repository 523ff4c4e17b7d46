"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from conlinucb import atomic


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_file_has_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    with atomic.writing(path) as file:
        file.write(b"half")
        assert not path.exists()
        assert len(names(tmp_path)) == 1
        file.write(b" and half")
    assert path.read_bytes() == b"half and half"
    assert names(tmp_path) == ["it.json"]


@pytest.mark.parametrize("error", [OSError("No space left on device"), KeyboardInterrupt()])
def test_what_breaks_on_the_way_leaves_what_was_there(tmp_path: Path, error: Any) -> None:
    path = tmp_path / "it.json"
    atomic.write(path, b"before")

    def break_off() -> None:
        with atomic.writing(path) as file:
            file.write(b"ha")
            raise error

    with pytest.raises(type(error)):
        break_off()
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["it.json"]


def test_the_last_to_write_wins_and_the_first_of_those_who_give_way(tmp_path: Path) -> None:
    for content in (b"one", b"two"):
        atomic.write(tmp_path / "last", content)
        atomic.write_first(tmp_path / "first", content)
    assert (tmp_path / "last").read_bytes() == b"two"
    assert (tmp_path / "first").read_bytes() == b"one"
    assert names(tmp_path) == ["first", "last"]


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: Any) -> None:
        raise OSError("Operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    atomic.write_first(tmp_path / "it", b"whole")
    assert (tmp_path / "it").read_bytes() == b"whole"
    assert names(tmp_path) == ["it"]


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    for write in (atomic.write, atomic.write_first):
        with pytest.raises(FileNotFoundError):
            write(tmp_path / "gone" / "it", b"")
