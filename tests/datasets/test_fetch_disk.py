"""Fetching onto a disk that is full, read-only or taken."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pooch
import pytest

from conlinucb.datasets import files
from conlinucb.datasets.fetch import fetch
from conlinucb.errors import FetchFailed
from support.web import CONTENT, Server, serving, tiny, zipped


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path / "cache"))
    monkeypatch.setitem(files.PUBLISHED, "tiny", tiny())
    return tmp_path / "cache"


@pytest.fixture
def server(cache: Path) -> Iterator[Server]:
    assert not cache.exists()
    with serving(zipped(CONTENT)) as running:
        yield running


def full_disk(_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk always full")
def test_a_full_disk_is_a_sentence(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooch.core, "temporary_file", lambda path: nullcontext("/dev/full"))
    with pytest.raises(FetchFailed, match=r"disk is full.*CONLINUCB_DATA"):
        fetch("tiny", url=server.url)
    assert {each.name for each in cache.iterdir()} == {".tiny.lock"}


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may write everywhere; nobody may not."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_a_read_only_folder_is_a_sentence(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        monkeypatch.setenv("CONLINUCB_DATA", folder)
        with (
            without_privileges(),
            pytest.raises(FetchFailed, match=r"may not be written.*CONLINUCB_DATA"),
        ):
            fetch("tiny", url=server.url)
        assert not list(Path(folder).iterdir())


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.EIO])
def test_errors_of_the_disk_are_sentences(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def fail(self: Path, *_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code), str(self))

    monkeypatch.setattr(Path, "mkdir", fail)
    with pytest.raises(FetchFailed, match=r"cache (may not|could not) be written.*CONLINUCB_DATA"):
        fetch("tiny", url=server.url)


@pytest.mark.parametrize("inside", ["", "tiny-set"])
def test_a_file_in_place_of_a_folder_is_a_sentence(
    server: Server, cache: Path, inside: str
) -> None:
    if inside:
        cache.mkdir()
    (cache / inside).write_text("mine")
    with pytest.raises(FetchFailed, match=r"needed as a folder"):
        fetch("tiny", url=server.url)
    assert (cache / inside).read_text() == "mine"


def test_a_disk_full_while_unpacking_keeps_the_download(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("conlinucb.datasets.unpack.os.fsync", full_disk)
        with pytest.raises(FetchFailed, match="disk is full"):
            fetch("tiny", url=server.url)
    assert {each.name for each in cache.iterdir()} == {".tiny.lock", ".tiny.download"}
    assert (fetch("tiny", url=server.url) / "names.dat").read_bytes() == CONTENT["names.dat"]
    assert len(server.requests) == 1
    assert {each.name for each in cache.iterdir()} == {".tiny.lock", "tiny-set"}
