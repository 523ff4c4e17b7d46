"""Bring a published data set onto this machine: download, unpack, check, put in place."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from conlinucb.datasets.download import CHUNK, Partial, disk, download
from conlinucb.datasets.files import (
    LARGEST_FILE,
    Published,
    cache_folder,
    complete,
    only_line_ends_differ,
    published,
    sha256_of,
)
from conlinucb.errors import FetchFailed, MissingData, WrongData

Members = dict[str, Callable[[], IO[bytes]]]
"""Known files of a zip or folder, and how to open each."""
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


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
    part = Partial(final.with_name(f"{spec.name}.zip.partial"))
    download(url, part, progress=progress)
    try:
        _install(spec, part.path, final, origin=url)
    except WrongData:
        part.forget()
        raise
    part.forget()


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


def _install(spec: Published, source: Path, final: Path, *, origin: str) -> None:
    """Copy, check, and only then show the files under the final name."""
    fresh = final.with_name(f".{spec.folder}.{uuid.uuid4().hex}.new")
    try:
        with _members(spec, source, origin) as members, disk(fresh):
            fresh.mkdir()
            for file, opener in members.items():
                _copy(opener, fresh / file, origin)
                _check_sum(spec, fresh / file, origin)
            _put_in_place(spec, fresh, final)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


@contextlib.contextmanager
def _members(spec: Published, source: Path, origin: str) -> Iterator[Members]:
    if source.is_dir():
        yield _complete_members(spec, _in_folder(spec, source), origin)
    elif not source.exists():
        raise MissingData(f"{origin} is not there; pass the zip of {spec.title}, or its folder.")
    else:
        with _opened(source, origin) as archive:
            yield _complete_members(spec, _in_zip(spec, archive), origin)


def _opened(source: Path, origin: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except _BAD_ZIP as error:
        raise WrongData(
            f"{origin} is not a zip file ({error}); was it a page, or a broken download?"
        ) from error
    except OSError as error:
        raise FetchFailed(f"{origin} could not be read: {error.strerror or error}.") from error


def _complete_members(spec: Published, members: Members, origin: str) -> Members:
    missing = [each for each in spec.needed if each not in members]
    if missing:
        raise WrongData(f"{origin} lacks {', '.join(missing)}, so it is not {spec.title}.")
    return members


def _in_folder(spec: Published, source: Path) -> Members:
    """Files of the folder itself, or of the data set's folder in it."""
    inner = (spec.folder, PurePosixPath(spec.url).stem)
    folders = [source, *(source / each for each in inner)]
    best = max(folders, key=lambda folder: sum((folder / f).is_file() for f in spec.needed))
    return {file: _opener(best / file) for file in spec.sums if (best / file).is_file()}


def _opener(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: path.open("rb")


def _in_zip(spec: Published, archive: zipfile.ZipFile) -> Members:
    """Members by the last part of their names; where those go is never the zip's choice."""
    found: dict[str, list[tuple[bool, int, zipfile.ZipInfo]]] = {}
    for info in archive.infolist():
        path = PurePosixPath(info.filename.replace("\\", "/"))
        if path.name in spec.sums and not info.is_dir():
            rank = (path.parent.name != spec.folder, len(path.parts), info)
            found.setdefault(path.name, []).append(rank)
    best = {file: min(ranks, key=lambda rank: rank[:2])[2] for file, ranks in found.items()}
    return {file: _member(archive, info) for file, info in best.items()}


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _copy(opener: Callable[[], IO[bytes]], to: Path, origin: str) -> None:
    with to.open("xb") as file:
        for block in _blocks(opener, f"{to.name} in {origin}"):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def _blocks(opener: Callable[[], IO[bytes]], what: str) -> Iterator[bytes]:
    """Read piece by piece and count, since a zip may lie about sizes."""
    size = 0
    try:
        with opener() as stream:
            while block := stream.read(CHUNK):
                size += len(block)
                if size > LARGEST_FILE:
                    raise WrongData(f"{what} is larger than {LARGEST_FILE:,} bytes; refused.")
                yield block
    except WrongData:
        raise
    except _BAD_ZIP as error:
        raise WrongData(f"{what} is damaged: {error}.") from error
    except OSError as error:
        raise FetchFailed(f"{what} could not be read: {error.strerror or error}.") from error


def _check_sum(spec: Published, path: Path, origin: str) -> None:
    """Needed files must match; in the others line ends may differ, as nothing reads them."""
    expected, found = spec.sums[path.name], sha256_of(path)
    if found == expected:
        return
    line_ends = only_line_ends_differ(path, expected)
    if line_ends and path.name not in spec.needed:
        return
    hint = " Only its line ends differ from the published file's." if line_ends else ""
    raise WrongData(
        f"{path.name} in {origin} is not as published: expected SHA-256 {expected}, "
        f"found {found}.{hint}"
    )


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
