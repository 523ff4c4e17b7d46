"""The command ``conlinucb doctor``: what this installation has, lacks and can do."""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import typer

from conlinucb._version import __version__
from conlinucb.cli import tables
from conlinucb.cli.self_test import CHECKS
from conlinucb.datasets import files
from conlinucb.errors import MissingData, MissingExtra
from conlinucb.randomness import mix
from conlinucb.simulation.executors import Threads

CORE = ("numpy", "scipy", "numba")
FOR = {
    "runner": "tables, the command line, pictures and reports, fetching data",
    "frames": "pandas frames",
    "ray": "executor='ray', many machines",
    "service": "conlinucb serve, the HTTP service and its page",
    "postgres": "the service on PostgreSQL",
    "tune": "cl.tune(sampler='tpe') and other samplers of Optuna's",
    "clusters": "key-terms made from clusters and trees of items",
    "client": "conlinucb.client, calling the service from Python",
    "telemetry": "traces of the service for OpenTelemetry",
    "gymnasium": "people as environments of Gymnasium",
    "coba": "agents and people in experiments of Coba",
}
"""What an extra is for."""
FOR_DEVELOPERS = ("test", "docs")
THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
Row = tuple[str, str, str]
"""What, what was found, and what would help."""


def doctor() -> None:
    """Say what is installed, found and writable, and try it; exit code 1 if a trial fails.

    Takes a few seconds, more where kernels are not compiled yet. Nothing is installed or changed.
    """
    for title, rows in (
        ("versions", _versions()),
        ("machine", _machine()),
        ("data", _data()),
        ("extras", _extras()),
    ):
        _print(title, list(rows))
    tried = [(name, _tried(check)) for name, check in CHECKS.items()]
    _print("self-test", [(name, "FAILED" if wrong else "ok", wrong) for name, wrong in tried])
    if any(wrong for _, wrong in tried):
        raise typer.Exit(1)


def _tried(check: Callable[[], str]) -> str:
    """What is wrong, or nothing."""
    try:
        return check()
    except Exception as error:  # whatever it is, it is what the doctor is asked for
        return f"{type(error).__name__}: {error}"


def _print(title: str, rows: list[Row]) -> None:
    tables.show(
        lambda: tables.made((title, "found", "what helps"), rows),
        (f"{title}: {what}: {found}{f' ({hint})' if hint else ''}" for what, found, hint in rows),
    )


def _versions() -> Iterator[Row]:
    yield "conlinucb", f"{__version__}, in {Path(__file__).parent.parent}", ""
    yield "python", f"{platform.python_version()}, {sys.executable}", ""
    for name in CORE:
        yield name, _version(name) or "missing", "" if _version(name) else "pip install conlinucb"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _machine() -> Iterator[Row]:
    usable, there = Threads().threads, os.cpu_count() or 1
    yield "system", f"{platform.system()} {platform.machine()}", ""
    yield "processors", f"{usable} of {there} can be used, so many threads by default", ""
    for name in THREADS:
        if name in os.environ:
            yield name, os.environ[name], ""
    yield _cache()


def _cache() -> Row:
    """Where compiled kernels are kept."""
    path = getattr(mix.compiled._cache, "cache_path", None)
    hint = "set NUMBA_CACHE_DIR to a folder that can be written to"
    if path is None:
        return "compiled kernels", "not kept: compiled in every process", hint
    writable = _writable(Path(path))
    return (
        "compiled kernels",
        f"{path}, {'writable' if writable else 'read-only'}",
        ("" if writable else hint),
    )


def _writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _data() -> Iterator[Row]:
    said = os.environ.get("CONLINUCB_DATA")
    try:
        folder = str(files.cache_folder())
    except MissingExtra as error:
        yield "CONLINUCB_DATA", "not set", str(error)
        return
    yield "CONLINUCB_DATA" if said else "the user's folder for caches", folder, ""
    for name in files.PUBLISHED:
        try:
            yield name, str(files.data_folder(name)), ""
        except MissingData:
            yield name, "not there", f"conlinucb data fetch {name}"


def _extras() -> Iterator[Row]:
    for extra, packages in extras().items():
        missing = [each for each in packages if _version(each) is None]
        what = f"{extra}, for {FOR[extra]}" if extra in FOR else extra
        hint = f"pip install 'conlinucb[{extra}]'"
        yield what, f"without {', '.join(missing)}" if missing else "there", hint if missing else ""


def extras() -> dict[str, list[str]]:
    """The packages of each extra, but for those of developers, as the installation says.

    >>> "pandas" in extras()["frames"]
    True
    """
    found: dict[str, list[str]] = {}
    for line in _requirements():
        extra, name = _EXTRA.search(line), _NAME.match(line)
        elsewhere = "sys_platform != 'win32'" in line.replace('"', "'") and sys.platform == "win32"
        if (
            extra
            and name
            and extra[1] not in FOR_DEVELOPERS
            and name[0] != "conlinucb"
            and not elsewhere
        ):
            found.setdefault(extra[1], []).append(name[0])
    return found


def _requirements() -> list[str]:
    try:
        return metadata.requires("conlinucb") or []
    except metadata.PackageNotFoundError:  # run from its sources
        return []
