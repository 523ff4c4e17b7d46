"""Tables as data: each cell keeps the full number beside the text that is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conlinucb.experiments.outcome import Improvement, Outcome
from conlinucb.experiments.slug import slug


@dataclass(frozen=True)
class Piece:
    """A stretch of a cell's text, with the number behind it and where that came from."""

    text: str
    value: float | None = None
    source: str = ""
    """Outcome and place in it, for example ``authors/1a/base#agents/MCR/last/regret``."""
    mark: str = ""
    """A style: holds, smaller, fails or note."""


Cell = tuple[Piece, ...]
BREAK = Piece("\n")


@dataclass(frozen=True)
class Table:
    """A caption, a head and rows; the first columns name a row."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    names: int = 1

    @property
    def long(self) -> bool:
        """Whether it is better folded away."""
        return len(self.rows) > 15


def text(*lines: str) -> Cell:
    """Words, line by line."""
    return join(((Piece(each),) for each in lines), BREAK)


def join(cells: Iterable[Cell], between: Piece) -> Cell:
    """Cells one after another in one cell."""
    pieces: list[Piece] = []
    for cell in cells:
        pieces += [between, *cell] if pieces else cell
    return tuple(pieces)


def show(value: float | None, unit: str = "", like: float | None = None) -> str:
    """A number as readers see it, with the digits that a number ``like`` this one has.

    >>> show(38.1960, "%"), show(12345.6), show(0.18724), show(2.04e14), show(None)
    ('38.2 %', '12,346', '0.19', '2.0e14', 'n/a')
    >>> show(8.531, like=24.0), show(0.0), show(-0.04, "%")
    ('8.5', '0', '0.0 %')
    """
    if value is None:
        return "n/a"
    size = abs(value if like is None else like)
    if unit == "%":
        return f"{value:z,.1f} %"
    if size == 0:
        return "0"
    if size >= 1e6 or 0 < size < 1e-3:
        return f"{value:.1e}".replace("e+", "e").replace("e0", "e").replace("e-0", "e-")
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.095 else f"{value:.4f}"


def number(value: float | None, source: str = "", unit: str = "") -> Cell:
    """One number."""
    return (Piece(show(value, unit), value, source),)


def interval(spans: tuple[float | None, ...], sources: tuple[str, ...], unit: str = "") -> Cell:
    """For example ``38.2 % (37.5 to 38.9)``; no brackets where there is no interval."""
    (value, low, high), (first, second, third) = spans, sources
    middle = number(value, first, unit)
    if low is None or high is None:
        return middle
    ends = (show(each, unit, value).removesuffix(" %") for each in (low, high))
    left, right = ends
    return (
        *middle,
        Piece(" ("),
        Piece(left, low, second),
        Piece(" to "),
        Piece(right, high, third),
        Piece(")"),
    )


def source(outcome: Outcome, *keys: object) -> str:
    """Where a number lies: file of the outcome, then the way into it."""
    name = slug(outcome.setting) or "base"
    place = "/".join(map(str, keys))
    return f"{outcome.protocol}/{outcome.item}/{name}#{place}"


def regret(outcome: Outcome, agent: str) -> Cell:
    """An agent's regret at the end with its interval."""
    curve = outcome.agents[agent].curve
    ends = (source(outcome, "agents", agent, "curve", name, -1) for name in ("mean", "low", "high"))
    return interval((curve.mean[-1], curve.low[-1], curve.high[-1]), tuple(ends))


def improved(outcome: Outcome, found: Improvement | None, *keys: object) -> Cell:
    """Percent less regret than another agent's, which lies there in the outcome."""
    if found is None:
        return text("n/a")
    ends = (source(outcome, *keys, name) for name in ("measured", "low", "high"))
    return interval((found.measured, found.low, found.high), tuple(ends), "%")
