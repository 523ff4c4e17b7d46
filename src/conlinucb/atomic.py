"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from conlinucb.errors import InvalidInput


def existing(path: str | Path) -> Path:
    """The path of a file to read; one that is not there is named."""
    if not Path(path).is_file():
        raise InvalidInput(f"There is no file {path}.")
    return Path(path)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to write into; it has its name, and is on disk, once the block ends without error."""
    partial = _beside(path)
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write(path: Path, content: bytes) -> None:
    """Put ``content`` there as a whole."""
    with writing(path) as file:
        file.write(content)


def write_first(path: Path, content: bytes) -> None:
    """Put ``content`` there as a whole, unless another process was faster."""
    partial = _beside(path)
    write(partial, content)
    try:
        os.link(partial, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    """A name in the same folder that no other process or thread takes."""
    return path.with_name(f"{path.name}.{os.getpid()}-{uuid.uuid4().hex}.partial")
