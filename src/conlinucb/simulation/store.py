"""Finished units on disk: each written once and whole, so that a run can go on later."""

from __future__ import annotations

import json
import os
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import whole
from conlinucb.simulation.job import Job, Unit, versions
from conlinucb.simulation.loop.inputs import METRICS
from conlinucb.simulation.unit import Played

_DAMAGE = (
    *(ValueError, KeyError, TypeError, EOFError, OSError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)


class Store:
    """A folder with ``spec.json`` and one .npz file for each finished unit."""

    def __init__(self, folder: str | Path, job: Job, shard: int) -> None:
        self.folder, self.logged = Path(folder), job.logged.size
        self.folder.mkdir(parents=True, exist_ok=True)
        spec = job.spec()
        path = self.folder / "spec.json"
        if not path.exists():
            content = {"spec": spec, "shard": shard, "versions": versions()}
            _write_first(path, json.dumps(content, indent=1).encode())
        agents, self.shard = self._read(path, spec)
        self.names = {name: f"{i:03d}" for i, name in enumerate(agents)}

    def _read(self, path: Path, wanted: Any) -> tuple[list[str], int]:
        try:
            kept = json.loads(path.read_text())
            spec, shard = kept["spec"], whole("shard", kept["shard"], low=1)
            agents = list(spec["agents"])
        except (ValueError, KeyError, TypeError) as error:
            raise IncompatibleState(f"{path} is damaged: {error!r}. Use another folder.") from None
        refuse_another(self.folder, spec, wanted)
        return agents, shard

    def _path(self, unit: Unit) -> Path:
        return self.folder / f"{self.names[unit.agent]}-{unit.repeat:04d}-{unit.first:08d}.npz"

    def save(self, unit: Unit, played: Played) -> None:
        """Write a unit; it is there under its name only when it is complete."""
        path = self._path(unit)
        partial = path.with_suffix(f".{os.getpid()}-{uuid.uuid4().hex}.partial")
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
                    yield unit, self._load(path, unit)
                except _DAMAGE:
                    path.unlink(missing_ok=True)

    def _load(self, path: Path, unit: Unit) -> Played:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            played = Played(*(file[name] for name in Played._fields))
        expected = (unit.last - unit.first, self.logged, len(METRICS))
        if played.metrics.shape != expected or not np.isfinite(played.metrics).all():
            raise ValueError(f"metrics of shape {played.metrics.shape}")
        return played


def _write_first(path: Path, content: bytes) -> None:
    """Put ``content`` there as a whole, unless another process was faster."""
    partial = path.with_suffix(f".{os.getpid()}-{uuid.uuid4().hex}.partial")
    partial.write_bytes(content)
    try:
        os.link(partial, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        partial.replace(path)
    partial.unlink(missing_ok=True)


def refuse_another(where: Path, kept: Any, wanted: Any) -> None:
    """Refuse what was kept for another specification, and say in what it differs."""
    found = _differences("", kept, json.loads(json.dumps(wanted)))
    # What the caller named first: rounds, say, before the questions that follow from it.
    different = sorted(found, key=lambda each: each.split(":")[0].count("."))
    if different:
        raise IncompatibleState(
            f"{where} holds another run. It differs in " + "; ".join(different[:5]) + ". "
            "Use another folder, or the specification it was made for."
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
