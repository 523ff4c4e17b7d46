"""The table of published files, the folder they lie in, and the check of their sums."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PureWindowsPath

import platformdirs
import pytest
from platformdirs.unix import Unix
from platformdirs.windows import Windows

import conlinucb as cl
from conlinucb.datasets import files
from conlinucb.errors import MissingData
from support.web import CONTENT, tiny

REAL = Path(os.environ.get("CONLINUCB_DATA") or "/nowhere")
NAMES = sorted(files.PUBLISHED)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a complete small data set."""
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path))
    monkeypatch.setitem(files.PUBLISHED, "tiny", tiny())
    path = tmp_path / "tiny-set"
    path.mkdir()
    for name, data in CONTENT.items():
        (path / name).write_bytes(data)
    return path


def states() -> dict[str, str]:
    return {each.file: each.state for each in files.check("tiny")}


# The table


@pytest.mark.parametrize("name", NAMES)
def test_the_table_is_consistent(name: str) -> None:
    spec = files.published(name)
    assert spec.name == name
    assert set(spec.needed) < set(spec.sums)
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in spec.sums.values())
    assert len(set(spec.sums.values())) == len(spec.sums)
    assert spec.url.startswith("https://")
    assert "non-commercial" in spec.licence
    assert ("HetRec 2011" in spec.licence) == (name != "ml-latest-small")
    assert ("Harper" if name == "ml-latest-small" else "Cantador") in spec.citation


def test_an_unknown_name_gets_a_hint() -> None:
    for ask in (files.published, files.data_folder, files.check):
        with pytest.raises(cl.UnknownName, match="Did you mean 'lastfm'"):
            ask("last-fm")


@pytest.mark.skipif(
    not all((REAL / files.published(name).folder).is_dir() for name in NAMES),
    reason="set CONLINUCB_DATA to a folder that `conlinucb data fetch` filled with every data set",
)
@pytest.mark.parametrize("name", NAMES)
def test_the_real_files_have_the_published_sums(name: str) -> None:
    assert {each.state for each in files.check(name)} == {"ok"}
    assert files.complete(name)
    assert files.data_folder(name) == REAL / files.published(name).folder


# The folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for each in ("CONLINUCB_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(platformdirs, "PlatformDirs", Unix)
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


@pytest.mark.parametrize("xdg", [None, "", "relative"])
def test_the_cache_of_a_linux_user(
    home: Path, monkeypatch: pytest.MonkeyPatch, xdg: str | None
) -> None:
    if xdg is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert files.cache_folder() == home / ".cache" / "conlinucb"


@pytest.mark.parametrize("xdg", [False, True])
def test_the_cache_of_a_mac_user(home: Path, monkeypatch: pytest.MonkeyPatch, xdg: bool) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    if xdg:
        monkeypatch.setenv("XDG_CACHE_HOME", str(home / "mine"))
    assert files.cache_folder() == home / "Library" / "Caches" / "conlinucb"


@pytest.mark.usefixtures("home")
def test_the_cache_of_a_windows_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr(platformdirs, "PlatformDirs", Windows)
    local = "C:\\Users\\ann\\AppData\\Local"
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", local)
    found = PureWindowsPath(str(files.cache_folder()))
    assert found == PureWindowsPath(local, "conlinucb", "Cache")


def test_the_systems_variable_counts_and_ours_before_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "mine"))
    assert files.cache_folder() == home / "mine" / "conlinucb"
    monkeypatch.setenv("CONLINUCB_DATA", str(home / "ours"))
    assert files.cache_folder() == home / "ours"
    monkeypatch.setenv("CONLINUCB_DATA", "~/ours")
    assert files.cache_folder() == home / "ours"


def test_without_platformdirs_the_variable_or_the_extra_is_needed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    with pytest.raises(cl.MissingExtra, match=r"CONLINUCB_DATA.*pip install 'conlinucb\[runner"):
        files.cache_folder()
    monkeypatch.setenv("CONLINUCB_DATA", str(home / "ours"))
    assert files.cache_folder() == home / "ours"


def test_needed_files_make_the_folder_usable(folder: Path) -> None:
    (folder / "notes.txt").unlink()
    assert files.data_folder("tiny") == folder
    (folder / "names.dat").unlink()
    with pytest.raises(MissingData, match=r"missing: names\.dat.*conlinucb data fetch tiny"):
        files.data_folder("tiny")


def test_missing_data_are_ours_and_a_missing_file(folder: Path) -> None:
    (folder / "pairs.dat").unlink()
    with pytest.raises(FileNotFoundError) as caught:
        files.data_folder("tiny")
    assert isinstance(caught.value, cl.ConlinucbError)


# The check


def test_a_complete_folder_is_ok_and_needed_files_come_first(folder: Path) -> None:
    found = files.check("tiny")
    assert [each.file for each in found] == ["pairs.dat", "names.dat", "notes.txt"]
    assert [each.needed for each in found] == [True, True, False]
    assert {each.state for each in found} == {"ok"}
    assert files.complete("tiny")
    assert folder.is_dir()


def test_only_needed_files_must_be_there(folder: Path) -> None:
    (folder / "notes.txt").unlink()
    assert states()["notes.txt"] == "missing"
    assert files.complete("tiny")
    (folder / "names.dat").unlink()
    assert states()["names.dat"] == "missing"
    assert not files.complete("tiny")


@pytest.mark.parametrize("file", sorted(CONTENT))
def test_one_changed_byte_is_a_wrong_sum(folder: Path, file: str) -> None:
    (folder / file).write_bytes(CONTENT[file][:-3] + b"x" + CONTENT[file][-2:])
    (state,) = [each for each in files.check("tiny") if each.file == file]
    assert (state.state, state.wrong) == ("wrong sum", True)
    assert state.found not in (None, state.expected)
    assert not files.complete("tiny")


@pytest.mark.parametrize(("file", "complete"), [("names.dat", False), ("notes.txt", True)])
def test_other_line_ends_are_recognised(folder: Path, file: str, complete: bool) -> None:
    (folder / file).write_bytes(CONTENT[file].replace(b"\r\n", b"\n"))
    assert states()[file] == "line ends"
    assert not any(each.wrong for each in files.check("tiny"))
    assert files.complete("tiny") == complete


def test_a_very_large_file_is_just_wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "names.dat").write_bytes(CONTENT["names.dat"].replace(b"\r\n", b"\n"))
    monkeypatch.setattr(files, "LARGEST_FILE", 5)
    assert states()["names.dat"] == "wrong sum"
