"""Which release wrote a folder does not matter, its format does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from support.runs import Counting, same_bits, some_agents, some_people

UNITS = 4 * 3
"""Four agents, seven users in shards of three."""


def run(store: Path | None = None, **how: Any) -> cl.Results:
    return cl.simulate(some_agents(), some_people(7), rounds=30, shard=3, store=store, **how)


def stop_after(units: int, store: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(store, executor=Counting(stop_after=units))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("written", [{"format": 1}, {}], ids=["format 1", "before formats"])
def test_the_folder_of_another_release_goes_on(tmp_path: Path, written: dict[str, int]) -> None:
    stop_after(5, tmp_path)
    content = json.loads((tmp_path / "spec.json").read_text())
    del content["format"]
    content["spec"]["conlinucb"] = "0.0.1"
    (tmp_path / "spec.json").write_text(json.dumps({**written, **content}))
    rest = Counting()
    assert same_bits(run(), run(tmp_path, executor=rest))
    assert len(rest.played) == UNITS - 5


@pytest.mark.parametrize("spec", [{"conlinucb": "9.8.7"}, "laid out otherwise"])
def test_the_folder_of_another_format_is_refused(tmp_path: Path, spec: Any) -> None:
    run(tmp_path)
    (tmp_path / "spec.json").write_text(json.dumps({"format": 2, "spec": spec}))
    before = contents(tmp_path)
    with pytest.raises(cl.IncompatibleState) as caught:
        run(tmp_path)
    version = "9.8.7" if isinstance(spec, dict) else "(not said)"
    assert str(caught.value) == (
        f"{tmp_path / 'spec.json'} is of format 2, written by conlinucb {version}; this version "
        "reads format 1. Use another folder, or the version that wrote it."
    )
    assert contents(tmp_path) == before
