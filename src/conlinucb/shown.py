"""Numbers with the digits they deserve, and small tables as text and as HTML."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

NOTHING = "-"
"""Stands where there is no number."""
FIGURES = 4
"""Significant digits of a number whose error is not known."""


def rounded(value: float, half_width: float = math.nan) -> str:
    """A number to the second digit of its interval's half-width; NaN is ``-``.

    >>> rounded(41.2345, 3.123), rounded(41.2345, 0.0312), rounded(41234.5, 312.0)
    ('41.2', '41.234', '41,230')
    >>> rounded(30.0), rounded(0.123456), rounded(math.nan)
    ('30', '0.1235', '-')
    """
    if not math.isfinite(value):
        return NOTHING
    known = math.isfinite(half_width) and half_width > 0
    if not known and value == round(value) and abs(value) < 1e15:
        return f"{value + 0.0:,.0f}"
    places = 1 - _magnitude(half_width) if known else FIGURES - 1 - _magnitude(value)
    shown = round(value, places) + 0.0  # no minus before nothing
    if places > 7 or abs(shown) >= 1e15:
        return f"{shown:.{min(max(places + _magnitude(shown), 1), 15)}e}"
    return f"{shown:,.{max(places, 0)}f}"


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value))) if value else 0


def interval(value: float, low: float, high: float) -> str:
    """A number and its interval, which decides the digits; alone where there is none.

    >>> interval(41.2345, 38.111, 44.357), interval(41.2345, math.nan, math.nan)
    ('41.2 (38.1 to 44.4)', '41.23')
    """
    half = (high - low) / 2
    if not (math.isfinite(half) and math.isfinite(value)):
        return rounded(value)
    return f"{rounded(value, half)} ({rounded(low, half)} to {rounded(high, half)})"


def people_text(count: int) -> str:
    """How many people.

    >>> people_text(1), people_text(1200)
    ('1 person', '1,200 people')
    """
    return f"{count:,} {'person' if count == 1 else 'people'}"


def p_text(p_value: float) -> str:
    """A p-value, never as 0.

    >>> p_text(0.03412), p_text(1e-9), p_text(1.0), p_text(math.nan)
    ('0.034', '< 0.001', '1', '-')
    """
    if math.isnan(p_value):
        return NOTHING
    return "< 0.001" if p_value < 0.001 else f"{p_value:.2g}"


@dataclass(frozen=True)
class Table:
    """A caption, a head and rows of text; the first column names a row."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_text(self) -> str:
        """Aligned for a terminal: names to the left, numbers to the right."""
        lines = [list(self.head), *map(list, self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = (
            "  ".join(
                cell.ljust(width) if not i else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )
        return "\n".join([self.caption, *shown])

    def to_html(self) -> str:
        """The same for a notebook: nothing but a table, every text escaped."""
        side = "right" if any(self.head) else "left"  # numbers below a head, else facts
        head = f"<thead><tr>{_cells(self.head, 'th', side)}</tr></thead>" if any(self.head) else ""
        body = "".join(f"<tr>{_cells(row, 'td', side)}</tr>" for row in self.rows)
        return (
            f'<table><caption style="caption-side:top;text-align:left">{escape(self.caption)}'
            f"</caption>{head}<tbody>{body}</tbody></table>"
        )


def _cells(row: Sequence[str], tag: str, side: str) -> str:
    name, *others = (escape(each) for each in row)
    return f'<th style="text-align:left">{name}</th>' + "".join(
        f'<{tag} style="text-align:{side}">{each}</{tag}>' for each in others
    )


class Shown:
    """What a notebook shows as a small table of its facts, one in a row.

    >>> class Cup(Shown):
    ...     def facts(self):
    ...         return {"holds": "tea & milk"}
    >>> "tea &amp; milk" in Cup()._repr_html_()
    True
    """

    def facts(self) -> Mapping[str, object]:
        """What there is to know at a glance, by name."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        rows = [(name, str(each)) for name, each in self.facts().items()]
        return Table(type(self).__name__, ("", ""), rows).to_html()
