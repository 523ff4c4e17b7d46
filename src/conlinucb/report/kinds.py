"""What each kind of item is shown as: its figures and its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conlinucb.experiments.item import Kind
from conlinucb.report.canvas import Drawing
from conlinucb.report.cells import Table
from conlinucb.report.draw_crossed import draw_crossed
from conlinucb.report.draw_curves import draw_curves, draw_sweep
from conlinucb.report.draw_seconds import draw_seconds
from conlinucb.report.draw_theory import draw_theory
from conlinucb.report.groups import Group
from conlinucb.report.item_tables import apart, regrets, theory_facts, times


@dataclass(frozen=True)
class Shown:
    """How a kind is shown."""

    draw: Callable[[Group], list[Drawing]]
    """The figures of a group."""
    tables: Callable[[Sequence[Group]], list[Table]]
    """The tables of an item, over all its groups."""


def _regrets(groups: Sequence[Group]) -> list[Table]:
    return [regrets(group) for group in groups]


def _times(groups: Sequence[Group]) -> list[Table]:
    return [times(group) for group in groups]


def _theory(groups: Sequence[Group]) -> list[Table]:
    return [theory_facts(groups), *_regrets(groups)]


def _crossed(groups: Sequence[Group]) -> list[Table]:
    return [table for group in groups for table in (apart(group), regrets(group))]


KINDS: dict[Kind, Shown] = {
    "curves": Shown(draw_curves, _regrets),
    "sweep": Shown(draw_sweep, _regrets),
    "seconds": Shown(draw_seconds, _times),
    "theory": Shown(draw_theory, _theory),
    "crossed": Shown(draw_crossed, _crossed),
}
