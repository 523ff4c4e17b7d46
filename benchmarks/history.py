"""How fast each version was, as ratios to something measured in the same run: ``history.json``.

``conlinucb bench``, then ``python -m benchmarks.history add results/bench/bench.json`` (with
``results/bench/service.json`` behind it where ``conlinucb bench service`` ran, too) appends an
entry and says which ratio fell by more than a tenth. The documentation draws the file.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conlinucb import __version__
from conlinucb.errors import InvalidInput

HISTORY = Path(__file__).with_name("history.json")
AGAINST = {
    "times_loop": "a NumPy loop",
    "times_tuned": "a tuned NumPy loop",
    "times_batched": "NumPy over all users",
}
FELL = 0.9
Entry = dict[str, Any]


def ratios(rows: Any) -> dict[str, float]:
    """What a file of ``conlinucb bench`` or ``conlinucb bench service`` says without seconds."""
    found = dict(_of_engine(rows) if isinstance(rows, dict) else _of_service(rows))
    if not found:
        raise InvalidInput(
            "Expected what `conlinucb bench` or `conlinucb bench service` wrote (bench.json, "
            "service.json), got a file without any ratio."
        )
    return found


def _of_engine(rows: Any) -> Iterator[tuple[str, float]]:
    for row in rows.get("algorithms", ()):
        for name, what in AGAINST.items():
            if row[name]:
                yield f"{row['algorithm']} against {what}", _rounded(row[name])


def _of_service(rows: Any) -> Iterator[tuple[str, float]]:
    for row in rows:
        if row["what"] == "service":
            head = f"{row['database']}, {row['workers']} workers, {row['items']:,} items"
            yield f"{head}: against a bare insert", _rounded(row["of_bare"])


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def entry_of(files: list[Path], note: str = "") -> Entry:
    """One entry, of files that were written by one version on one machine."""
    found: dict[str, float] = {}
    for path in files:
        try:
            found |= ratios(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, InvalidInput):
                raise InvalidInput(f"{path}: {error}") from None
            raise InvalidInput(f"{path} is no file of `conlinucb bench`: {error!r}.") from None
    day = datetime.date.today().isoformat()
    return {"day": day, "version": __version__, "note": note, "ratios": found}


def entries(path: Path = HISTORY) -> list[Entry]:
    """All of them, the oldest first."""
    found: list[Entry] = json.loads(path.read_text("utf-8")) if path.exists() else []
    return found


def add(entry: Entry, path: Path = HISTORY) -> list[str]:
    """Append an entry; what fell since the last one that had it."""
    known = entries(path)
    before = {name: value for each in known for name, value in each["ratios"].items()}
    text = json.dumps([*known, entry], indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return [
        f"{name} fell from {before[name]:g} to {value:g}"
        for name, value in entry["ratios"].items()
        if name in before and value < FELL * before[name]
    ]


def main() -> None:
    """Append what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("add",))
    parser.add_argument("files", nargs="+", type=Path, help="bench.json, service.json")
    parser.add_argument("--note", default="", help="What is to be known of it: a busy machine.")
    parser.add_argument("--history", type=Path, default=HISTORY)
    given = parser.parse_args()
    try:
        entry = entry_of(given.files, given.note)
    except InvalidInput as error:
        parser.error(str(error))
    fell = add(entry, given.history)
    print(f"written: {given.history}, {len(entry['ratios'])} ratios")
    print("\n".join(fell) or "no ratio fell by more than a tenth")


if __name__ == "__main__":
    main()
