"""Finished units on disk: each written once and whole, so that a run can go on later."""

from __future__ import annotations

import contextlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb import atomic
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.validation import Floats, whole
from conlinucb.simulation.differences import differences
from conlinucb.simulation.job import Job, Unit, versions
from conlinucb.simulation.loop.inputs import METRICS
from conlinucb.simulation.unit import Played

FORMAT = 1
"""Raised when files are laid out in another way, or when the same run comes to other numbers."""
VERSION = "conlinucb"
"""The part of a specification that says which release wrote it; the format decides, not this."""
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
            content = {"format": FORMAT, "spec": spec, "shard": shard, "versions": versions()}
            atomic.write_first(path, json.dumps(content, indent=1).encode())
        agents, self.shard = self._read(path, spec)
        self.names = {name: f"{i:03d}" for i, name in enumerate(agents)}

    def _read(self, path: Path, wanted: Any) -> tuple[list[str], int]:
        with _readable(path):
            kept = dict(json.loads(path.read_text()))
        refuse_format(path, kept, FORMAT)
        with _readable(path):
            spec, shard = kept["spec"], whole("shard", kept["shard"], low=1)
            agents = list(spec["agents"])
        refuse_another(self.folder, spec, wanted)
        return agents, shard

    def _path(self, unit: Unit) -> Path:
        return self.folder / f"{self.names[unit.agent]}-{unit.repeat:04d}-{unit.first:08d}.npz"

    def save(self, unit: Unit, played: Played) -> None:
        """Write a unit; it is there under its name only when it is complete."""
        with atomic.writing(self._path(unit)) as file:
            np.savez(file, allow_pickle=False, **played._asdict())

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
        if played.metrics.ndim == 3 and 6 <= played.metrics.shape[-1] < len(METRICS):
            played = played._replace(metrics=_completed(played.metrics))
        expected = (unit.last - unit.first, self.logged, len(METRICS))
        if played.metrics.shape != expected or not _whole(played.metrics):
            raise ValueError(f"metrics of shape {played.metrics.shape}")
        return played


def _completed(metrics: Floats) -> Floats:
    """With all columns: what was written before rewards or hits were counted has fewer."""
    missing = len(METRICS) - metrics.shape[-1]
    return np.pad(metrics, ((0, 0), (0, 0), (0, missing)), constant_values=np.nan)


def _whole(metrics: Floats) -> bool:
    """Whether all is there; people without a taste have no error, older units no rewards."""
    known = np.isfinite(metrics)
    for name in ("error", "reward", "answered", "hits", "rewards_asked"):
        column = METRICS.index(name)
        known[..., column] |= np.isnan(metrics[..., column])
    return bool(known.all())


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise IncompatibleState(f"{path} is damaged: {error!r}. Use another folder.") from None


def refuse_format(where: Path, kept: dict[str, Any], known: int) -> None:
    """Refuse what was written in another format; what names none is of the first."""
    found, spec = kept.get("format", 1), kept.get("spec")
    if found != known:
        version = spec.get(VERSION) if isinstance(spec, dict) else None
        raise IncompatibleState(
            f"{where} is of format {found!r}, written by conlinucb {version or '(not said)'}; this "
            f"version reads format {known}. Use another folder, or the version that wrote it."
        )


def refuse_another(where: Path, kept: Any, wanted: Any) -> None:
    """Refuse what was kept for another specification, and say in what it differs."""
    different = [
        f"{field}: {there} there, {now} now"
        for field, there, now in differences(_compared(kept), _compared(wanted))
    ]
    if different:
        raise IncompatibleState(
            f"{where} holds another run. It differs in " + "; ".join(different[:5]) + ". "
            "Use another folder, or the specification it was made for."
        )


def _compared(spec: Any) -> Any:
    """What decides the numbers: everything but the release, which is there for information."""
    return {k: v for k, v in spec.items() if k != VERSION} if isinstance(spec, dict) else spec
