"""What a table says of items beside their topics; what cannot be used is left out, and said."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from conlinucb.service.catalogues.tables import Reading
from conlinucb.service.schemas.details import Details, image_host

LONGEST_TEXT = 2_000
_YEAR = re.compile(r"(-?\d{1,4})(?:\.0+)?$|(\d{4})-\d\d(?:-\d\d)?")


@dataclass
class DetailColumns:
    """Details by item, and what was left out."""

    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: dict[str, list[int]] = field(default_factory=dict)
    """Rows whose cell is no such thing, by field."""
    foreign: dict[str, int] = field(default_factory=dict)
    """Images on hosts from which browsers may not load them."""

    def warnings(self, reading: Reading) -> list[str]:
        """What was left out, in plain words."""
        found = [
            f"{_times(len(rows), kind)} cannot be used and {'is' if len(rows) == 1 else 'are'} "
            f"left out, first {reading.sheet.quoted(rows[0])}: {_right(kind)}."
            for kind, rows in self.left_out.items()
        ]
        return found + [
            f"{_times(many, 'image')} on {host!r} would not be shown: name this host in "
            "image_hosts of the configuration, or use paths on this service's own origin."
            for host, many in self.foreign.items()
        ]


def details_of(reading: Reading, image_hosts: Collection[str] | None) -> DetailColumns:
    """Of each item the first that its rows say; ``image_hosts`` None leaves images unchecked."""
    found = DetailColumns()
    for kind, at in reading.roles.details.items():
        seen = set[int]()
        cells = reading.sheet.columns[at].to_pylist()
        for row, (code, text) in enumerate(zip(reading.codes.tolist(), cells, strict=True)):
            if not text or code in seen:
                continue
            seen.add(code)
            _take(found, kind, text, row, reading.items[code], image_hosts)
    return found


def _take(
    found: DetailColumns,
    kind: str,
    text: str,
    row: int,
    item: str,
    image_hosts: Collection[str] | None,
) -> None:
    try:
        value = getattr(Details.model_validate({kind: _value(kind, text)}), kind)
    except ValidationError:
        found.left_out.setdefault(kind, []).append(row)
        return
    host = image_host(value) if kind == "image" else ""
    if host and image_hosts is not None and host not in image_hosts:
        found.foreign[host] = found.foreign.get(host, 0) + 1
    else:
        found.details.setdefault(item, {})[kind] = value


def _value(kind: str, text: str) -> str | int:
    if kind == "year" and (year := _YEAR.match(text)):
        return int(year[1] or year[2])
    if kind == "text" and len(text) > LONGEST_TEXT:
        return f"{text[: LONGEST_TEXT - 1]}…"
    return text


def _times(many: int, kind: str) -> str:
    return f"1 {kind}" if many == 1 else f"{many} {kind}s"


def _right(kind: str) -> str:
    return {
        "year": "a year is a number such as 1979",
        "image": "an image is a path such as /covers/1.png or an https address",
        "link": "a link is an http or https address",
    }.get(kind, "it must be text, and not too long")
