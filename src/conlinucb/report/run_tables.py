"""Tables about how it was done: what the search chose, and every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conlinucb.report.cells import Cell, Piece, Table, found, number, text
from conlinucb.report.groups import Group, size_of
from conlinucb.report.item_tables import parameters
from conlinucb.report.style import label


def chosen(group: Group) -> Table:
    """What the search took, and a warning where that lies at the end of a range."""
    rows = []
    for outcome in group.outcomes:
        tuning = outcome["tuning"]
        for name, given in tuning["chosen"].items() if tuning else ():
            edges = tuning["edges"].get(name) or []
            first = min(range(len(tuning["trials"][name])), key=_regret_of(tuning, name))
            rows.append(
                (
                    text(outcome["point"] or "-"),
                    text(label(name)),
                    text(parameters(given)),
                    found(outcome, "tuning", "trials", name, first, "regret"),
                    found(outcome, "tuning", "trials", name, 0, "regret"),
                    _edge(edges),
                )
            )
    head = ("Setting", "Algorithm", "Chosen", "Regret in the search", "With published constants")
    return Table(
        f"{group.title}: {group.name}, tuned",
        (*head, "At the end of a range"),
        tuple(rows),
        names=2,
    )


def _regret_of(tuning: dict[str, Any], name: str) -> Any:
    return lambda i: tuning["trials"][name][i]["regret"]


def _edge(names: list[str]) -> Cell:
    return (Piece(f"\u26a0 {', '.join(names)}", mark="fails"),) if names else text("no")


def runs(groups: Sequence[Group]) -> Table:
    """Size, seed, machine and duration of everything."""
    rows = tuple(
        (
            text(group.item),
            text(group.name),
            text(outcome["point"] or "-"),
            text(size_of(outcome) + (", quick" if outcome["quick"] else "")),
            text(str(outcome["seed"])),
            (
                *number(outcome["seconds"] + outcome["tuning_seconds"]),
                Piece(" s" + (", resumed" if outcome["resumed"] else "")),
            ),
        )
        for group in groups
        for outcome in group.outcomes
    )
    head = ("Item", "Protocol", "Setting", "Size", "Seed", "Took")
    return Table("Every run", head, rows, names=3)
