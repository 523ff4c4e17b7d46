"""What every data set returns."""

from __future__ import annotations

from dataclasses import dataclass

from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.checked import Id
from conlinucb.numerics.validation import Floats


@dataclass(frozen=True, eq=False)
class Dataset:
    """A catalogue and, where the data have people, their true tastes.

    Ready to simulate: ``LinearUsers(dataset.thetas)`` on ``dataset.catalog``.
    """

    name: str
    catalog: Catalog
    thetas: Floats | None
    """(users, d), or None where the data have no people."""
    counts: dict[str, int]
    """How much there is in the source and in the selection."""
    user_ids: tuple[Id, ...] = ()
    """Whose tastes the rows of ``thetas`` are, as the source calls them."""

    def __repr__(self) -> str:
        people = "no people" if self.thetas is None else f"{len(self.thetas)} people"
        return f"Dataset({self.name!r}, {people}, {self.catalog!r})"
