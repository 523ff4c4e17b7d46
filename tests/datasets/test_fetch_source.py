"""Unpacking and checking: zips that are not what they seem, and folders at hand."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

import conlinucb as cl
from conlinucb.datasets import files, unpack
from conlinucb.datasets.fetch import fetch
from conlinucb.errors import FetchFailed, MissingData, WrongData
from support.web import CONTENT, tiny, zipped


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path / "cache"))
    monkeypatch.setitem(files.PUBLISHED, "tiny", tiny())
    return tmp_path / "cache"


def content(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def write(folder: Path, given: dict[str, bytes] = CONTENT) -> Path:
    folder.mkdir(parents=True)
    for name, data in given.items():
        (folder / name).write_bytes(data)
    return folder


# Zips


@pytest.mark.parametrize("folder", ["", "tiny-set/", "a/b/", "../../", "/", "C:\\x\\"])
@pytest.mark.parametrize("deflate", [True, False])
def test_files_are_found_by_name_and_never_leave_the_folder(
    tmp_path: Path, folder: str, deflate: bool
) -> None:
    given = CONTENT | {"unknown.dat": b"?", "../escape.txt": b"!"}
    source = put(tmp_path / "any.zip", zipped(given, folder=folder, deflate=deflate))
    assert content(fetch("tiny", source=source)) == CONTENT
    assert source.exists()
    assert {each.name for each in tmp_path.iterdir()} == {"any.zip", "cache"}
    assert {each.name for each in (tmp_path / "cache").iterdir()} == {".tiny.lock", "tiny-set"}


def test_of_two_files_with_one_name_the_one_in_our_folder_counts(tmp_path: Path) -> None:
    both = {f"tiny-set/{k}": v for k, v in CONTENT.items()} | {"names.dat": b"x", "a/b/c": b"y"}
    assert content(fetch("tiny", source=put(tmp_path / "z.zip", zipped(both)))) == CONTENT


def test_a_file_that_is_merely_known_may_be_missing_or_have_other_line_ends(
    tmp_path: Path,
) -> None:
    given = {k: v for k, v in CONTENT.items() if k != "notes.txt"}
    source = put(tmp_path / "z.zip", zipped(given))
    assert content(fetch("tiny", source=source)) == given
    (files.data_folder("tiny") / "names.dat").unlink()
    given |= {"notes.txt": CONTENT["notes.txt"].replace(b"\r\n", b"\n")}
    source = put(tmp_path / "z.zip", zipped(given))
    assert content(fetch("tiny", source=source)) == given
    assert files.complete("tiny")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"notes.txt": b"other"}, r"notes\.txt in .*not as published"),
        ({"names.dat": CONTENT["names.dat"].replace(b"\r\n", b"\n")}, "Only its line ends differ"),
        ({"names.dat": None}, r"lacks names\.dat, so it is not Tiny"),
    ],
)
@pytest.mark.parametrize("as_zip", [True, False])
def test_wrong_content_is_refused_and_the_source_is_kept(
    tmp_path: Path, cache: Path, change: dict[str, bytes | None], told: str, as_zip: bool
) -> None:
    given = {k: v for k, v in (CONTENT | change).items() if v is not None}
    source = tmp_path / "given"
    source = put(source, zipped(given)) if as_zip else write(source, given)
    with pytest.raises(WrongData, match=told):
        fetch("tiny", source=source)
    assert source.exists()
    assert {each.name for each in cache.iterdir()} == {".tiny.lock"}


def test_a_refused_source_leaves_what_was_there(tmp_path: Path, cache: Path) -> None:
    before = {"names.dat": b"mine"}
    write(cache / "tiny-set", before)
    with pytest.raises(WrongData):
        fetch("tiny", source=put(tmp_path / "z.zip", zipped(CONTENT | {"names.dat": b"bad"})))
    assert content(cache / "tiny-set") == before


def test_a_zip_bomb_is_refused(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "LARGEST_FILE", 10**6)
    source = put(tmp_path / "z.zip", zipped(CONTENT | {"names.dat": bytes(10**8)}, deflate=True))
    assert source.stat().st_size < 10**6
    with pytest.raises(WrongData, match=r"names\.dat in .*larger than 1,000,000 bytes"):
        fetch("tiny", source=source)
    assert {each.name for each in cache.iterdir()} == {".tiny.lock"}


def damaged() -> dict[str, bytes]:
    whole = zipped(CONTENT)
    at = whole.index(CONTENT["names.dat"])
    return {
        "a page": b"<html>Please log in</html>",
        "nothing": b"",
        "cut": whole[:-100],
        "a changed byte": whole[:at] + b"X" + whole[at + 1 :],
        "a changed deflated byte": deflated_damage(),
    }


def deflated_damage() -> bytes:
    whole = bytearray(zipped(CONTENT, deflate=True))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        at = archive.getinfo("pairs.dat").header_offset + 30 + len("pairs.dat")
    whole[at : at + 40] = b"\xff" * 40
    return bytes(whole)


@pytest.mark.parametrize("kind", sorted(damaged()))
def test_a_damaged_zip_is_a_sentence(tmp_path: Path, kind: str) -> None:
    source = put(tmp_path / "z.zip", damaged()[kind])
    with pytest.raises(WrongData, match=r"is not a zip file|is damaged"):
        fetch("tiny", source=source)


# Folders


@pytest.mark.parametrize("inner", ["", "tiny-set", "tiny"])
def test_a_folder_and_a_folder_of_folders_are_copied(tmp_path: Path, inner: str) -> None:
    write(tmp_path / "given" / inner)
    (tmp_path / "given" / "more").mkdir()
    assert content(fetch("tiny", source=str(tmp_path / "given"))) == CONTENT
    assert (tmp_path / "given" / inner / "names.dat").read_bytes() == CONTENT["names.dat"]


def test_a_source_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="is not there; pass the zip of Tiny"):
        fetch("tiny", source=tmp_path / "nothing")


def test_an_unknown_name_is_a_sentence() -> None:
    with pytest.raises(cl.UnknownName, match="Did you mean 'tiny'"):
        fetch("tinny")


def test_a_linked_folder_is_replaced_but_what_it_links_to_is_kept(
    tmp_path: Path, cache: Path
) -> None:
    linked = write(tmp_path / "linked", {"names.dat": b"mine"})
    cache.mkdir()
    (cache / "tiny-set").symlink_to(linked, target_is_directory=True)
    fetch("tiny", source=write(tmp_path / "given"))
    assert content(cache / "tiny-set") == CONTENT
    assert content(linked) == {"names.dat": b"mine"}


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(cache / "tiny-set", {"names.dat": b"mine"})
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.suffix == ".new":
            raise PermissionError(13, os.strerror(13), str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(FetchFailed, match="may not be written"):
        fetch("tiny", source=write(tmp_path / "given"))
    assert content(cache / "tiny-set") == {"names.dat": b"mine"}
