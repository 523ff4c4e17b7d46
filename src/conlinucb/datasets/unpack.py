"""The known files of a zip or folder, copied and checked one by one."""

from __future__ import annotations

import contextlib
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from conlinucb.datasets.files import LARGEST_FILE, Published, only_line_ends_differ, sha256_of
from conlinucb.errors import FetchFailed, MissingData, WrongData

Members = dict[str, Callable[[], IO[bytes]]]
"""Known files of a zip or folder, and how to open each."""
BLOCK = 1 << 16
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@contextlib.contextmanager
def members_of(spec: Published, source: Path, origin: str) -> Iterator[Members]:
    """The files of ``source`` that are known, every needed one among them."""
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


def copy(opener: Callable[[], IO[bytes]], to: Path, origin: str) -> None:
    """Write a new file and wait until it is on the disk."""
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
            while block := stream.read(BLOCK):
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


def check_sum(spec: Published, path: Path, origin: str) -> None:
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
