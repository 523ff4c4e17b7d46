"""Small reproductions that several test files share."""

from __future__ import annotations

import json
import os
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from conlinucb.experiments import ITEMS
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.run import folder_of, run_setting
from conlinucb.experiments.setting import Setting, Size, settings_of
from conlinucb.progress import Progress
from support.runs import same_bits

SMALL = {"runs": 2, "users": 3, "rounds": 25, "trials": 2, "tuning_users": 2}
WORDS = ("--runs", "2", "--users", "3", "--rounds", "25")
REAL = ("lastfm", "movielens")
TUNING, SCORING = 9 * 2, 9 * 2
NOTES = ("seconds", "tuning_seconds", "resumed")
"""What an outcome says of its making, not of what came out."""
DATA = os.environ.get("CONLINUCB_DATA", "")
real = pytest.mark.skipif(
    not (Path(DATA) / "hetrec-lastfm-2k").is_dir(),
    reason="set CONLINUCB_DATA to a folder with hetrec-lastfm-2k and hetrec-movielens-2k",
)


def linear_people(setting: Setting) -> cl.LinearUsers:
    """Those of a setting of the paper."""
    people = setting.people(setting.thetas()[0])
    assert isinstance(people, cl.LinearUsers)
    return people


def agent_of(setting: Setting, name: str) -> cl.Agent:
    """An algorithm of the paper in it, as it stands before tuning."""
    agent = setting.agent(name, setting.parameters(name, {}))
    assert isinstance(agent, cl.Agent)
    return agent


def settings(item: str, protocol: str, **size: int) -> list[Setting]:
    given = Size(**{**SMALL, **size})  # type: ignore[arg-type]
    return settings_of(ITEMS[item], PROTOCOLS[protocol], given, seed=0)


def some_of(item: str, protocol: str) -> list[Setting]:
    """As many settings as it takes to meet every point of a sweep and every variant."""
    found = settings(item, protocol, runs=1, trials=1)
    points = list(dict.fromkeys(each.point.label for each in found))
    variants = list(dict.fromkeys(each.variant.label for each in found))
    count = max(len(points), len(variants))
    pairs = set(zip(*(islice(cycle(each), count) for each in (points, variants)), strict=True))
    return [each for each in found if (each.point.label, each.variant.label) in pairs]


def play(setting: Setting, out: Path, bar: Progress | None = None, **how: Any) -> Outcome:
    return run_setting(setting, out, bar or Progress(None, shown=False), **how)


def kept(setting: Setting, out: Path) -> tuple[dict[str, Any], cl.Results]:
    """What lies in the folder: the outcome, as strict JSON, and the results."""
    path = folder_of(out, setting) / setting.slug
    text = path.with_name(f"{path.name}.json").read_text()
    outcome = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    return outcome, cl.Results.load(path.with_name(f"{path.name}.parquet"))


def contents(folder: Path) -> dict[Path, tuple[int, bytes]]:
    """Every file, when it was written and what is in it."""
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def without_notes(outcome: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in outcome.items() if key not in NOTES}


def assert_same(setting: Setting, one: Path, other: Path) -> None:
    """Both folders hold the same outcome and the same results."""
    (mine, my_results), (theirs, their_results) = (kept(setting, out) for out in (one, other))
    assert without_notes(mine) == without_notes(theirs)
    assert same_bits(my_results, their_results)


class Stopping(Progress):
    """Counts units, and stops everything after some of them."""

    def __init__(self, after: int | None = None) -> None:
        super().__init__(None, shown=False)
        self.after, self.units = after, 0

    def add(self, amount: int) -> None:
        super().add(amount)
        self.units += 1
        if self.units == self.after:
            raise KeyboardInterrupt


def stop(setting: Setting, folder: Path, after: int | None) -> None:
    """Play until so many units are done, or to the end."""
    if after is None:
        play(setting, folder)
    else:
        with pytest.raises(KeyboardInterrupt):
            play(setting, folder, Stopping(after))
