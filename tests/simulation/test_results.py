"""Results: shapes, curves, comparisons, tables and files."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from conlinucb.shown import rounded
from support.runs import METRICS, Floats, same_bits, some_agents, some_people
from support.worlds import refused, small_catalog

REPEATS, USERS, ROUNDS = 3, 7, 60


def run(**options: Any) -> cl.Results:
    given = {"rounds": ROUNDS, "repeats": REPEATS, "log": 6, **options}
    people = given.pop("people", some_people(USERS))
    return cl.simulate(given.pop("agents", some_agents()), people, **given)


@pytest.fixture(scope="module")
def results() -> cl.Results:
    return run()


def made(**regrets: Any) -> cl.Results:
    """Results with these regrets, (repeats, users), at one logged round."""
    repeats, users = np.shape(next(iter(regrets.values())))
    spec = {"trace": False}
    found = cl.Results.empty(list(regrets), repeats, users, np.array([10]), spec, {})
    for name, values in regrets.items():
        for repeat in range(repeats):
            metrics = np.zeros((users, 1, len(METRICS)))
            metrics[:, 0, 0] = np.asarray(values)[repeat]
            found.put((name, repeat, 0, users), {"metrics": metrics})
    return found


# Arrays


def test_every_metric_has_a_place_for_each_repeat_user_and_round(results: cl.Results) -> None:
    assert results.agents == ["LinUCB", "Arm-Con", "ConUCB", "MCR"]
    for agent in results.agents:
        assert results.final_regret(agent).shape == (REPEATS, USERS)
        for name in METRICS:
            values = results.metric(agent, name)
            assert values.shape == (REPEATS, USERS, 6)
            assert np.isfinite(values).all()
    assert np.array_equal(results.final_regret("MCR"), results.metric("MCR", "regret")[..., -1])
    assert (results.metric("MCR", "questions")[..., -1] == 30).all()


def test_results_are_shown_by_their_mean_regrets(results: cl.Results) -> None:
    curve = results.curve("MCR")
    half = curve.high[-1] - curve.mean[-1]
    assert f"MCR={rounded(curve.mean[-1], half)}" in repr(results)
    assert "60 rounds" in repr(results)


# Curves


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("name", ["regret", "error"])
def test_a_curve_is_the_mean_with_students_interval(
    results: cl.Results, name: str, level: float
) -> None:
    curve = results.curve("MCR", name, level)
    per_user = results.metric("MCR", name).mean(axis=0)
    assert np.array_equal(curve.rounds, results.rounds)
    np.testing.assert_allclose(curve.mean, per_user.mean(axis=0), rtol=1e-12)
    for i in range(results.rounds.size):
        interval = stats.ttest_1samp(per_user[:, i], 0.0).confidence_interval(level)
        assert (curve.low[i], curve.high[i]) == pytest.approx(tuple(interval), rel=1e-9)


def test_a_curve_of_one_user_has_no_interval() -> None:
    curve = run(people=some_people(1)).curve("MCR")
    assert np.isfinite(curve.mean).all()
    assert np.isnan(curve.low).all()
    assert np.isnan(curve.high).all()


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 95, float("nan"), "high"])
def test_a_bad_level_is_refused(results: cl.Results, level: Any) -> None:
    refused(lambda: results.curve("MCR", level=level), "level", cl.InvalidInput)
    refused(lambda: results.compare("MCR", "LinUCB", level=level), "level", cl.InvalidInput)


# Comparisons


def test_a_comparison_is_a_paired_t_test(results: cl.Results) -> None:
    x, y = (results.final_regret(name).mean(axis=0) for name in ("MCR", "LinUCB"))
    for level in (0.9, 0.99):
        found = results.compare("MCR", "LinUCB", level)
        test = stats.ttest_rel(x, y)
        interval = tuple(test.confidence_interval(level))
        assert (found.a, found.b) == ("MCR", "LinUCB")
        assert found.difference == pytest.approx((x - y).mean(), rel=1e-12)
        assert (found.low, found.high) == pytest.approx(interval, rel=1e-9)
        assert found.p_value == pytest.approx(test.pvalue, rel=1e-9)
        assert found.improvement == pytest.approx(1 - x.mean() / y.mean(), rel=1e-12)


def test_a_comparison_the_other_way_round_has_the_other_sign(results: cl.Results) -> None:
    there, back = results.compare("MCR", "LinUCB"), results.compare("LinUCB", "MCR")
    assert there.difference == pytest.approx(-back.difference)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p_value == pytest.approx(back.p_value)


def improvement_by_jackknife(x: Floats, y: Floats) -> float:
    """Standard error of 1 - mean(x) / mean(y), from leaving out one user after the other."""
    n = x.size
    left_out = (x.sum() - x) / (y.sum() - y)
    return float(np.sqrt((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2)))


def test_the_interval_of_an_improvement_agrees_with_the_jackknife() -> None:
    rng = np.random.default_rng(0)
    y = rng.uniform(4.0, 6.0, size=400)
    x = 0.6 * y + rng.normal(scale=0.4, size=400)
    found = made(a=[x], b=[y]).compare("a", "b", level=0.95)
    half = stats.t.ppf(0.975, 399) * improvement_by_jackknife(x, y)
    assert found.improvement == pytest.approx(0.4, abs=0.02)
    assert found.improvement_high - found.improvement == pytest.approx(half, rel=0.02)
    assert found.improvement - found.improvement_low == pytest.approx(half, rel=0.02)


@pytest.mark.slow
def test_the_interval_of_an_improvement_covers_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(300):
        y = rng.uniform(2.0, 6.0, size=40)
        x = 0.7 * y + rng.normal(scale=0.5, size=40)
        found = made(a=[x], b=[y]).compare("a", "b", level=0.9)
        hits += found.improvement_low <= 0.3 <= found.improvement_high
    assert stats.binomtest(hits, 300, 0.9).pvalue > 0.001


def test_repeats_are_averaged_before_users_are_compared() -> None:
    """Repeats of one user are no people of their own: they must not narrow the interval."""
    a, b = np.array([[1.0, 4.0, 3.0]]), np.array([[2.0, 4.5, 5.0]])
    once = made(a=a, b=b).compare("a", "b")
    often = made(a=np.repeat(a, 50, axis=0), b=np.repeat(b, 50, axis=0)).compare("a", "b")
    assert often.p_value == pytest.approx(once.p_value)
    assert (often.low, often.high) == pytest.approx((once.low, once.high))


def test_identical_agents_do_not_differ() -> None:
    agents = {"one": cl.linucb(small_catalog()), "two": cl.linucb(small_catalog())}
    found = run(agents=agents).compare("one", "two")
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert (found.improvement, found.improvement_low, found.improvement_high) == (0.0, 0.0, 0.0)


def test_a_comparison_of_one_user_claims_nothing() -> None:
    found = made(a=[[1.0], [2.0]], b=[[2.0], [4.0]]).compare("a", "b")
    assert found.difference == -1.5
    assert found.improvement == 0.5
    assert np.isnan([found.low, found.high, found.improvement_low, found.improvement_high]).all()
    assert np.isnan(found.p_value)
    assert "p -" in repr(found)


def test_nothing_is_better_than_no_regret_at_all() -> None:
    found = made(a=[[1.0, 2.0]], b=[[0.0, 0.0]]).compare("a", "b")
    assert found.difference == 1.5
    assert np.isnan([found.improvement, found.improvement_low, found.improvement_high]).all()


# Tables

COLUMNS = ["agent", "repeat", "user", "round", *METRICS]


def test_a_table_has_a_row_for_each_logged_round(results: cl.Results) -> None:
    columns = results.to_columns()
    assert list(columns) == COLUMNS
    assert {len(each) for each in columns.values()} == {4 * REPEATS * USERS * 6}
    rows = set(zip(*(columns[name].tolist() for name in COLUMNS[:4]), strict=True))
    assert len(rows) == 4 * REPEATS * USERS * 6
    here = (columns["agent"] == "ConUCB") & (columns["repeat"] == 1) & (columns["user"] == 4)
    assert columns["round"][here].tolist() == results.rounds.tolist()
    for name in METRICS:
        assert np.array_equal(columns[name][here], results.metric("ConUCB", name)[1, 4])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_holds_the_table(results: cl.Results, library: str) -> None:
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    frame = results.to_frame(library)
    assert isinstance(frame, frames.DataFrame)
    assert list(frame.columns) == COLUMNS
    for name, values in results.to_columns().items():
        assert frame[name].to_numpy().tolist() == values.tolist()


def test_the_default_is_pandas_then_polars(
    results: cl.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert isinstance(results.to_frame(), pandas.DataFrame)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(results.to_frame(), polars.DataFrame)


@pytest.mark.parametrize("library", [None, "pandas", "polars"])
def test_without_a_library_the_extra_is_named(
    results: cl.Results, library: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(cl.MissingExtra, match=r"pip install 'conlinucb\["):
        results.to_frame(library)


def test_another_library_is_refused(results: cl.Results) -> None:
    refused(lambda: results.to_frame("pandsa"), "'pandsa'", cl.UnknownName)


# Files


@pytest.fixture
def parquet() -> Any:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return importlib.import_module("pyarrow.parquet")


@pytest.mark.usefixtures("parquet")
def test_a_saved_result_comes_back(results: cl.Results, tmp_path: Path) -> None:
    path = tmp_path / "run.of.today.parquet"
    results.save(path)
    again = cl.Results.load(str(path))
    assert again.agents == results.agents
    assert same_bits(results, again)
    assert again.spec == results.spec
    assert again.versions == results.versions
    assert repr(again) == repr(results)
    assert again.compare("MCR", "ConUCB") == results.compare("MCR", "ConUCB")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.usefixtures("parquet")
def test_a_result_is_saved_over_an_older_one(results: cl.Results, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    run(rounds=5).save(path)
    results.save(path)
    assert same_bits(results, cl.Results.load(path))


def test_a_file_says_what_made_it(results: cl.Results, tmp_path: Path, parquet: Any) -> None:
    results.save(tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet")
    about = json.loads(table.schema.metadata[b"conlinucb"])
    assert table.column_names == COLUMNS
    assert about["spec"]["conlinucb"] == cl.__version__
    assert about["spec"]["seed"] == 0
    assert about["versions"]["numpy"] == np.__version__


@pytest.mark.usefixtures("parquet")
def test_an_arrow_table_holds_the_same_and_what_made_it(results: cl.Results) -> None:
    arrow = importlib.import_module("pyarrow")
    table = results.to_arrow()
    assert isinstance(table, arrow.Table)
    for name, values in results.to_columns().items():
        assert table[name].to_numpy().tolist() == values.tolist()
    assert json.loads(table.schema.metadata[b"conlinucb"])["spec"]["seed"] == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda about: about.pop("spec"),
        lambda about: about["spec"].pop("logged"),
        lambda about: about["spec"].update(repeats=1),
        lambda about: about.update(own={"mine": {"more_is_better": True}}),
    ],
)
def test_a_damaged_file_is_refused(
    results: cl.Results, tmp_path: Path, parquet: Any, damage: Any
) -> None:
    path = tmp_path / "damaged.parquet"
    table = results.to_arrow()
    about = json.loads(table.schema.metadata[b"conlinucb"])
    damage(about)
    parquet.write_table(table.replace_schema_metadata({"conlinucb": json.dumps(about)}), path)
    refused(lambda: cl.Results.load(path), "damaged.parquet", cl.IncompatibleState)
    none = path.with_name("none.parquet")
    refused(lambda: cl.Results.load(none), f"There is no file {none}", cl.InvalidInput)


def test_a_file_without_all_rows_is_refused(
    results: cl.Results, tmp_path: Path, parquet: Any
) -> None:
    path = tmp_path / "short.parquet"
    parquet.write_table(results.to_arrow().slice(0, 20), path)
    refused(lambda: cl.Results.load(path), "short.parquet", cl.IncompatibleState)


def test_a_foreign_parquet_file_is_refused(tmp_path: Path, parquet: Any) -> None:
    arrow = importlib.import_module("pyarrow")
    path = tmp_path / "foreign.parquet"
    parquet.write_table(arrow.table({"x": [1, 2]}), path)
    refused(lambda: cl.Results.load(path), "foreign.parquet", cl.IncompatibleState)


def test_a_file_of_a_later_format_is_refused(
    results: cl.Results, tmp_path: Path, parquet: Any
) -> None:
    path = tmp_path / "later.parquet"
    results.save(path)
    table = parquet.read_table(path)
    about = {**json.loads(table.schema.metadata[b"conlinucb"]), "format": 99}
    parquet.write_table(table.replace_schema_metadata({"conlinucb": json.dumps(about)}), path)
    refused(lambda: cl.Results.load(path), "99", cl.IncompatibleState)


@pytest.mark.usefixtures("parquet")
def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.parquet"
    path.write_text("Dear reader, this is a letter and not a table.")
    refused(lambda: cl.Results.load(path), "letter.parquet", cl.IncompatibleState)


def test_without_pyarrow_the_extra_is_named(
    results: cl.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (results.save, cl.Results.load, lambda _: results.to_arrow()):
        with pytest.raises(cl.MissingExtra, match=r"pip install 'conlinucb\["):
            call(tmp_path / "run.parquet")
    assert not list(tmp_path.iterdir())
