"""Finished units on disk: each written once and whole, so that a run can go on later."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.engine.job import Job, Unit, versions
from conlinucb.engine.unit import Played
from conlinucb.errors import IncompatibleState


class Store:
    """A folder with ``spec.json`` and one .npz file for each finished unit."""

    def __init__(self, folder: str | Path, job: Job, shard: int) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        spec = json.loads(json.dumps(job.spec()))
        path = self.folder / "spec.json"
        if path.exists():
            kept = self._read(path)
            _refuse_another(self.folder, kept["spec"], spec)
            self.shard = int(kept["shard"])
        else:
            self.shard = shard
            content = {"spec": spec, "shard": shard, "versions": versions()}
            _write_whole(path, json.dumps(content, indent=1).encode())
        self.names = {name: f"{i:03d}" for i, name in enumerate(job.agents)}

    def _read(self, path: Path) -> Any:
        try:
            return json.loads(path.read_text())
        except ValueError as error:
            raise IncompatibleState(f"{path} is damaged: {error}. Use an empty folder.") from None

    def _path(self, unit: Unit) -> Path:
        return self.folder / f"{self.names[unit.agent]}-{unit.repeat:04d}-{unit.first:08d}.npz"

    def save(self, unit: Unit, played: Played) -> None:
        """Write a unit; it is there under its name only when it is complete."""
        path = self._path(unit)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        with partial.open("wb") as file:
            np.savez(file, allow_pickle=False, **played._asdict())
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)

    def finished(self, units: list[Unit]) -> Iterator[tuple[Unit, Played]]:
        """The units that are there; an unreadable one is taken as missing and written anew."""
        for unit in units:
            path = self._path(unit)
            if path.exists():
                try:
                    with np.load(path, allow_pickle=False) as file:
                        yield unit, Played(*(file[name] for name in Played._fields))
                except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile):
                    path.unlink()


def _write_whole(path: Path, content: bytes) -> None:
    partial = path.with_suffix(".partial")
    partial.write_bytes(content)
    partial.replace(path)


def _refuse_another(folder: Path, kept: Any, wanted: Any) -> None:
    different = list(_differences("", kept, wanted))
    if different:
        raise IncompatibleState(
            f"{folder} holds another run. It differs in " + "; ".join(different[:5]) + ". "
            "Use another folder, or the specification that folder was made for."
        )


def _differences(path: str, kept: Any, wanted: Any) -> Iterator[str]:
    if isinstance(kept, dict) and isinstance(wanted, dict):
        for key in dict.fromkeys([*kept, *wanted]):
            inside = f"{path}.{key}" if path else str(key)
            yield from _differences(inside, kept.get(key), wanted.get(key))
    elif kept != wanted:
        yield f"{path}: {_short(kept)} there, {_short(wanted)} now"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
