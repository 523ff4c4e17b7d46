"""Outcomes that belong in one picture, in the order of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from conlinucb.experiments import ITEMS
from conlinucb.experiments.item import Item, Kind
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.slug import slug


@dataclass(frozen=True)
class Group:
    """All points of an item under one reading of a protocol."""

    item: str
    protocol: str
    variant: str
    outcomes: tuple[Outcome, ...]

    @property
    def title(self) -> str:
        """The item's title, or what the user called an experiment."""
        return self.outcomes[0].heading

    @property
    def declared(self) -> Item | None:
        """The item as the package declares it; None for a comparison of one's own."""
        return self.outcomes[0].declared

    @property
    def kind(self) -> Kind:
        """What decides which figures and tables it has."""
        return self.outcomes[0].kind

    @property
    def axis(self) -> str:
        """What a sweep varies, or nothing."""
        return self.declared.axis if self.declared else ""

    @property
    def own(self) -> bool:
        """Whether it is a comparison of one's own."""
        return self.outcomes[0].own

    @property
    def name(self) -> str:
        """For example ``paper (Eq. 8)``; nothing for a comparison of one's own."""
        if self.own:
            return ""
        return f"{self.protocol} ({self.variant})" if self.variant else self.protocol

    @property
    def under(self) -> str:
        """The title, and the protocol where there is one."""
        return f"{self.title}, protocol {self.name}" if self.name else self.title

    @property
    def told(self) -> str:
        """Protocol, where there is one, and size."""
        return ", ".join(each for each in (self.name, self.size) if each)

    @property
    def slug(self) -> str:
        """As a file may be called."""
        return slug(self.protocol, self.item, self.variant)

    @property
    def quick(self) -> bool:
        """Whether any of it is too small to decide anything."""
        return any(each.quick for each in self.outcomes)

    @property
    def size(self) -> str:
        """For example ``10 runs x 200 users x 1,000 rounds``."""
        return size_of(*self.outcomes)

    @property
    def agents(self) -> list[str]:
        """Everyone who takes part at some point."""
        return list(dict.fromkeys(name for each in self.outcomes for name in each.agents))


def size_of(*outcomes: Outcome) -> str:
    """How large a run is; ``1 to 10 runs`` where outcomes differ."""
    sizes = {
        "runs": [each.runs for each in outcomes],
        "users": [each.users for each in outcomes],
        "rounds": [each.rounds for each in outcomes],
    }
    return " x ".join(_count(values, name) for name, values in sizes.items())


def _count(values: list[int], name: str) -> str:
    low, high = min(values), max(values)
    number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{number} {name if high != 1 else name[:-1]}"


def grouped(outcomes: Iterable[Outcome]) -> list[Group]:
    """By item in the paper's order, then protocol, then variant; points in the sweep's order."""
    found: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in sorted(outcomes, key=_order):
        key = outcome.item, outcome.protocol, outcome.variant
        found.setdefault(key, []).append(outcome)
    return [Group(*key, tuple(mine)) for key, mine in found.items()]


def _order(outcome: Outcome) -> tuple[Any, ...]:
    item, protocol = outcome.declared, PROTOCOLS.get(outcome.protocol)
    points = item.points if item else ()
    readings = protocol.variants(item.data) if item and protocol else ()
    return (
        *(_place(list(ITEMS), item.name) if item else (len(ITEMS), outcome.item)),
        *_place(list(PROTOCOLS), outcome.protocol),
        *_place([each.label for each in readings], outcome.variant),
        *_place([each.label for each in points], outcome.point),
        outcome.setting,
    )


def _place(known: list[str], name: str) -> tuple[int, str]:
    return (known.index(name) if name in known else len(known)), name
