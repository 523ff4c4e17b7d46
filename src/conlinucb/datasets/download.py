"""A download with pooch: over HTTPS, of limited size, whole or not at all."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

from conlinucb._version import __version__
from conlinucb.errors import FetchFailed, MissingExtra
from conlinucb.progress import Progress

LIMIT = 300 * 10**6
"""Largest download in bytes."""
TIMEOUT = 30.0
"""Seconds without a byte after which the connection counts as broken."""
RETRIES = 3
"""How often a download that broke off starts over in one call."""
CHUNK = 1 << 16
_BY_HAND = "Or download the zip by hand and pass it with --from."


def download(url: str, to: Path, *, progress: bool | None = None) -> None:
    """Bring the file at ``url`` to the path ``to``; a file that is there is kept."""
    if not _safe(url):
        raise FetchFailed(f"Only https addresses are fetched, got {url!r}.")
    pooch = _pooch()
    files = pooch.create(
        to.parent, "", registry={to.name: None}, urls={to.name: url}, retry_if_failed=RETRIES
    )
    with _quiet(pooch.get_logger()), _network(url):
        files.fetch(to.name, downloader=_Web(progress))


def _pooch() -> Any:
    try:
        import pooch
    except ModuleNotFoundError:
        raise MissingExtra("runner", "A download") from None
    return pooch


@contextlib.contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Keep pooch from telling each step on stderr."""
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextlib.contextmanager
def _network(url: str) -> Iterator[None]:
    """Turn what pooch tried again in vain into a sentence; errors of the disk pass."""
    from requests import RequestException

    try:
        yield
    except RequestException as error:
        raise FetchFailed(
            f"The download of {url} broke off {1 + RETRIES} times, the last time because of "
            f"{_root(error)!r}. Run the command again to start over. {_BY_HAND}"
        ) from error


class _Web:
    """What pooch downloads with: requests, held to https and to the limit."""

    def __init__(self, progress: bool | None) -> None:
        self.progress = progress

    def __call__(self, url: str, path: str, files: Any) -> None:
        with Path(path).open("wb") as file:
            into = _Counted(file, url, self.progress)
            try:
                self._get(url, into, files)
            finally:
                into.close()

    def _get(self, url: str, into: _Counted, files: Any) -> None:
        from requests import ConnectionError, Timeout, TooManyRedirects

        how = {
            "headers": {"User-Agent": f"conlinucb/{__version__}", "Accept-Encoding": "identity"},
            "proxies": {"http": ""} if _here(url) else None,
            "hooks": {"response": into.hear},
        }
        get = _pooch().HTTPDownloader(chunk_size=CHUNK, timeout=TIMEOUT, **how)
        try:
            get(url, into, files)
        except TooManyRedirects:
            told = f"{url} leads from address to address without end. {_BY_HAND}"
            raise FetchFailed(told) from None
        except (ConnectionError, Timeout) as error:
            if into.answers:
                raise  # broke off, so pooch tries again
            raise FetchFailed(
                f"{urlsplit(url).netloc} could not be reached: {_root(error)}. "
                f"Check the connection and run the command again. {_BY_HAND}"
            ) from error


class _Counted:
    """A file that counts what is written, and hears what the server says first."""

    def __init__(self, file: IO[bytes], url: str, progress: bool | None) -> None:
        self.file, self.url, self.answers = file, url, list[Any]()
        self.bar = Progress(None, what="MB", shown=progress)

    def hear(self, response: Any, **_: object) -> None:
        """Take an answer whose body is still to come, or refuse it."""
        self.answers.append(response)
        _check_redirect(response)
        if response.status_code >= 400:
            raise FetchFailed(_refusal(response.url, response.status_code))
        length = response.headers.get("Content-Length", "")
        self.bar.total = int(length) if length.isdigit() else None
        self._check_size(self.bar.total or 0)

    def write(self, block: bytes) -> None:
        """Write and count."""
        self.file.write(block)
        self.bar.add(len(block))
        self._check_size(self.bar.done)

    def flush(self) -> None:
        """Leave it to the end: pooch asks for it after each block."""

    def close(self) -> None:
        """End the line and the connections; pooch leaves those of a failed download open."""
        self.bar.close()
        for answer in self.answers:
            answer.close()

    def _check_size(self, size: int) -> None:
        if size > LIMIT:
            told = f"{self.url} is larger than the limit of {LIMIT:,} bytes; nothing is kept."
            raise FetchFailed(told)


def _check_redirect(response: Any) -> None:
    """Follow none that leaves https."""
    new = urljoin(response.url, response.headers.get("Location", ""))
    if response.is_redirect and not _safe(new, since=response.url):
        raise FetchFailed(f"{response.url} leads to {new}, which is not https; not followed.")


def _refusal(url: str, code: int) -> str:
    if code in (404, 410):
        return f"{url} is not there ({code}); it may have moved. {_BY_HAND}"
    return f"The server answered {code} to {url}. Try again later. {_BY_HAND}"


def _root(error: BaseException) -> BaseException:
    """What began a chain of errors; the others only wrap it."""
    cause = error.__cause__ or error.__context__
    return error if cause is None else _root(cause)


def _safe(url: str, since: str | None = None) -> bool:
    """Whether to go there: https, or this very machine if that is where we come from."""
    return urlsplit(url).scheme == "https" or (_here(url) and (since is None or _here(since)))


def _here(url: str) -> bool:
    parts = urlsplit(url)
    with contextlib.suppress(ValueError):
        return parts.scheme == "http" and ipaddress.ip_address(parts.hostname or "").is_loopback
    return parts.scheme == "http" and parts.hostname == "localhost"
