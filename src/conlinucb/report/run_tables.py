"""Tables about how it was done: what the search chose, and every run."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.experiments.outcome import Outcome, Search
from conlinucb.report.cells import Cell, Piece, Table, number, source, text
from conlinucb.report.groups import Group, size_of
from conlinucb.report.item_tables import parameters
from conlinucb.report.style import label


def chosen(group: Group) -> Table:
    """What the search took, and a warning where that lies at the end of a range."""
    rows = tuple(
        _chosen(outcome, outcome.tuning, name)
        for outcome in group.outcomes
        if outcome.tuning
        for name in outcome.tuning.chosen
    )
    head = ("Setting", "Algorithm", "Chosen", "Regret in the search", "With published constants")
    return Table(
        f"{group.title}: {group.name}, tuned",
        (*head, "At the end of a range"),
        rows,
        names=2,
    )


def _chosen(outcome: Outcome, search: Search, name: str) -> tuple[Cell, ...]:
    regrets = [trial.regret for trial in search.trials[name]]
    best = regrets.index(min(regrets))
    return (
        text(outcome.point or "-"),
        text(label(name)),
        text(parameters(search.chosen[name])),
        *(
            number(regrets[i], source(outcome, "tuning", "trials", name, i, "regret"))
            for i in (best, 0)
        ),
        _edge(search.edges.get(name, ())),
    )


def _edge(names: Sequence[str]) -> Cell:
    return (Piece(f"\u26a0 {', '.join(names)}", mark="fails"),) if names else text("no")


def runs(groups: Sequence[Group]) -> Table:
    """Size, seed, machine and duration of everything."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            text(group.item),
            text(group.name or "-"),
            text(outcome.point or "-"),
            text(size_of(outcome) + (", quick" if outcome.quick else "")),
            text(str(outcome.seed)),
            (
                *number(outcome.seconds + outcome.tuning_seconds),
                Piece(" s" + (", resumed" if outcome.resumed else "")),
            ),
        )
        for group in groups
        for outcome in group.outcomes
    )
    head = ("Item", "Protocol", "Setting", "Size", "Seed", "Took")
    if all(group.own for group in groups):  # no protocols, and nothing is swept
        rows = tuple((row[0], *row[3:]) for row in rows)
        return Table("Every run", ("File", *head[3:]), rows)
    return Table("Every run", head, rows, names=3)
