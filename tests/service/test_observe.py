"""What lower layers report reaches all who listen, under names that are written down."""

import pytest

from conlinucb.service.observe import Observers


class Kept:
    """Keeps every report it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, float, dict[str, str]]] = []

    def count(self, name: str, value: float = 1, **labels: str) -> None:
        self.told.append(("count", name, value, labels))

    def time(self, name: str, seconds: float, **labels: str) -> None:
        self.told.append(("time", name, seconds, labels))

    def measure(self, name: str, value: float, **labels: str) -> None:
        self.told.append(("measure", name, value, labels))

    def level(self, name: str, value: float, **labels: str) -> None:
        self.told.append(("level", name, value, labels))


def test_every_listener_is_told_once_and_none_after_it_left() -> None:
    observers, first, second = Observers(), Kept(), Kept()
    observers.count("conflicts")
    for listener in (first, first, second):
        observers.add(listener)
    observers.count("conflicts", 2)
    observers.time("store_seconds", 0.5, operation="append")
    observers.remove(second)
    observers.measure("snapshot_age_events", 7)
    observers.level("cache_people", 3)
    assert second.told == [
        ("count", "conflicts", 2, {}),
        ("time", "store_seconds", 0.5, {"operation": "append"}),
    ]
    assert first.told == [
        *second.told,
        ("measure", "snapshot_age_events", 7, {}),
        ("level", "cache_people", 3, {}),
    ]


def test_names_kinds_and_labels_that_are_not_written_down_are_refused() -> None:
    observers = Observers()
    with pytest.raises(ValueError, match="'confilcts'"):
        observers.count("confilcts")
    with pytest.raises(ValueError, match="kind='count'"):
        observers.level("conflicts", 1)
    with pytest.raises(ValueError, match=r"\['user'\]"):
        observers.count("conflicts", user="ann")
    with pytest.raises(ValueError, match=r"with labels \[\]"):
        observers.time("store_seconds", 1)
