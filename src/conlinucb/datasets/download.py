"""A download over HTTPS that can be broken off and continued."""

from __future__ import annotations

import contextlib
import errno
import http.client
import ipaddress
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from conlinucb._version import __version__
from conlinucb.errors import ConlinucbError, FetchFailed
from conlinucb.progress import Progress

LIMIT = 300 * 10**6
"""Largest download in bytes."""
TIMEOUT = 30.0
"""Seconds without a byte after which the connection counts as broken."""
ATTEMPTS = 4
"""Connections in one call; each continues where the one before broke."""
PAUSE = 1.0
"""Seconds before the next attempt."""
CHUNK = 1 << 16
_BY_HAND = "Or download the zip by hand and pass it with --from."


class _Broken(Exception):
    """The connection broke, or its answer does not continue what is there; try again."""


class _Begun(NamedTuple):
    """What was noted of a download when it began."""

    url: str
    total: int | None
    validator: str | None


class Partial:
    """A file that grows, with a note beside it that says of what it is the beginning."""

    def __init__(self, path: Path) -> None:
        self.path, self.note = path, path.with_name(path.name + ".json")

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self.path.stat().st_size if self.path.exists() else 0

    def begun(self, url: str) -> _Begun | None:
        """The note, if what is there is a beginning of this address's file."""
        try:
            begun = _Begun(**json.loads(self.note.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        usable = begun.url == url and isinstance(begun.total, int) and 0 < self.size <= begun.total
        return begun if usable else None

    def begin(self, begun: _Begun) -> None:
        """Start over; the note is written last, so that it never speaks of older bytes."""
        self.forget()
        self.path.touch()
        self.note.write_text(json.dumps(begun._asdict()))

    def forget(self) -> None:
        """Remove both files."""
        self.note.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def download(url: str, part: Partial, *, progress: bool | None = None) -> None:
    """Bring the file at ``url`` into ``part``, continuing what is there if it still fits."""
    if not _safe(url):
        raise FetchFailed(f"Only https addresses are fetched, got {url!r}.")
    reason = ""
    for attempt in range(ATTEMPTS):
        time.sleep(PAUSE if attempt else 0)
        try:
            with disk(part.path):
                return _pull(url, part, progress)
        except _Broken as error:
            reason = str(error)
    raise FetchFailed(
        f"The download of {url} broke off {ATTEMPTS} times, the last time because {reason}; "
        f"{part.size:,} bytes are kept. Run the command again to continue. {_BY_HAND}"
    )


@contextlib.contextmanager
def disk(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a sentence; network errors never pass here."""
    try:
        yield
    except OSError as error:
        if isinstance(error, ConlinucbError):
            raise
        raise FetchFailed(_disk_sentence(path, error)) from error


def _disk_sentence(path: Path, error: OSError) -> str:
    where, elsewhere = error.filename or path, "set CONLINUCB_DATA to another folder"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full: {where} could not be written. Free some space, or {elsewhere}."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{where} may not be written. Change its permissions, or {elsewhere}."
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return (
            f"{where} is needed as a folder, but a file is in its place. Move it, or {elsewhere}."
        )
    return f"{where} could not be written: {error.strerror or error}. Or {elsewhere}."


def _pull(url: str, part: Partial, progress: bool | None) -> None:
    """One connection: ask for all or the rest, and append what comes."""
    begun = part.begun(url)
    if begun and part.size == begun.total:
        return
    with _answer(url, part, begun) as response:
        if response.status == 206 and begun:
            _check_continues(response, part, begun)
        else:
            begun = _Begun(url, _length(response), _validator(response))
            part.begin(begun)
        _check_size(begun.total or 0, part, url)
        with contextlib.closing(Progress(begun.total, part.size, what="MB", shown=progress)) as bar:
            _append(response, part, url, bar)
    if begun.total is not None and part.size != begun.total:
        raise _Broken(f"the connection ended after {part.size:,} of {begun.total:,} bytes")


def _answer(url: str, part: Partial, begun: _Begun | None) -> Any:
    headers = {"User-Agent": f"conlinucb/{__version__}"}
    if begun:
        headers["Range"] = f"bytes={part.size}-"
        if begun.validator:
            headers["If-Range"] = begun.validator
    request = urllib.request.Request(url, headers=headers)
    try:
        return _opener(url).open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and begun:
            part.forget()
            raise _Broken("the server refused to continue") from None
        raise FetchFailed(_refusal(url, error)) from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise FetchFailed(
            f"{urlsplit(url).netloc} could not be reached: {reason}. "
            f"Check the connection and run the command again. {_BY_HAND}"
        ) from error


def _refusal(url: str, error: urllib.error.HTTPError) -> str:
    if error.code in (404, 410):
        return f"{url} is not there ({error.code}); it may have moved. {_BY_HAND}"
    if 300 <= error.code < 400:
        return f"{url} leads from address to address without end ({error.code}). {_BY_HAND}"
    return f"The server answered {error.code} to {url}. Try again later. {_BY_HAND}"


def _check_continues(response: Any, part: Partial, begun: _Begun) -> None:
    """Start over where the rest that is sent belongs to another file."""
    given = response.headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", given)
    if not found or (int(found[1]), int(found[2])) != (part.size, begun.total):
        part.forget()
        raise _Broken(f"the file on the server changed (Content-Range: {given or 'none'})")


def _check_size(size: int, part: Partial, url: str) -> None:
    if size > LIMIT:
        part.forget()
        raise FetchFailed(f"{url} is larger than the limit of {LIMIT:,} bytes; nothing is kept.")


def _append(response: Any, part: Partial, url: str, bar: Progress) -> None:
    with part.path.open("ab") as file:
        while block := _block(response):
            file.write(block)
            bar.add(len(block))
            _check_size(bar.done, part, url)


def _block(response: Any) -> bytes:
    try:
        return bytes(response.read(CHUNK))
    except (OSError, http.client.HTTPException) as error:
        raise _Broken(f"of {error!r}") from error


def _length(response: Any) -> int | None:
    given = response.headers.get("Content-Length", "")
    return int(given) if given.isdigit() else None


def _validator(response: Any) -> str | None:
    """What If-Range may carry: a strong ETag, else the date of the last change."""
    etag: str | None = response.headers.get("ETag")
    date: str | None = response.headers.get("Last-Modified")
    return etag if etag and not etag.startswith("W/") else date


def _safe(url: str, since: str | None = None) -> bool:
    """Whether to go there: https, or this very machine if that is where we come from."""
    return urlsplit(url).scheme == "https" or (_here(url) and (since is None or _here(since)))


def _here(url: str) -> bool:
    parts = urlsplit(url)
    with contextlib.suppress(ValueError):
        return parts.scheme == "http" and ipaddress.ip_address(parts.hostname or "").is_loopback
    return parts.scheme == "http" and parts.hostname == "localhost"


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Few redirects, and none that leaves https."""

    max_redirections = 5

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        new: str,
    ) -> urllib.request.Request | None:
        if not _safe(new, since=req.full_url):
            fp.close()
            raise FetchFailed(f"{req.full_url} leads to {new}, which is not https; not followed.")
        return super().redirect_request(req, fp, code, msg, headers, new)


def _opener(url: str) -> urllib.request.OpenerDirector:
    direct = [urllib.request.ProxyHandler({})] if _here(url) else []
    return urllib.request.build_opener(_Redirects, *direct)
