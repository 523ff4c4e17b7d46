"""Bring a published data set onto this machine: download, unpack, check, put in place."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from conlinucb.datasets.disk import disk
from conlinucb.datasets.download import download
from conlinucb.datasets.files import Published, cache_folder, complete, published, sha256_of
from conlinucb.datasets.unpack import check_sum, copy, members_of
from conlinucb.errors import FetchFailed, WrongData


def fetch(
    name: str,
    *,
    source: str | Path | None = None,
    url: str | None = None,
    progress: bool | None = None,
) -> Path:
    """Bring the data set ``name`` into the cache and return its folder.

    A complete folder is kept as it is. Otherwise the files come from ``source`` (the zip, or a
    folder that holds the files or the data set's folder), or from ``url``, by default the
    publisher's. Every file is checked before the folder appears under its name.
    """
    spec, cache = published(name), cache_folder()
    final = cache / spec.folder
    if complete(name):
        return final
    with disk(cache):
        cache.mkdir(parents=True, exist_ok=True)
    with _alone(cache / f".{name}.lock") as alone:
        if alone:
            _sweep(cache, spec)
        if complete(name):  # another process brought it while we waited
            return final
        if source is not None:
            _install(spec, Path(source).expanduser(), final, origin=str(source))
        else:
            _fetch_zip(spec, final, url or spec.url, progress)
    return final


def _fetch_zip(spec: Published, final: Path, url: str, progress: bool | None) -> None:
    """Download and install; a whole zip stays for the next call if only the disk was in the way."""
    zip_file = _downloads(final.parent, spec) / f"{spec.name}.zip"
    try:
        with disk(zip_file):
            download(url, zip_file, progress=progress)
        _install(spec, zip_file, final, origin=url)
    except WrongData:
        zip_file.unlink(missing_ok=True)
        raise
    else:
        zip_file.unlink(missing_ok=True)
    finally:
        with contextlib.suppress(OSError):  # not empty: the whole zip
            zip_file.parent.rmdir()


def _downloads(cache: Path, spec: Published) -> Path:
    """A folder of our own, so that nothing of anybody else's is swept."""
    return cache / f".{spec.name}.download"


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Wait until no other process or thread fetches this; False where locks do not work."""
    with disk(path):
        file = path.open("ab")
    with file:
        try:
            _lock(file)
        except OSError:
            yield False
        else:
            yield True


def _lock(file: IO[bytes]) -> None:
    """Lock until the file is closed; a process that dies closes it too."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _sweep(cache: Path, spec: Published) -> None:
    """Remove what a killed process left."""
    for each in cache.glob(f".{spec.folder}.*.new"):
        shutil.rmtree(each, ignore_errors=True)
    for each in _downloads(cache, spec).glob("tmp*"):
        each.unlink(missing_ok=True)


def _install(spec: Published, source: Path, final: Path, *, origin: str) -> None:
    """Copy, check, and only then show the files under the final name."""
    fresh = final.with_name(f".{spec.folder}.{uuid.uuid4().hex}.new")
    try:
        with members_of(spec, source, origin) as members, disk(fresh):
            fresh.mkdir()
            for file, opener in members.items():
                copy(opener, fresh / file, origin)
                check_sum(spec, fresh / file, origin)
            _put_in_place(spec, fresh, final)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _put_in_place(spec: Published, fresh: Path, final: Path) -> None:
    if not os.path.lexists(final):
        fresh.rename(final)
        return
    if not final.is_dir():
        raise FetchFailed(f"{final} is needed as a folder, but something else is there. Move it.")
    aside = fresh.with_suffix(".old")
    final.rename(aside)
    try:
        fresh.rename(final)
    except OSError:
        aside.rename(final)
        raise
    _clear(spec, aside, final)


def _clear(spec: Published, aside: Path, final: Path) -> None:
    """Keep what is not ours or is still good in the folder that was replaced."""
    if aside.is_symlink():
        aside.unlink()
        return
    with contextlib.suppress(OSError):
        for each in list(aside.iterdir()):
            good = each.name not in spec.sums or sha256_of(each) == spec.sums[each.name]
            if good and not (final / each.name).exists():
                each.rename(final / each.name)
            else:
                each.unlink()
        aside.rmdir()
