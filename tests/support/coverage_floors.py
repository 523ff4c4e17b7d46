"""Whether each package's tests still reach as many of its lines as they did: ``make coverage``.

``python -m support.coverage_floors coverage.json`` compares what ``pytest --cov
--cov-report=json`` wrote with ``[tool.coverage-floors]`` of pyproject.toml, and fails where a
package fell below its floor or has none. ``--write`` sets every floor to what was measured, rounded
down.
"""

from __future__ import annotations

import json
import math
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
TOP = "conlinucb"
"""Where modules are counted that are in no package of their own."""


def shares(report: Mapping[str, Any]) -> dict[str, float]:
    """Per cent of the lines of each package that ran."""
    ran: dict[str, int] = defaultdict(int)
    lines: dict[str, int] = defaultdict(int)
    for path, found in report["files"].items():
        parts = Path(path).parts
        below = parts[parts.index("conlinucb") + 1 :]
        package = below[0] if len(below) > 1 else TOP
        ran[package] += found["summary"]["covered_lines"]
        lines[package] += found["summary"]["num_statements"]
    return {name: 100.0 * ran[name] / lines[name] for name in sorted(lines) if lines[name]}


def too_low(found: Mapping[str, float], floors: Mapping[str, float]) -> list[str]:
    """What is wrong, in words."""
    wrong = [
        f"{name}: {share:.1f} % of its lines ran, at least {floors[name]} % are to"
        for name, share in found.items()
        if name in floors and share < floors[name]
    ]
    wrong += [
        f"{name}: no floor; it has {found[name]:.1f} %" for name in sorted(found.keys() - floors)
    ]
    return wrong + [
        f"{name}: a floor, and no such package" for name in sorted(floors.keys() - found)
    ]


def with_floors(text: str, found: Mapping[str, float]) -> str:
    """The project's file with these floors, rounded down."""
    before, table, rest = text.partition("[tool.coverage-floors]\n")
    if not table:
        raise LookupError("pyproject.toml has no table [tool.coverage-floors].")
    behind = rest[rest.index("\n[") :] if "\n[" in rest else ""
    lines = [f"{name} = {math.floor(share)}\n" for name, share in found.items()]
    return before + table + "".join(lines) + behind


def main(words: list[str], project: Path = PROJECT) -> int:
    """0 where all is well."""
    files = [Path(word) for word in words if not word.startswith("-")]
    if len(files) != 1 or set(words) - {str(files[0]), "--write"}:
        print(f"expected: coverage.json [--write], got {' '.join(words) or 'nothing'}")
        return 2
    found = shares(json.loads(files[0].read_text("utf-8")))
    text = project.read_text("utf-8")
    if "--write" in words:
        text = with_floors(text, found)
        project.write_text(text, encoding="utf-8")
    wrong = too_low(found, tomllib.loads(text)["tool"]["coverage-floors"])
    print("\n".join(wrong or [f"{name}: {share:.1f} %" for name, share in found.items()]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
