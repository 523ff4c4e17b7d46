"""What the library logs is seen on the command line; importing it says nothing."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from conlinucb.cli import data
from conlinucb.cli.main import app
from conlinucb.cli.messages import LOGGER

EXTRAS = ("rich", "pooch", "platformdirs", "requests", "typer", "matplotlib", "pyarrow")


def test_a_command_shows_what_the_library_logs_and_nothing_else_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def log(name: str) -> bool:
        for level in ("debug", "info", "warning"):
            getattr(logging.getLogger("conlinucb.somewhere"), level)("a %s about %s", level, name)
        return True

    monkeypatch.setattr(data, "_print_check", log)
    before = LOGGER.level, LOGGER.handlers[:]
    done = CliRunner().invoke(app, ["data", "check", "lastfm"])
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "a info about lastfm\na warning about lastfm\n"
    assert (LOGGER.level, LOGGER.handlers) == before


def test_importing_says_nothing_and_needs_no_extra() -> None:
    code = f"import sys, conlinucb; print([each for each in {EXTRAS} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")
