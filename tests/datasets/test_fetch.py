"""Fetching a data set from a server that does what servers do, and from what is at hand."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pooch
import pytest

import conlinucb as cl
from conlinucb.datasets import download, files
from conlinucb.datasets import fetch as fetching
from conlinucb.datasets.fetch import fetch
from conlinucb.errors import FetchFailed, WrongData
from support.web import CONTENT, Server, serving, tiny, zipped

BODY = zipped(CONTENT)
HALF = len(BODY) // 2


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONLINUCB_DATA", str(tmp_path / "cache"))
    monkeypatch.setitem(files.PUBLISHED, "tiny", tiny())
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda seconds: None))
    return tmp_path / "cache"


@pytest.fixture
def server(cache: Path) -> Iterator[Server]:
    assert not cache.exists()
    with serving(BODY) as running:
        yield running


def content(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def left(cache: Path) -> set[str]:
    """What is in the cache besides the lock."""
    return {each.name for each in cache.iterdir()} - {".tiny.lock"}


# Whole


@pytest.mark.parametrize("length", [True, False])
def test_a_download_brings_every_file(server: Server, cache: Path, length: bool) -> None:
    server.length = length
    folder = fetch("tiny", url=server.url)
    assert folder == cache / "tiny-set" == files.data_folder("tiny")
    assert content(folder) == CONTENT
    assert left(cache) == {"tiny-set"}
    assert server.requests[0]["User-Agent"] == f"conlinucb/{cl.__version__}"


def test_the_published_address_is_the_default(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(files.PUBLISHED, "tiny", tiny(url=server.url))
    assert content(fetch("tiny")) == CONTENT
    assert left(cache) == {"tiny-set"}


def test_a_complete_folder_is_kept(server: Server) -> None:
    folder = fetch("tiny", url=server.url)
    assert fetch("tiny", url=server.url) == folder
    assert fetch("tiny", source="/not/there") == folder
    assert len(server.requests) == 1


def test_a_damaged_folder_is_replaced_and_other_files_in_it_stay(server: Server) -> None:
    folder = fetch("tiny", url=server.url)
    (folder / "pairs.dat").write_bytes(b"damaged")
    (folder / "mine.txt").write_bytes(b"mine")
    fetch("tiny", url=server.url)
    assert content(folder) == CONTENT | {"mine.txt": b"mine"}
    assert left(folder.parent) == {"tiny-set"}


def test_what_a_killed_process_left_is_swept(server: Server, cache: Path) -> None:
    (cache / ".tiny-set.0123.new").mkdir(parents=True)
    (cache / ".tiny.download").mkdir()
    (cache / ".tiny.download" / "tmp0123").write_bytes(b"half")
    fetch("tiny", url=server.url)
    assert left(cache) == {"tiny-set"}


def test_concurrent_fetches_share_one_download(server: Server, cache: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        folders = set(pool.map(lambda _: fetch("tiny", url=server.url), range(6)))
    assert folders == {cache / "tiny-set"}
    assert content(cache / "tiny-set") == CONTENT
    assert len(server.requests) == 1


def test_without_locks_a_fetch_still_works(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_lock(_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fetching, "_lock", no_lock)
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert left(cache) == {"tiny-set"}


# Broken off


def test_a_broken_connection_starts_over_in_the_same_call(server: Server) -> None:
    server.cut = [HALF, 10]
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert server.sent == [HALF, 10, len(BODY)]


def test_broken_for_good_is_an_error_and_leaves_nothing(server: Server, cache: Path) -> None:
    server.cut = [HALF] * 4
    told = rf"broke off 4 times.*IncompleteRead\({HALF} bytes.*Run the command again.*--from"
    with pytest.raises(FetchFailed, match=told):
        fetch("tiny", url=server.url)
    assert left(cache) == set()
    assert content(fetch("tiny", url=server.url)) == CONTENT


def test_an_interrupted_download_leaves_nothing(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(self: object, block: bytes) -> None:
        assert [each.name for each in cache.rglob("tmp*")]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(download._Counted, "write", stop)
        with pytest.raises(KeyboardInterrupt):
            fetch("tiny", url=server.url)
    assert left(cache) == set()
    assert content(fetch("tiny", url=server.url)) == CONTENT


# Other processes


FETCH = """
import sys
from conlinucb.datasets import files
from conlinucb.datasets.fetch import fetch
from support.web import tiny
files.PUBLISHED["tiny"] = tiny()
print(fetch("tiny", url=sys.argv[1]))
"""


def another(url: str) -> subprocess.Popen[str]:
    """A process of its own that fetches."""
    path = os.pathsep.join(each for each in sys.path if each)
    words = [sys.executable, "-c", FETCH, url]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(words, text=True, stdout=subprocess.PIPE, env=environment)


def test_two_processes_share_one_download(server: Server, cache: Path) -> None:
    both = [another(server.url), another(server.url)]
    told = [each.communicate(timeout=60)[0] for each in both]
    assert told == [f"{cache / 'tiny-set'}\n"] * 2
    assert content(cache / "tiny-set") == CONTENT
    assert left(cache) == {"tiny-set"}
    assert len(server.requests) == 1


def test_what_a_killed_process_had_is_swept_and_the_next_is_not_kept_waiting(
    server: Server, cache: Path
) -> None:
    server.cut, server.stalled = [HALF], threading.Event()
    killed = another(server.url)
    while not server.sent and killed.poll() is None:
        time.sleep(0.01)
    killed.kill()
    killed.communicate(timeout=60)
    assert len(list((cache / ".tiny.download").iterdir())) == 1
    server.stalled.set()
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert left(cache) == {"tiny-set"}


# Refused


def test_a_wrong_sum_names_both_and_removes_the_download(server: Server, cache: Path) -> None:
    server.body = zipped(CONTENT | {"names.dat": b"other"})
    expected = files.published("tiny").sums["names.dat"]
    with pytest.raises(WrongData, match=rf"names\.dat in http.*{expected}.*found [0-9a-f]{{64}}"):
        fetch("tiny", url=server.url)
    assert left(cache) == set()


@pytest.mark.parametrize(
    ("status", "told"), [(404, "not there .404.*--from"), (500, "answered 500.*Try again later")]
)
def test_the_servers_refusal_is_a_sentence(server: Server, status: int, told: str) -> None:
    server.status = status
    with pytest.raises(FetchFailed, match=told) as caught:
        fetch("tiny", url=server.url)
    assert isinstance(caught.value, cl.ConlinucbError)


def test_a_server_that_is_gone_is_a_sentence(cache: Path) -> None:
    with serving(BODY) as server:
        url = server.url
    with pytest.raises(FetchFailed, match=r"could not be reached: .*refused"):
        fetch("tiny", url=url)
    assert left(cache) == set()


def test_a_server_that_says_nothing_is_a_sentence(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.05)
    server = Server(BODY)  # accepts, but nobody answers
    with server, pytest.raises(FetchFailed, match=r"could not be reached: .*timed out"):
        fetch("tiny", url=server.url)
    assert left(cache) == set()


def test_pooch_says_nothing_of_its_own_and_keeps_its_level(
    server: Server, capfd: pytest.CaptureFixture[str]
) -> None:
    logger = pooch.get_logger()
    before = logger.level
    server.cut = [HALF]
    fetch("tiny", url=server.url)
    assert capfd.readouterr() == ("", "")
    assert logger.level == before


def test_without_pooch_the_extra_is_named(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(cl.MissingExtra, match=r"A download needs.*pip install 'conlinucb\[runner"):
        fetch("tiny", url=server.url)
    assert left(cache) == set()
    (cache / "given.zip").write_bytes(BODY)
    assert content(fetch("tiny", source=cache / "given.zip")) == CONTENT


def test_a_proxy_is_not_asked_for_this_machine(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert content(fetch("tiny", url=server.url)) == CONTENT


@pytest.mark.parametrize(
    "url",
    ["http://files.example/t.zip", "http://127.0.0.1@files.example/", "ftp://x/", "file:///x", ""],
)
@pytest.mark.usefixtures("cache")
def test_only_https_is_fetched(url: str) -> None:
    with pytest.raises(FetchFailed, match="Only https"):
        fetch("tiny", url=url or "no-address")


@pytest.mark.parametrize(("to", "told"), [("http://files.example/t.zip", "not https"), ("", "end")])
def test_redirects_end_and_never_leave_https(server: Server, to: str, told: str) -> None:
    server.location = to or server.url
    with pytest.raises(FetchFailed, match=told):
        fetch("tiny", url=server.url)
    assert len(server.requests) <= 31


def test_a_redirect_on_this_machine_is_followed_but_never_from_https() -> None:
    here = "http://127.0.0.1:1/"
    assert download._safe(here, since="http://localhost:2/")
    assert download._safe("https://b.example/", since="https://a.example/")
    assert not download._safe(here, since="https://a.example/")


@pytest.mark.parametrize("length", [True, False])
def test_more_than_the_limit_is_refused(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch, length: bool
) -> None:
    server.length = length
    monkeypatch.setattr(download, "LIMIT", HALF)
    with pytest.raises(FetchFailed, match="larger than the limit"):
        fetch("tiny", url=server.url)
    assert left(cache) == set()
