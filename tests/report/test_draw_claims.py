"""The picture of all claims: every claim has its mark and every measurement its interval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conlinucb.experiments.claims import Record
from conlinucb.experiments.verdicts import FAILS, HOLDS, NOT_CLAIMED, SMALLER, verdict_on
from conlinucb.report.draw_claims import claim_rows, draw_claims
from conlinucb.report.figures import write_claims
from conlinucb.report.pictures import pyplot


def record(agent: str = "MCR", claimed: float | str | None = 43.1, **given: Any) -> Record:
    low, high = given.get("low", 37.0), given.get("high", 38.0)
    usual: dict[str, Any] = {
        "item": "1a",
        "setting": "",
        "protocol": "authors",
        "measured": 37.5,
        "low": low,
        "high": high,
        "unit": "%",
        "against": "ConUCB",
        "verdict": verdict_on(claimed, low, high),
        "remark": "",
        "variant": "",
        "runs": 1,
        "users": 3,
        "rounds": 10,
        "quick": False,
    }
    return Record(agent=agent, claimed=claimed, **{**usual, **given})


MANY = [
    record("UCB", "better", item="2a"),
    record(),
    record(protocol="paper", setting="Eq. 8", variant="Eq. 8", low=-1.0, high=9.0, measured=4.0),
    record("BS", 34.0, item="1c", setting="pool 25, Eq. 8", variant="Eq. 8", protocol="paper"),
    record("LinUCB", None),
    record("BS", 15185.0, item="theory", unit="regret"),
]


def test_a_row_for_each_claim_in_the_papers_order() -> None:
    rows = claim_rows(MANY)
    told = [(row.item, row.name, row.claimed) for row in rows]
    assert told == [("1a", "MCR", 43.1), ("1c", "BS, pool 25", 34.0), ("2a", "UCB", "better")]
    assert [each.verdict for each in rows[0].found] == [SMALLER, FAILS]
    assert all(each.verdict != NOT_CLAIMED for row in rows for each in row.found)


def drawn(records: list[Record]) -> tuple[Any, Any]:
    drawing = draw_claims(records)
    assert drawing is not None
    (panel,) = drawing.figure.axes
    return drawing, panel


def test_marks_and_intervals_lie_where_the_numbers_are() -> None:
    drawing, panel = drawn(MANY)
    ends = {
        tuple(round(float(x), 6) for x in segment[:, 0])
        for lines in panel.collections
        for segment in lines.get_segments()
    }
    assert ends == {(37.0, 38.0), (-1.0, 9.0)}
    bars = [line.get_xdata() for line in panel.lines if line.get_linewidth() == 3]
    assert sorted(float(each[0]) for each in bars) == [34.0, 43.1]
    assert "2 of 4 hold, 1 has the right direction but a smaller effect, 1 does not" in drawing.alt
    pyplot().close(drawing.figure)


def test_a_marker_is_as_full_as_the_claim_is_kept() -> None:
    drawing, panel = drawn([record(), record("BS", 37.5), record("UCB", 37.5, low=-1.0)])
    fills = {
        float(line.get_ydata()[0]): line.get_fillstyle()
        for line in panel.lines
        if list(line.get_xdata()) == [37.5] and line.get_color() != "#000000"
    }
    assert [fills[y] for y in sorted(fills)] == ["left", "full", "none"]
    pyplot().close(drawing.figure)


@pytest.mark.parametrize("records", [[], [record("LinUCB", None)]])
def test_without_claims_there_is_no_picture(records: list[Record], tmp_path: Path) -> None:
    assert draw_claims(records) is None
    assert write_claims(records, tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_the_picture_is_equal_when_drawn_again(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        picture = write_claims(MANY, tmp_path / name)
        assert picture is not None
        assert picture.svg.with_suffix(".pdf").is_file()
        assert HOLDS in picture.caption
        files.append(picture.svg.read_bytes())
    assert files[0] == files[1]
