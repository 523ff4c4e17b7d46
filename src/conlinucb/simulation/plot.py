"""Results as curves over rounds, on matplotlib."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conlinucb.errors import InvalidInput, MissingExtra
from conlinucb.simulation.looks import METADATA, RC, WIDTH, Look, assigned, picture_type
from conlinucb.simulation.measures import WORDS

if TYPE_CHECKING:
    from conlinucb.simulation.results import Results


def plot(
    results: Results,
    metric: str,
    agents: Sequence[str] | None,
    against: str | None,
    *,
    ax: Any,
    path: str | Path | None,
    level: float,
) -> Any:
    """Draw curves on ``ax``, or on a figure of their own, which ``path`` writes to a file."""
    if ax is not None and path is not None:
        raise InvalidInput("Give ax or path, not both: with ax, the figure is yours to save.")
    ending = None if path is None else picture_type(path)
    names = _names(results, agents, against)
    curves = {name: results.curve(name, metric, level, against=against) for name in names}
    what = WORDS.get(metric, metric) + (f",\ndifference from {against}" if against else "")
    if ax is not None:
        _draw(ax, results, what, curves, level)
        ax.legend()
        return ax
    with _style():
        figure, panel = _figure(alone=path is not None, lines=(len(curves) + 1) // 2)
        _draw(panel, results, what, curves, level)
        figure.legend(loc="outside lower center", ncols=2, columnspacing=1.2, handlelength=2.6)
        if path is not None:
            figure.savefig(path, format=ending, dpi=150, metadata=METADATA.get(str(ending)))
    return panel


def _names(results: Results, agents: Sequence[str] | None, against: str | None) -> list[str]:
    if isinstance(agents, str):
        raise InvalidInput(f"agents must be a list of names, got {agents!r}: [{agents!r}]?")
    names = [each for each in (results.agents if agents is None else agents) if each != against]
    if not names:
        raise InvalidInput("There is nobody to draw.")
    return names


def _draw(panel: Any, results: Results, what: str, curves: dict[str, Any], level: float) -> None:
    """The legend is in the order of the curves' ends, as they stand above each other."""
    looks = assigned(results.agents)  # the same whoever else is drawn
    order = sorted(curves, key=lambda name: -np.nan_to_num(curves[name].mean[-1]))
    for place, name in enumerate(order):
        rounds, mean, low, high = curves[name]
        band = (low, high) if np.isfinite(low).any() else None
        draw_curve(panel, rounds, mean, band, name, looks[name], place)
    panel.set(xlabel="round", ylabel=what, xlim=(0, int(results.rounds[-1])))
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.xaxis.set_major_formatter("{x:,.0f}")
    low, high = panel.get_ylim()
    if max(-low, high) >= 1000:
        panel.yaxis.set_major_formatter("{x:,.0f}")
    panel.set_ylim(min(low, 0), max(high, 0))  # a curve that hides 0 looks steeper than it is
    _, users = results.shape
    told = f"mean over {users} people, {100 * level:g} % band" if users > 1 else "1 person"
    panel.set_title(told, loc="left", fontsize=11)


def draw_curve(
    panel: Any,
    rounds: Sequence[int],
    mean: Any,
    band: tuple[Any, Any] | None,
    name: str,
    look: Look,
    place: int,
) -> None:
    """One agent's line with its band; markers are shifted by ``place`` to lie beside others'."""
    every = max(1, len(rounds) // 6)
    panel.plot(rounds, mean, label=_literal(name), markevery=(place % every, every), **look.options)
    if band is not None:
        panel.fill_between(rounds, *band, color=look.colour, alpha=0.15, linewidth=0)


def _literal(name: str) -> str:
    """A name as it is: to matplotlib ``$`` begins a formula, and ``_`` what no legend shows."""
    return (" " if name.startswith("_") else "") + name.replace("$", r"\$")


@contextlib.contextmanager
def _style() -> Iterator[None]:
    with _matplotlib("matplotlib").rc_context(RC):
        yield


def _figure(alone: bool, lines: int) -> tuple[Any, Any]:
    """A figure that goes to a file ``alone``, or one that a notebook or window shows."""
    options: dict[str, Any] = {"figsize": (WIDTH, 3.8 + 0.24 * lines), "layout": "constrained"}
    if alone:  # not known to pyplot, which would keep it until it is closed
        figure = _matplotlib("matplotlib.figure").Figure(**options)
    else:
        figure = _matplotlib("matplotlib.pyplot").figure(**options)
    return figure, figure.add_subplot()


def _matplotlib(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise MissingExtra("runner", "A picture") from None
