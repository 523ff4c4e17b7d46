"""What a text on a comparison cites: this package, and where its algorithms come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from conlinucb._version import __version__


@dataclass(frozen=True)
class Reference:
    """Something to cite, as CITATION.cff has it."""

    key: str
    authors: tuple[str, ...]
    """Family names, or what a group calls itself."""
    title: str
    where: str
    year: int | None = None

    @property
    def text(self) -> str:
        """One line of a list of references."""
        parts = (", ".join(self.authors), self.title, self.where)
        year = f", {self.year}" if self.year else ""
        return ". ".join(parts) + year + "."

    @property
    def bibtex(self) -> str:
        """An entry of a BibTeX file."""
        kind, place = ("inproceedings", "booktitle") if self.year else ("misc", "howpublished")
        authors = " and ".join(f"{{{each}}}" if " " in each else each for each in self.authors)
        fields = {"author": authors, "title": f"{{{self.title}}}", place: self.where}
        fields |= {"year": str(self.year)} if self.year else {}
        inside = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@{kind}{{{self.key},\n{inside}\n}}"


def package(version: str = __version__) -> Reference:
    """This package, in the release that computed something.

    >>> package("0.1.0").text.split(". ")[1:]
    ['conlinucb: conversational contextual bandits', 'Software, version 0.1.0.']
    """
    return Reference(
        "conlinucb",
        ("the conlinucb developers",),
        "conlinucb: conversational contextual bandits",
        f"Software, version {version}",
    )


CONLINUCB = Reference(
    "wang2023efficient",
    ("Wang", "Liu", "Li", "Lui"),
    "Efficient Explorative Key-term Selection Strategies for Conversational Contextual Bandits",
    "Proceedings of the AAAI Conference on Artificial Intelligence",
    2023,
)
CONUCB = Reference(
    "zhang2020conversational",
    ("Zhang", "Xie", "Li", "Lui"),
    "Conversational Contextual Bandit: Algorithm and Application",
    "Proceedings of The Web Conference",
    2020,
)
ARM_CON = Reference(
    "christakopoulou2016towards",
    ("Christakopoulou", "Radlinski", "Hofmann"),
    "Towards Conversational Recommender Systems",
    "Proceedings of the ACM SIGKDD International Conference on Knowledge Discovery and Data Mining",
    2016,
)
LINUCB = Reference(
    "li2010contextual",
    ("Li", "Chu", "Langford", "Schapire"),
    "A Contextual-Bandit Approach to Personalized News Article Recommendation",
    "Proceedings of the International Conference on World Wide Web",
    2010,
)
HCB = Reference(
    "song2022show",
    ("Song", "Sun", "Lian", "Huang", "Li", "Jin", "Xie"),
    "Show Me the Whole World: Towards Entire Item Space Exploration for Interactive Personalized "
    "Recommendations",
    "Proceedings of the ACM International Conference on Web Search and Data Mining",
    2022,
)
RECIPES = {
    "linucb": LINUCB,
    "arm_con": ARM_CON,
    "conucb": CONUCB,
    "conlinucb": CONLINUCB,
    "hcb": HCB,
    "phcb": HCB,
}
STRATEGIES = {
    **dict.fromkeys(("spanner", "max-radius", "ucb"), CONLINUCB),
    **dict.fromkeys(("optimal-greedy", "related-confidence", "related-reduction"), CONUCB),
}


def sources(recipe: str | None, parameters: Mapping[str, Any]) -> tuple[Reference, ...]:
    """Where an agent's algorithm comes from: its estimate, and how it chooses questions.

    >>> [each.key for each in sources("conlinucb", {"strategy": "optimal-greedy"})]
    ['wang2023efficient', 'zhang2020conversational']
    """
    found = RECIPES.get(recipe or ""), STRATEGIES.get(str(parameters.get("strategy")))
    eq_8 = any("TheoryAlpha" in str(parameters.get(name)) for name in ("alpha", "term_alpha"))
    return unique(each for each in (*found, CONLINUCB if eq_8 else None) if each)


def unique(references: Iterable[Reference]) -> tuple[Reference, ...]:
    """Each once, in the order of their first appearance."""
    return tuple(dict.fromkeys(references))
