"""The claims of the paper beside what was measured, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.experiments.claims import Record, Unit
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.verdicts import FAILS, HOLDS, NOT_CLAIMED, SMALLER, Verdict
from conlinucb.report.cells import BREAK, Cell, Piece, Table, interval, join, number, text
from conlinucb.report.groups import Group
from conlinucb.report.style import label

Key = tuple[str, str, str]
SIGNS: dict[Verdict, tuple[str, str]] = {
    HOLDS: (f"\u2713 {HOLDS}", "holds"),
    SMALLER: (f"\u25d0 {SMALLER}", "smaller"),
    FAILS: (f"\u2717 {FAILS}", "fails"),
}
"""A verdict as a table has it, and its style."""


OTHER_UNITS: dict[Unit, str] = {
    "% covered": "people covered",
    "regret": "regret below",
    "% time": "less time than ConUCB",
}


def regret_claims(groups: Sequence[Group], records: Sequence[Record], item: str = "") -> Table:
    """A row for each claim, a column for each protocol; one line for each of its readings."""
    rows: dict[Key, dict[str, list[Cell]]] = {}
    claimed: dict[Key, float | str | None] = {}
    for place, record, outcome in matched(groups, records):
        if record.unit != "%" or record.verdict == NOT_CLAIMED:
            continue
        if item and record.item != item:
            continue
        key = record.item, outcome.point, record.agent
        claimed[key] = record.claimed
        lines = rows.setdefault(key, {}).setdefault(record.protocol, [])
        lines.append(_ours(place, record))
    there = dict.fromkeys(name for each in rows.values() for name in each)
    protocols = sorted(there, key=list(PROTOCOLS).index)
    return Table(
        f"Every claim about regret: how much less than {BASELINE}'s at the end (for 'best of "
        f"all': than that of the best other)",
        ("Item", "Setting", "Algorithm", "Paper", *(f"Ours: {name}" for name in protocols)),
        tuple(
            (
                *(text(each) for each in (key[0], key[1] or "-", label(key[2]))),
                _claim(claimed[key]),
                *(join(cells.get(name, [text("not run")]), BREAK) for name in protocols),
            )
            for key, cells in rows.items()
        ),
        names=3,
    )


def matched(
    groups: Sequence[Group], records: Sequence[Record]
) -> list[tuple[int, Record, Outcome]]:
    """Records in the report's order, with their place in the list and their outcome."""
    there: dict[Key, list[int]] = {}
    for place, record in enumerate(records):
        key = record.item, record.protocol, record.setting
        there.setdefault(key, []).append(place)
    return [
        (place, records[place], outcome)
        for group in groups
        for outcome in group.outcomes
        for place in there.get((outcome.item, outcome.protocol, outcome.setting), ())
    ]


def _claim(claimed: float | str | None) -> Cell:
    if isinstance(claimed, str):
        return text({"better": f"better than {BASELINE}", "best": "best of all"}[claimed])
    return text("n/a" if claimed is None else f"{claimed:.2f}\u00a0%")


def _ours(place: int, record: Record) -> Cell:
    """A line with the number, and one such as ``does not hold: worse``."""
    note = (Piece(f"{record.variant}: ", mark="note"),) if record.variant else ()
    sign, mark = SIGNS[record.verdict]
    remark = _remark(record)
    said = (Piece(f": {remark}", mark="note"),) if remark else ()
    return (*note, *measured(place, record), BREAK, Piece(sign, mark=mark), *said)


def _remark(record: Record) -> str:
    """What the verdict leaves open, without what the caption says once."""
    if record.verdict == SMALLER:
        return ""
    if record.against == BASELINE:
        return record.remark.replace(f" than {BASELINE}", "").removesuffix(" than claimed")
    return record.remark.replace(record.against, label(record.against))


def measured(place: int, record: Record, file: str = "claims") -> Cell:
    """What was measured, with its interval, as this file holds it."""
    sources = tuple(f"{file}#{place}/{name}" for name in ("measured", "low", "high"))
    return interval((record.measured, record.low, record.high), sources, _sign(record))


def _sign(record: Record) -> str:
    return "" if record.unit == "regret" else "%"


def other_claims(groups: Sequence[Group], records: Sequence[Record]) -> Table:
    """What is not about less regret: the theory's promises and Table 1, one row for each."""
    rows = []
    for place, record, outcome in matched(groups, records):
        if record.unit not in OTHER_UNITS:
            continue
        sign, mark = SIGNS[record.verdict]
        rows.append(
            (
                text(_where(outcome)),
                text(outcome.point),
                text(label(record.agent)),
                text(OTHER_UNITS[record.unit]),
                _figure(place, record),
                measured(place, record),
                (Piece(sign, mark=mark), Piece(f"; {record.remark}")),
            )
        )
    head = ("Protocol", "Setting", "Algorithm", "What", "Claimed", "Ours", "Verdict")
    return Table("Claims about the theory and about time", head, tuple(rows), names=3)


def _figure(place: int, record: Record) -> Cell:
    """What is claimed of it, which is a number for all but regret's "better" and "best"."""
    claimed = None if isinstance(record.claimed, str) else record.claimed
    return number(claimed, f"claims#{place}/claimed", _sign(record))


def unclaimed(groups: Sequence[Group], records: Sequence[Record], item: str = "") -> Table:
    """Comparisons that the paper says nothing about."""
    rows = tuple(
        (
            text(record.item),
            text(_where(outcome)),
            text(outcome.point or "-"),
            text(label(record.agent)),
            (*measured(place, record), Piece(f" than {label(record.against)}")),
            text(record.remark),
        )
        for place, record, outcome in matched(groups, records)
        if record.verdict == NOT_CLAIMED and (not item or record.item == item)
    )
    head = ("Item", "Protocol", "Setting", "Algorithm", "Less regret", "In words")
    return Table("Compared, but not claimed by the paper", head, rows, names=4)


def _where(outcome: Outcome) -> str:
    return f"{outcome.protocol} ({outcome.variant})" if outcome.variant else outcome.protocol
