"""Errors of the file system, as sentences."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from conlinucb.errors import ConlinucbError, FetchFailed


@contextlib.contextmanager
def disk(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a sentence; network errors never pass here."""
    try:
        yield
    except OSError as error:
        if isinstance(error, ConlinucbError):
            raise
        raise FetchFailed(_sentence(path, error)) from error


def _sentence(path: Path, error: OSError) -> str:
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
