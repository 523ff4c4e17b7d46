"""One version of a catalogue, ready to talk about."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.spec import agent_of
from conlinucb.agent.strategies.group import Teaching
from conlinucb.agent.strategies.informative import spread_of
from conlinucb.agent.user import User, kind_of
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.tags import tag_weights
from conlinucb.errors import (
    ConlinucbError,
    Damaged,
    InvalidInput,
    RankWarning,
    UnknownName,
    nearest,
)
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.service.catalogues.chips import chosen_chips
from conlinucb.service.catalogues.learned import LearnedPrior, takes_population
from conlinucb.service.catalogues.lens import Lens, in_groups
from conlinucb.service.catalogues.search import NameIndex
from conlinucb.service.schemas import Details
from conlinucb.service.settings import Settings
from conlinucb.service.storage import Change, pack, unpack

DIGEST = 8
RANGED = ("for_newcomers", "logistic")
"""Recipes that are told the range of rewards and answers."""
"""Bytes: enough to tell pools and agents apart."""
_OF_CONTENT = ("spread", "average", "names", "items_of_terms", "item_digest", "term_digest")
_OF_AGENTS = ("agent", "newcomer", "chips", "basis", "agent_digest")
"""What is worked out once for a version, by what it depends on."""
ALIKE = 30
"""Items that count as most alike to one."""


def digest(ids: Sequence[str]) -> str:
    """Of ids, which hold no control characters, in this order.

    >>> digest(["Alien", "Heat"]) == digest(["Heat", "Alien"])
    False
    """
    return blake2b("\n".join(ids).encode(), digest_size=DIGEST).hexdigest()


@dataclass(frozen=True, eq=False)
class Content:
    """Items and key-terms, and how people read them."""

    catalog: Catalog
    questions: dict[str, str] = field(default_factory=dict)
    """How a key-term is asked about, where it has a text of its own."""
    source: str = ""
    """A hash of the file it came from, to see whether that changed."""
    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    """How items look to people, by id: the fields of ``Details`` that are known."""
    lens: Lens | None = None
    """From an item's vector to its features, where it came with a vector and no topics."""

    def to_bytes(self) -> bytes:
        """As the change log keeps it."""
        about = {
            "questions": self.questions,
            "source": self.source,
            "report": self.catalog.report,
            "details": self.details,
        }
        encoded = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        lens = {} if self.lens is None else self.lens.to_arrays()
        return pack({"about": encoded, **lens, **self.catalog.to_arrays()})

    @classmethod
    def from_bytes(cls, body: bytes) -> Content:
        """What ``to_bytes`` made."""
        arrays = unpack(body)
        try:
            about = json.loads(arrays.pop("about").tobytes())
            lens = Lens.from_arrays(arrays)
            catalog = Catalog.from_arrays(arrays)
            catalog.report = about["report"]
            details = checked_details(about.get("details", {}))  # older ones have none
            return cls(catalog, about["questions"], about["source"], details, lens)
        except (KeyError, ValueError, TypeError, ConlinucbError) as error:
            raise Damaged(f"the catalogue cannot be read: {error}") from error


def changed(content: Content | None, change: Change) -> Content:
    """The content after items were added or removed; nothing else changes it.

    The key-terms keep their features, so that what people said about them stays what it was.
    """
    if change.kind == "replace":
        return Content.from_bytes(change.body)
    if content is None:
        raise Damaged(f"version {change.number} changes a catalogue that is not there")
    if change.kind in ("settings", "population"):
        return content
    if change.kind not in ("add", "remove"):
        raise Damaged(f"version {change.number} is of the kind {change.kind!r}")
    try:
        return edited(content, change.kind, json.loads(change.body)["items"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Damaged(f"version {change.number} cannot be read: {error!r}") from error


def edited(content: Content, kind: str, items: Sequence[Any]) -> Content:
    """The content with more items, or without some; details stay with those that may come back."""
    if kind == "remove":
        return replace(content, catalog=remove_items(content.catalog, items))
    new = {each["id"]: each["details"] for each in items if each.get("details")}
    details = {**content.details, **checked_details(new)}
    catalog = add_items(content.catalog, items, content.lens)
    return replace(content, catalog=catalog, details=details)


def checked_details(given: Any) -> dict[str, dict[str, Any]]:
    """What is known of items, if it has the shape in which it is kept."""
    known = Details.model_fields
    if not isinstance(given, dict) or not all(
        isinstance(each, dict) and each.keys() <= known.keys() for each in given.values()
    ):
        raise ValueError(f"the details of items are not fields of {', '.join(known)} by id")
    return given


def refuse_twice(ids: Sequence[str], where: str = "") -> None:
    """Refuse a list in which something stands twice."""
    twice = [each for each, count in Counter(ids).items() if count > 1]
    if twice:
        raise InvalidInput(f"{where}{twice[0]!r} stands there twice.")


def add_items(catalog: Catalog, items: Sequence[Any], lens: Lens | None = None) -> Catalog:
    """The catalogue with more items: by their tags, or with features of their own.

    With a ``lens`` features are vectors as they come, and an item without topics is put into the
    group that is nearest.

    One that was removed comes back as it was.
    """
    new, back = _new_and_removed(catalog, items)
    for each in new:
        if not any(each["tags"].values()) and each.get("features") is None:
            raise InvalidInput(
                f"Item {each['id']!r} has neither tags nor features: nothing is known of it."
            )
    if back:
        catalog = catalog.restore_arms(back, keep_terms=True)
    if not new:
        return catalog
    tagged = {each["id"]: each["tags"] for each in new}
    features = [each["features"] for each in new if each.get("features") is not None]
    if not features:
        return catalog.add_tagged(tagged, keep_terms=True)
    if len(features) < len(new):
        raise InvalidInput(f"{len(new) - len(features)} of {len(new)} items have no features.")
    weights = tag_weights(tagged, catalog.term_ids)
    if lens is not None:
        seen = lens.seen(np.array(features, dtype=np.float64))
        return catalog.add_arms(
            seen, in_groups(catalog, seen, weights), list(tagged), keep_terms=True
        )
    return catalog.add_arms(features, weights, list(tagged), keep_terms=True)


def _new_and_removed(catalog: Catalog, items: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Items that are new, and indices of those that were removed before."""
    place = {each: index for index, each in enumerate(catalog.arm_ids)}
    live = set(catalog.live_arms.tolist())
    ids = [each["id"] for each in items]
    refuse_twice(ids)
    there = [each for each in ids if place.get(each) in live]
    if there:
        raise InvalidInput(f"There is an item {there[0]!r} already.")
    new = [each for each in items if each["id"] not in place]
    return new, [place[each] for each in ids if each in place]


def remove_items(catalog: Catalog, items: Sequence[Any]) -> Catalog:
    """The catalogue without these items."""
    refuse_twice(items)
    return catalog.remove_arms([catalog.arm_index(each) for each in items], keep_terms=True)


@dataclass(frozen=True, eq=False)
class CatalogueVersion:
    """A catalogue's version with its agent: all that decides what a log comes to."""

    id: int
    name: str
    number: int
    base: int
    """The version that last came as a whole."""
    content: Content
    settings: Settings
    population: LearnedPrior | None = None
    """Where people's states start; None where that is the agent's own prior."""
    experiment: int = 0
    """The experiment that chose the agent in ``settings``, 0 for none."""
    arm: str = ""
    """Which of its arms."""

    @property
    def catalog(self) -> Catalog:
        """Items and key-terms."""
        return self.content.catalog

    @cached_property
    def agent(self) -> Agent:
        """The algorithm on this catalogue."""
        given = self.settings.asking_agent
        if given.get("recipe") in RANGED:
            given = {"range": self.settings.range, **given}
        if self.population is not None and takes_population(given):
            given = {name: value for name, value in given.items() if name != "beta"}
            given["prior"] = self.population.prior
        with warnings.catch_warnings():  # topics that always come together are no mistake
            warnings.simplefilter("ignore", RankWarning)
            return _served(agent_of(given, self.catalog, strangers=True))

    def under(self, agent: dict[str, Any] | None, experiment: int, arm: str) -> CatalogueVersion:
        """The same version as an arm of an experiment sees it; None for its own agent."""
        settings = self.settings
        if agent is not None:
            settings = settings.under(agent)
        view = replace(self, settings=settings, experiment=experiment, arm=arm)
        same = settings.asking_agent == self.settings.asking_agent
        own = _OF_AGENTS if same else ()
        shared = {each: self.__dict__[each] for each in (*_OF_CONTENT, *own) if each in vars(self)}
        view.__dict__.update(shared)  # what was worked out before is the same for it
        return view

    @cached_property
    def newcomer(self) -> User:
        """Someone of whom nothing is known: to be looked at, not to be changed."""
        return self.agent.new_user()

    @cached_property
    def spread(self) -> Floats:
        """G = X'X / N of the items that are left, (d, d)."""
        return spread_of(self.catalog)

    @cached_property
    def average(self) -> Floats:
        """The mean of the items' features, (d,)."""
        return np.asarray(self.catalog._arms[self.catalog.live_arms].mean(axis=0))

    @cached_property
    def names(self) -> tuple[NameIndex, NameIndex]:
        """The items and the key-terms that are left, to be found by what someone types."""
        looks = (self.look_of(str(self.catalog.arm_ids[a])) for a in self.catalog.live_arms)
        items = [(each["title"], each["item"], each.get("subtitle", "")) for each in looks]
        topics = [(str(self.catalog.term_ids[k]),) for k in self.catalog.live_terms]
        return NameIndex(items), NameIndex(topics)

    @cached_property
    def items_of_terms(self) -> Indices:
        """How many of the items that are left each key-term has, (K,)."""
        live = self.catalog._weights[self.catalog.live_arms]
        return np.asarray((live > 0).sum(axis=0)).ravel()

    @cached_property
    def chips(self) -> list[int]:
        """Key-terms to begin with."""
        return chosen_chips(self.agent)

    @property
    def population_number(self) -> int:
        """The population that decisions are made under, 0 for none."""
        used = self.population is not None and takes_population(self.settings.agent)
        return self.population.number if used and self.population else 0

    @cached_property
    def basis(self) -> str:
        """States are good for every version that has the same features and prior.

        Where answers spread, the same graph as well, which follows items that come and go; where
        pairs and groups do not teach as usual, what they teach.
        """
        agent = self.agent
        graph = f" {self.catalog.term_graph.digest}" if agent.estimator.spread is not None else ""
        taught = (agent.pair_update, *agent.teaching)
        told = "" if taught == ("difference", *Teaching()) else f" {' '.join(map(str, taught))}"
        return f"{self.base} {kind_of(agent.estimator)}{graph}{told}"

    @cached_property
    def agent_digest(self) -> str:
        """Of the agent's parameters, for the log."""
        given = {"agent": self.settings.asking_agent, "range": self.settings.range}
        return digest([json.dumps(given, sort_keys=True, default=str)])

    @cached_property
    def item_digest(self) -> str:
        """Of all items that are left."""
        return digest([str(self.catalog.arm_ids[each]) for each in self.catalog.live_arms])

    @cached_property
    def term_digest(self) -> str:
        """Of all key-terms that are left."""
        return digest([str(self.catalog.term_ids[each]) for each in self.catalog.live_terms])

    def question_text(self, kind: str, names: Sequence[str], pick: str | None = None) -> str:
        """How to ask about a key-term, an item, a pair of key-terms, or which of a group."""
        if kind == "group":
            best = pick == "best"
            asked = self.settings.best_question if best else self.settings.any_question
            return asked.replace("{terms}", ", ".join(names))
        if kind == "pair":
            text = self.settings.pair_question.replace("{first}", names[0])
            return text.replace("{second}", names[1])
        own = self.content.questions.get(names[0]) if kind == "term" else None
        return own or self.settings.question.replace("{term}", names[0])

    def terms_of(self, item: str) -> list[str]:
        """An item's key-terms, the heaviest first; none of one that this version does not have."""
        arm = self.catalog._arm_lookup.get(item)
        if arm is None:
            return []
        start, terms, weights = self.catalog._graph
        own = slice(start[arm], start[arm + 1])
        order = np.argsort(-weights[own], kind="stable")
        return [str(self.catalog.term_ids[each]) for each in terms[own][order]]

    def look_of(self, item: str) -> dict[str, Any]:
        """How an item looks to people: the fields of ``ItemShown``."""
        return {"item": item, "title": item, **self.content.details.get(item, {})}

    def arms(self, ids: Sequence[str], where: str) -> Indices:
        """Indices of items that are there; removed ones are left out, unknown ones refused.

        ``where`` names the list in errors.
        """
        refuse_twice(ids, f"{where}: ")
        found = np.array([self._item(each, f"{where}: ") for each in ids], dtype=np.int64)
        live = np.zeros(len(self.catalog), dtype=bool)
        live[self.catalog.live_arms] = True
        return found[live[found]]

    def alike(self, item: str, pool: Indices | None) -> Indices:
        """The items most alike to this one, by the cosine of their features, best first.

        Of the pool, or of all; without the item itself. What is appended to all features, such as
        a constant, says nothing of that.
        """
        arm, among = self._item(item, "like: "), self.catalog.live_arms if pool is None else pool
        among = among[among != arm]
        arms, appended = self.catalog._arms, self.catalog._appended.columns
        own = slice(self.catalog.d - len(appended))  # they are the last columns
        squares = self.catalog._arm_norms**2 - (arms[:, appended] ** 2).sum(axis=1)
        lengths = np.sqrt(squares.clip(1e-30))
        cosines = (arms[:, own] @ arms[arm, own] / lengths)[among]
        return np.asarray(among[np.argsort(-cosines, kind="stable")[:ALIKE]])

    def known(self, ids: Sequence[str]) -> Indices:
        """Indices of those items that this version has; the others make no difference."""
        places = self.catalog._arm_lookup
        return np.array([places[each] for each in ids if each in places], dtype=np.int64)

    def _item(self, name: str, where: str) -> int:
        arm = self.catalog._arm_lookup.get(name)
        if arm is None:
            close = nearest(name, self.catalog.arm_ids)
            raise UnknownName(f"{where}no item is called {name!r}.{close}")
        return arm

    def terms(self, ids: Sequence[str], where: str) -> Indices:
        """Indices of key-terms that still have an item; unknown ones are refused."""
        refuse_twice(ids, f"{where}: ")
        found = [self.catalog.term_index(each) for each in ids]
        return np.array(sorted(set(found) & set(self.catalog.live_terms.tolist())), dtype=np.int64)


def _served(agent: Agent) -> Agent:
    """Refuse what a service does not do, rather than leave it out without a word."""
    for part in ("sharing", "rewards"):
        if getattr(agent, part) is not None:
            raise InvalidInput(
                f"agent {part}: the service learns of each person by themselves and of every "
                f"reward that comes, so an agent here has no {part}; got {getattr(agent, part)!r}."
            )
    return agent
