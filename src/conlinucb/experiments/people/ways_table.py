"""What ways of asking came to on one data set: every number of the table and its picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conlinucb.experiments.people.figures import Figure
from conlinucb.experiments.typed_json import decoded, encoded

FORMAT = 3
"""Of the file. Raised when a field changes its meaning."""


@dataclass(frozen=True, kw_only=True)
class WayOutcome:
    """One way in one rhythm; of ``kind`` "nothing" is who asks nothing of the same people."""

    way: str
    kind: str
    rhythm: str
    key_terms: int
    """How many key-terms one question is about."""
    asked: float
    """Questions a person."""
    answered: float | None
    """Percent of questions that were answered."""
    yes: float | None
    """Percent of answers that were a yes, or named something."""
    first: Figure
    all: Figure
    gain: Figure | None
    """Points above asking nothing in the first rounds, of the same people."""
    gain_all: Figure | None
    """The same of all rounds."""
    a_question: Figure | None
    """Points in the first rounds that each question brought."""
    behind: Figure | None
    """Points less in the first rounds than the best way in this rhythm, of the same people."""
    over_default: Figure | None
    """Points more in the first rounds than what the service asks by default, paired."""
    ranks: tuple[int, ...] | None
    """Between which places in this rhythm it lies, in the first rounds."""

    @property
    def a_key_term(self) -> float | None:
        """Points for each key-term that was asked about."""
        return None if self.a_question is None else self.a_question.mean / self.key_terms


@dataclass(frozen=True, kw_only=True)
class WaysOutcome:
    """All ways on one data set."""

    task: str
    measure: str
    rounds: int
    first: int
    splits: int
    tested: int
    quick: bool
    seed: int
    ways: tuple[WayOutcome, ...]
    fixed_on: tuple[WayOutcome, ...]
    """The same on the first split: what is chosen is chosen by it."""
    fixed_people: int
    seconds: float
    command: str
    versions: dict[str, str]

    @classmethod
    def from_json(cls, content: Any) -> WaysOutcome:
        """What ``to_json`` wrote."""
        return decoded(cls, content)

    def to_json(self) -> dict[str, Any]:
        """As the file holds it."""
        return {"format": FORMAT, **encoded(self)}

    @property
    def rhythms(self) -> list[str]:
        """Those that were played, in order."""
        return list(dict.fromkeys(each.rhythm for each in self.ways))

    def nothing(self, rhythm: str, fixed_on: bool = False) -> WayOutcome:
        """Who asks nothing of people who come like this; of the reported splits or of the first."""
        played = self.fixed_on if fixed_on else self.ways
        return next(each for each in played if (each.kind, each.rhythm) == ("nothing", rhythm))

    def ranked(self, rhythm: str, fixed_on: bool = False) -> list[WayOutcome]:
        """Those in this rhythm, the largest gain first; of the reported splits or of the first."""
        played = self.fixed_on if fixed_on else self.ways
        mine = [each for each in played if each.rhythm == rhythm and each.gain is not None]
        return sorted(mine, key=lambda each: -each.gain.mean if each.gain else 0.0)

    def chosen(self, rhythm: str) -> WayOutcome:
        """The way that is best on the first split, as it does on the reported ones."""
        best = self.ranked(rhythm, fixed_on=True)[0].way
        return next(each for each in self.ways if (each.way, each.rhythm) == (best, rhythm))
