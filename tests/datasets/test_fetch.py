"""Fetching a data set from a server that does what servers do, and from what is at hand."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
    monkeypatch.setattr(download, "PAUSE", 0.0)
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


def start_half(server: Server) -> None:
    """One call that breaks off after half, and stays so."""
    server.cut = [HALF, 0, 0, 0]
    with pytest.raises(FetchFailed):
        fetch("tiny", url=server.url)
    server.requests.clear()
    server.sent.clear()


# Whole


@pytest.mark.parametrize("length", [True, False])
def test_a_download_brings_every_file(server: Server, cache: Path, length: bool) -> None:
    server.length = length
    folder = fetch("tiny", url=server.url)
    assert folder == cache / "tiny-set" == files.data_folder("tiny")
    assert content(folder) == CONTENT
    assert left(cache) == {"tiny-set"}
    assert "Range" not in server.requests[0]


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


def test_a_broken_connection_is_continued_in_the_same_call(server: Server) -> None:
    server.cut = [HALF]
    assert content(fetch("tiny", url=server.url)) == CONTENT
    first, second = server.requests
    assert "Range" not in first
    assert (second["Range"], second["If-Range"]) == (f"bytes={HALF}-", '"one"')
    assert server.sent == [HALF, len(BODY) - HALF]


def test_the_next_call_continues_and_only_the_rest_is_sent(server: Server, cache: Path) -> None:
    start_half(server)
    assert left(cache) == {"tiny.zip.partial", "tiny.zip.partial.json"}
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert [each["Range"] for each in server.requests] == [f"bytes={HALF}-"]
    assert server.sent == [len(BODY) - HALF]
    assert left(cache) == {"tiny-set"}


def test_truncated_for_good_is_an_error_that_counts(server: Server, cache: Path) -> None:
    server.cut = [HALF, 10, 5, 0]
    told = rf"broke off 4 times.*after {HALF + 15:,} of {len(BODY):,} bytes.*again to continue"
    with pytest.raises(FetchFailed, match=told):
        fetch("tiny", url=server.url)
    assert not (cache / "tiny-set").exists()


def test_a_server_that_ignores_ranges_sends_all_again(server: Server) -> None:
    start_half(server)
    server.ranges = False
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert server.sent == [len(BODY)]


def test_another_version_on_the_server_starts_over(server: Server) -> None:
    start_half(server)
    server.body, server.etag = zipped(CONTENT, folder="other/"), '"two"'
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert server.sent == [len(server.body)]


@pytest.mark.parametrize("told", [f"bytes {HALF}-9/99999999", "bytes 0-5/6", "nonsense"])
def test_a_rest_that_does_not_fit_starts_over(server: Server, told: str) -> None:
    start_half(server)
    server.content_range = told
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert ["Range" in each for each in server.requests] == [True, False]


def test_a_refused_range_starts_over(server: Server) -> None:
    start_half(server)
    server.body = zipped(CONTENT, deflate=True)
    assert len(server.body) < HALF
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert ["Range" in each for each in server.requests] == [True, False]


@pytest.mark.parametrize("note", [None, "", "[]", '{"url": 1}', '{"url": "x", "total": "y"}'])
def test_a_beginning_of_unknown_origin_is_not_continued(
    server: Server, cache: Path, note: str | None
) -> None:
    cache.mkdir()
    (cache / "tiny.zip.partial").write_bytes(b"other bytes")
    if note is not None:
        (cache / "tiny.zip.partial.json").write_text(note)
    assert content(fetch("tiny", url=server.url)) == CONTENT
    assert "Range" not in server.requests[0]


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


@pytest.mark.parametrize(
    "url",
    ["http://files.example/t.zip", "http://127.0.0.1@files.example/", "ftp://x/", "file:///x", ""],
)
@pytest.mark.usefixtures("cache")
def test_only_https_is_fetched(url: str) -> None:
    with pytest.raises(FetchFailed, match="Only https"):
        fetch("tiny", url=url or "no-address")


@pytest.mark.parametrize(("to", "told"), [("http://files.example/t.zip", "not https"), ("", "end")])
def test_redirects_are_few_and_never_leave_https(server: Server, to: str, told: str) -> None:
    server.location = to or server.url
    with pytest.raises(FetchFailed, match=told):
        fetch("tiny", url=server.url)
    assert len(server.requests) <= 6


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
