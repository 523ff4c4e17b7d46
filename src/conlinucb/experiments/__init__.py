"""The paper's figures and tables, declared; protocols to run them under; what came out."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.errors import UnknownName, nearest
from conlinucb.experiments.bounds import THEORY
from conlinucb.experiments.crossed import CROSSED, CROSSED_LASTFM
from conlinucb.experiments.figure_1 import FIGURE_1A, FIGURE_1B, FIGURE_1C, FIGURE_1D
from conlinucb.experiments.figure_2 import FIGURE_2A, FIGURE_2B, FIGURE_2C, FIGURE_2D
from conlinucb.experiments.item import Item
from conlinucb.experiments.later import LATER_ITEMS
from conlinucb.experiments.newcomers import NEWCOMERS_1A, NEWCOMERS_2A, NEWCOMERS_2B
from conlinucb.experiments.table_1 import TABLE_1

ITEMS: dict[str, Item] = {
    item.name: item
    for item in (
        *(FIGURE_1A, FIGURE_1B, FIGURE_1C, FIGURE_1D),
        *(FIGURE_2A, FIGURE_2B, FIGURE_2C, FIGURE_2D),
        *(TABLE_1, THEORY, CROSSED, CROSSED_LASTFM),
        *(NEWCOMERS_1A, NEWCOMERS_2A, NEWCOMERS_2B),
        *LATER_ITEMS,
    )
}


def items_of(names: Sequence[str]) -> list[Item]:
    """The items with these names, or of these families, each once, in the paper's order.

    For none: all that belong to no family.

    >>> [item.name for item in items_of(["2a", "1a", "2a"])]
    ['1a', '2a']
    """
    families = {item.family for item in ITEMS.values()} - {""}
    for name in names:
        if name not in ITEMS and name not in families:
            raise UnknownName(f"No item is called {name!r}.{nearest(name, [*ITEMS, *families])}")
    wanted = names or [""]
    return [item for name, item in ITEMS.items() if name in wanted or item.family in wanted]
