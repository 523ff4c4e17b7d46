"""Ask about several key-terms at once: pick any of these, or the one you like best."""

from __future__ import annotations

from typing import Any, Literal

from conlinucb.agent.question import LARGEST_GROUP, Kind, Pick
from conlinucb.agent.strategies.base import Draws, TermStrategy, View
from conlinucb.agent.strategies.group import Teaching
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, number, whole

TEACHES = ("differences", "winner")


class _Group(TermStrategy):
    """Chosen one after the other by the strategy ``by``, each as if those before were answered."""

    kind: Kind = "group"
    pick: Pick

    def __init__(self, by: Any, size: int) -> None:
        from conlinucb.agent.strategies import strategy_of  # which has these among its own

        self.by = strategy_of(by)
        self.size = whole("size", size, low=2)
        if self.size > LARGEST_GROUP:
            raise InvalidInput(f"size must be from 2 to {LARGEST_GROUP}, got {size!r}.")
        name = getattr(self.by, "name", type(self.by).__name__)
        if getattr(self.by, "kind", "term") != "term" or getattr(self.by, "fixed_terms", False):
            raise InvalidInput(
                f"by must be a strategy that chooses one of the offered key-terms, such as "
                f"'informative' or 'ucb', got {name!r}."
            )

    @property
    def kernel(self) -> Any:
        """That of ``by``: it is called for each of the group."""
        return getattr(self.by, "kernel", None)

    @property
    def needs_pool(self) -> bool:  # type: ignore[override]
        """Whether the round's arms decide."""
        return bool(getattr(self.by, "needs_pool", False))

    @property
    def draws(self) -> Draws | None:  # type: ignore[override]
        """Never where ``by`` never does; how likely a drawn group is cannot be told."""
        return "never" if getattr(self.by, "draws", None) == "never" else None

    @property
    def teaching(self) -> Teaching:
        """What picking teaches."""
        return Teaching()

    def choose(self, view: View) -> int:
        """The next of the group."""
        return int(self.by.choose(view))

    def prepare(self, catalog: Catalog) -> Floats:
        """What ``by`` prepares."""
        prepared: Floats = getattr(self.by, "prepare", super().prepare)(catalog)
        return prepared


class PickAny(_Group):
    """Which of these do you like? As many as one likes, or none of them.

    ``size`` key-terms, chosen one after the other by the strategy ``by``, each as if those before
    it had been answered, as a questionnaire is. What was picked is a yes, what was not a no with
    the weight ``unpicked``: silence says less than a no (0: nothing).
    """

    name = "pick-any"
    pick: Pick = "any"

    def __init__(self, *, by: Any = "informative", size: int = 6, unpicked: float = 0.5) -> None:
        super().__init__(by, size)
        self.unpicked = number("unpicked", unpicked, low=0.0, high=1.0)

    @property
    def teaching(self) -> Teaching:
        """The weight of what was not picked."""
        return Teaching(0, self.unpicked)


class BestOf(_Group):
    """Which of these do you like best? One of them, or none.

    Chosen as those of ``PickAny``. ``teaches`` says what is made of the answer: "differences" has
    the winner liked more than each other one by the whole range, which together weigh as much as
    one answer; "winner" takes it for a yes to the winner and leaves the others alone. None of them
    is a no to each with the weight ``unpicked``.
    """

    name = "best-of"
    pick: Pick = "best"

    def __init__(
        self,
        *,
        by: Any = "ucb",
        size: int = 3,
        teaches: Literal["differences", "winner"] = "differences",
        unpicked: float = 0.5,
    ) -> None:
        super().__init__(by, size)
        if teaches not in TEACHES:
            raise InvalidInput(f"teaches must be 'differences' or 'winner', got {teaches!r}.")
        self.teaches = teaches
        self.unpicked = number("unpicked", unpicked, low=0.0, high=1.0)

    @property
    def teaching(self) -> Teaching:
        """Differences or not, and the weight of what was not picked."""
        return Teaching(int(self.teaches == "differences"), self.unpicked)
