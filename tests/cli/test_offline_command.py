"""``conlinucb offline`` on a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import conlinucb as cl
from conlinucb.cli.main import app


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    rows = [
        f"u{i // 10},{'ab'[i % 2]},{i % 3 == 0:d},0.5,{0.8 if i % 2 else 0.2}" for i in range(400)
    ]
    path.write_text("\n".join(["user,item,reward,propensity,mine", *rows]))
    return path


def test_a_file_becomes_a_table_and_a_picture(file: Path) -> None:
    names = ["--column", "action=item", "--column", "person=user"]
    picture = file.with_suffix(".png")
    words = ["offline", str(file), "--target", "mine", *names, "--picture", str(picture)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    columns = {"action": "item", "person": "user"}
    first = ("replay", "ips", "snips", "clipped")
    found = cl.evaluate(file, "mine", columns=columns, estimators=first)
    assert done.output.startswith(str(found))
    assert "400 decisions of 40 people" in done.output
    assert picture.stat().st_size > 5000


def test_what_is_wrong_is_said(file: Path) -> None:
    words = ["offline", str(file), "--target", "mine", "--column"]
    done = CliRunner().invoke(app, [*words, "action"])
    assert done.exit_code == 2
    done = CliRunner().invoke(app, [*words, "action=itm"])
    assert isinstance(done.exception, cl.InvalidInput)
    assert "Did you mean 'item'" in str(done.exception)


def test_rows_as_people_read_them(file: Path) -> None:
    columns = {"action": "item", "person": "user"}
    found = cl.evaluate(file, "mine", columns=columns)
    rows = {row[0]: row[1:] for row in found.texts()}
    assert float(rows["ips"][0]) == pytest.approx(found["ips"].value, abs=1e-3)
    assert rows["dm"][:3] == ("", "", "")
    assert "every arm" in rows["dm"][-1]


def test_a_notebook_shows_the_same_rows(file: Path) -> None:
    html = cl.evaluate(file, "mine", columns={"action": "item", "person": "user"})._repr_html_()
    assert html.count("<tr>") == 1 + 1 + len(cl.offline.ESTIMATORS)
    assert "400 decisions of 40 people" in html
