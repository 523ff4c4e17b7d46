"""The exported log: a row for each item shown, exact pools, chances, late and retracted rewards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import conlinucb as cl
from conlinucb.agent.spec import agent_of
from conlinucb.errors import InvalidInput
from conlinucb.service.conversations.decide import NextRequest
from conlinucb.service.experiments.log_file import KEY, write_log
from conlinucb.service.experiments.log_rows import LogRows
from conlinucb.service.schemas.experiments import ExperimentBody
from conlinucb.service.storage import RecommendationBody
from support.service_commands import run
from support.service_live import KEEN, Crowd, crowd

MEMORY = "sqlite://"


def _exported(talking: Crowd, folder: Path, **more: Any) -> list[dict[str, Any]]:
    version = talking.catalogues.serving("it")
    rows = LogRows(talking.storage, talking.catalogues, version, 0.0, **more)
    write_log(folder / "log.parquet", rows, with_ids=True)
    rows.catalog.save(folder / "log.npz")
    found: list[dict[str, Any]] = pq.read_table(folder / "log.parquet").to_pylist()
    return found


def _show(talking: Crowd, name: str = "ann", **wanted: Any) -> tuple[int, list[str]]:
    event = talking.use_cases.next("it", name, NextRequest(ask=False, **wanted)).event
    assert isinstance(event.body, RecommendationBody)
    return event.seq, [each.item for each in event.body.items]


def test_rewards_are_joined_and_what_was_taken_back_is_not_there(tmp_path: Path) -> None:
    with crowd(MEMORY) as talking:
        cases = talking.use_cases
        first, items = _show(talking, k=2)
        second, others = _show(talking)
        cases.reward("it", "ann", f"d{second}", others[0], 1.0, None)
        late = cases.reward("it", "ann", f"d{first}", items[1], 0.25, None)
        wrong = cases.reward("it", "ann", f"d{first}", items[0], 0.75, None)
        cases.retract("it", "ann", wrong.event.seq)
        cases.reward("it", "ann", None, "item 3", 0.5, None)
        cases.volunteer("it", "ann", "term 0", "yes", None)
        rows = _exported(talking, tmp_path)
        assert late.event.seq < wrong.event.seq
    found = [(row["kind"], row["event"], row["slot"], row["reward"]) for row in rows]
    assert found == [
        ("decision", first, 1, 0.0),
        ("reward", first, 2, 0.25),
        ("decision", second, 1, 1.0),
        ("reward", 7, None, 0.5),
        ("answer", 8, None, 1.0),
    ]
    assert [row["rewarded"] for row in rows] == [False, True, True, True, True]
    assert {row["person"] for row in rows} == {"ann"}
    assert {row["propensity"] for row in rows if row["kind"] == "decision"} == {1.0}


def test_pools_come_out_as_they_were(tmp_path: Path) -> None:
    """Whole, given, with things left out, and of a catalogue that was edited since."""
    with crowd(MEMORY) as talking:
        _show(talking, exclude=["item 3"])
        _show(talking, pool=["item 5", "item 9"])
        new = {"id": "new", "tags": {}, "features": [0.5, 0.5, 0.5, 0.5]}
        talking.catalogues.add("it", [new])
        talking.catalogues.remove("it", ["item 7"])
        _show(talking)
        rows = _exported(talking, tmp_path)
        saved = cl.Catalog.load(tmp_path / "log.npz")
    assert len(saved.live_arms) == 31
    log = [(row["pool"], row["left_out"]) for row in rows]
    whole = {f"item {a}" for a in range(30)}
    assert set(log[0][0].split("|")) == whole - {"item 3"}
    assert log[1] == ("item 5|item 9", None)
    assert set(log[2][0].split("|")) == whole - {"item 7"} | {"new"}


def test_large_pools_are_named_by_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conlinucb.service.conversations.recorded.FEW", 5)
    with crowd(MEMORY, explore=0.2) as talking:
        _show(talking, exclude=["item 3"])
        _show(talking)
        talking.catalogues.remove("it", ["item 7"])
        _show(talking)
        _show(talking, exclude=[f"item {a}" for a in range(8)])
        for number in range(60):
            talking.talk(f"p{number}", number, 1)
        rows = _exported(talking, tmp_path)
        agent = agent_of(KEEN, cl.Catalog.load(tmp_path / "log.npz"))
        found = cl.evaluate(tmp_path / "log.parquet", agent, least_effective=2)
    mine = [row for row in rows if row["person"] == "ann"]
    assert [(row["kind"], row["pool"], row["left_out"]) for row in mine] == [
        ("decision", None, "item 3"),
        ("decision", None, None),
        ("decision", None, "item 7"),
        ("shown", None, None),  # neither what was there nor what was not is known by name
    ]
    assert found.decisions == 63


def test_shadows_are_targets(tmp_path: Path) -> None:
    arms = [{"name": "now", "share": 1.0}, {"name": "keen", "shadow": True, "agent": KEEN}]
    with crowd(MEMORY, explore=0.2) as talking:
        _show(talking)
        body = ExperimentBody.model_validate({"arms": arms, "seed": 1})
        talking.use_cases.experiments.start("it", body)
        for number in range(30):
            talking.use_cases.experiments.follow()  # as every half a second
            talking.talk(f"p{number}", number, 3, pool_size=3)
        rows = _exported(talking, tmp_path, experiment=1)
        judged = [row for row in rows if row["kind"] == "decision"]
        assert len(judged) == 90
        assert {row["arm"] for row in judged} == {"now"}
        assert {row["shadow_keen"] for row in judged} == {0.0, 1.0}
        by_column = cl.evaluate(
            {name: [row[name] for row in judged] for name in judged[0]},
            "shadow_keen",
            estimators=("ips",),
            least_effective=2,
        )
        whole = cl.evaluate(tmp_path / "log.parquet", "shadow_keen", least_effective=2)
        agent = agent_of(KEEN, cl.Catalog.load(tmp_path / "log.npz"))
        replayed = cl.evaluate(tmp_path / "log.parquet", agent, least_effective=2)
    assert by_column["ips"].value == pytest.approx(replayed["ips"].value)
    assert whole["ips"].value == pytest.approx(replayed["ips"].value)


def test_people_are_hashed_unless_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'live.db'}"
    with crowd(url) as talking:
        for number in range(3):
            talking.talk(f"person {number}", number, 2)

        def people(*more: str) -> set[str]:
            out = tmp_path / "here" / "it.parquet"
            done = run(["log", "export", "it", "--out", str(tmp_path / "here"), *more], url)
            assert done.code == 0, done.output
            assert out.stat().st_mode & 0o777 == 0o600
            return set(pq.read_table(out)["person"].to_pylist())

        one, other = people(), people()
        assert len(one) == len(other) == 3
        assert not one & other
        assert people("--with-ids") == {f"person {i}" for i in range(3)}
        monkeypatch.setenv(KEY, "a key of some length")
        assert people() == people()
        assert not any("person" in each for each in people())
        monkeypatch.setenv(KEY, "short")
        assert isinstance(
            run(["log", "export", "it", "--out", str(tmp_path)], url).error, InvalidInput
        )
    assert list((tmp_path / "here").iterdir()) == [
        each for each in (tmp_path / "here").iterdir() if each.suffix in (".parquet", ".npz")
    ]


def test_decisions_before_a_day_are_learned_from_only(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'live.db'}"
    with crowd(url) as talking:
        talking.talk("ann", 1, 4)
        out = ["log", "export", "it", "--out", str(tmp_path / "log.parquet")]
        assert "rows: 4 reward" in run([*out, "--since", "2999-01-01"], url).output
        assert "rows: 4 decision" in run([*out, "--since", "2000-01-01"], url).output
        assert "2000-13-01" in str(run([*out, "--since", "2000-13-01"], url).error)
        assert "has no experiment 9" in str(run([*out, "--experiment", "9"], url).error)
