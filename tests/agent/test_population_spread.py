"""The same numbers from memory, parts and Ray; and after an interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import conlinucb as cl
from conlinucb.agent.priors.fitting import scan
from conlinucb.agent.priors.fitting.store import Store
from conlinucb.progress import Progress
from support.population import log_of, world

WORLD = world()


@pytest.fixture(scope="module")
def log() -> dict[str, Any]:
    found = log_of(WORLD, 300, 8)
    answers = log_of(WORLD, 300, 2, seed=2)
    return {
        "person": np.concatenate([found["person"], answers["person"]]),
        "kind": ["reward"] * found["id"].size + ["answer"] * answers["id"].size,
        "id": np.concatenate([found["id"], answers["id"] % 8]),
        "value": np.concatenate([found["value"], answers["value"]]),
    }


@pytest.fixture(scope="module")
def folder(log: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three parts, people in another order."""
    path = tmp_path_factory.mktemp("parts")
    frame = pl.DataFrame(log)
    for i in range(3):
        frame.filter(pl.col("person") % 3 == i).write_parquet(path / f"part-{i}.parquet")
    return path


@pytest.fixture(params=[5000, 100], ids=["few", "many"])
def sample(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody at once, or a sample before all."""
    monkeypatch.setattr(scan, "SAMPLE", request.param)
    monkeypatch.setattr("conlinucb.agent.priors.fitting.fit.SAMPLE", request.param)


def fitted(feedback: Any, **options: Any) -> cl.Population:
    return cl.Population.fit(WORLD.catalog, feedback, range=None, **options)


def assert_same(a: cl.Population, b: cl.Population) -> None:
    np.testing.assert_allclose(a.mean, b.mean, rtol=0, atol=1e-9)
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=0, atol=1e-9)
    assert a.noise == pytest.approx(b.noise, abs=1e-9)
    for mine, other in zip(a.answers(WORLD.catalog), b.answers(WORLD.catalog), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-9)


@pytest.mark.usefixtures("sample")
def test_parts_give_what_memory_gives(log: dict[str, Any], folder: Path) -> None:
    assert_same(fitted(log), fitted(folder))


@pytest.mark.usefixtures("sample")
def test_threads_give_the_same_bits(log: dict[str, Any]) -> None:
    assert fitted(log, threads=1).to_bytes() == fitted(log, threads=3).to_bytes()


@pytest.mark.more
def test_ray_gives_what_memory_gives(
    log: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray: Any = pytest.importorskip("ray", reason="Ray is not installed")
    monkeypatch.setattr("conlinucb.agent.priors.fitting.fit.SAMPLE", 100)
    try:
        assert_same(fitted(log), fitted(folder, executor="ray"))
    finally:
        ray.shutdown()


def test_a_function_like_map_will_do(folder: Path) -> None:
    met = []

    def spread(function: Any, parts: Any) -> Any:
        for part in parts:
            met.append(part.name)
            yield function(part)

    assert_same(fitted(folder), fitted(folder, executor=spread))
    assert set(met) == {"part-0.parquet", "part-1.parquet", "part-2.parquet"}


def test_a_person_in_two_parts_is_refused(log: dict[str, Any], tmp_path: Path) -> None:
    frame = pl.DataFrame(log)
    frame[: frame.height // 4].write_parquet(tmp_path / "a.parquet")
    frame[frame.height // 4 :].write_parquet(tmp_path / "b.parquet")
    with pytest.raises(cl.InvalidInput, match=r"both in a\.parquet and in b\.parquet"):
        fitted(tmp_path)


def test_errors_name_the_part(log: dict[str, Any], tmp_path: Path) -> None:
    pl.DataFrame({**log, "id": log["id"] + 60}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(cl.UnknownName, match=r"^a\.parquet: No "):
        fitted(tmp_path)
    with pytest.raises(cl.InvalidInput, match=r"no \.parquet files"):
        fitted(tmp_path.parent)


class Interrupted(Exception):
    pass


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("after", [1, 4, 9])
def test_the_same_call_goes_on(
    log: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    store, note, noted = tmp_path / "fit.npz", Store.note, []

    def interrupt(self: Store, *args: Any) -> None:
        note(self, *args)
        noted.append(args)
        if len(noted) == after:
            raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(Store, "note", interrupt)
        with pytest.raises(Interrupted):
            fitted(log, store=store)
    whole = len(passes(monkeypatch, log))
    rest = len(passes(monkeypatch, log, store=store))
    assert rest < whole
    assert fitted(log, store=store).to_bytes() == fitted(log).to_bytes()


def passes(monkeypatch: pytest.MonkeyPatch, log: Any, **options: Any) -> list[int]:
    """How many people each pass of a fit went over."""
    found: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(Progress, "add", lambda self, people: found.append(people))
        fitted(log, **options)
    return found


def test_another_calls_store_is_refused(log: dict[str, Any], tmp_path: Path) -> None:
    store = tmp_path / "fit.npz"
    first = fitted(log, store=store)
    assert fitted(log, store=store).to_bytes() == first.to_bytes()
    with pytest.raises(cl.InvalidInput, match=r"another fit; it differs in pull"):
        fitted(log, store=store, pull=3.0)
    with pytest.raises(cl.InvalidInput, match=r"another fit; it differs in feedback"):
        fitted({name: column[:-1] for name, column in log.items()}, store=store)
    store.write_bytes(b"else")
    with pytest.raises(cl.IncompatibleState, match="not a store"):
        fitted(log, store=store)
