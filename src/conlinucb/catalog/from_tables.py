"""Catalogues from tables of tags and interactions, or from embeddings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from conlinucb.catalog.behaviour import (
    Met,
    beside_tags,
    paper_features,
    people_and_features,
    read_met,
)
from conlinucb.catalog.table import both_described, described, options_of
from conlinucb.catalog.tags import (
    Tagged,
    TagRules,
    aligned,
    content_basis,
    content_features,
    gathered,
    read_tags,
    tag_basis,
    tag_weights,
)
from conlinucb.errors import InvalidInput, RankWarning, UnknownName, nearest
from conlinucb.numerics.validation import Floats, matrix, whole

TagFeatures = Literal["topics", "svd"]
PeopleFeatures = Literal["paper", "people", "people+tags"]
MOST_TOPICS = 300
"""Up to this many tags they are the features themselves, unless d is given."""
D = 50


class FromTables:
    """The constructors of ``Catalog`` that read tables."""

    thetas: Floats | None = None
    """(users, d): people's own vectors, where ``from_interactions`` made the features."""
    user_ids: tuple[Any, ...] = ()
    """Whose they are."""
    report: dict[str, int]
    """What was read and what was left out, where the catalogue comes from a table."""
    basis: Floats | None
    """(K, d): features are tags in these directions; None where they are not made of tags."""
    arm_ids: tuple[Any, ...]
    term_ids: tuple[Any, ...]

    def __init__(self, arms: Any, weights: Any, arm_ids: Any = None, term_ids: Any = None) -> None:
        raise TypeError("FromTables is a part of Catalog.")

    def add_arms(
        self, arms: Any, weights: Any, arm_ids: Any = None, *, keep_terms: bool = False
    ) -> Self:
        """What ``Catalog`` has."""
        raise TypeError("FromTables is a part of Catalog.")

    @classmethod
    def from_tags(
        cls,
        table: Any,
        *,
        features: TagFeatures | None = None,
        d: int | None = None,
        item: str | int | None = None,
        tag: str | int | None = None,
        weight: str | int | None = None,
        **options: Any,
    ) -> Self:
        """A catalogue from tags alone: a table of items and tags, perhaps with weights.

        With ``features="topics"`` an arm's features are its tags themselves, of length 1: taste is
        about topics, and an answer then bears on its own topic most. With ``features="svd"`` they
        are its tags in the d directions in which items differ most (truncated SVD), of length 1;
        fewer than d where there are fewer tags. By default up to 300 tags are topics, unless d is
        given, and more become 50 directions. The table is pandas, polars,
        pyarrow, a dictionary of columns, a path, or a ``Table``. ``options`` are those of
        ``TagRules`` (fold, min_items, max_items, max_tags) and of ``Table`` (format, columns,
        separator, header, encoding, quote, split). Columns item, tag and weight may be named
        otherwise; weights are 1 where there are none. What was left out is in ``report``.

        >>> from conlinucb import Catalog
        >>> table = {"item": ["a", "a", "b", "c"], "tag": ["Jazz", "live", "jazz ", "live"]}
        >>> catalog = Catalog.from_tags(table)
        >>> catalog.arm_ids, catalog.term_ids
        (('a', 'b', 'c'), ('Jazz', 'live'))
        >>> catalog.arms[1]
        array([1., 0.])
        """
        if features is not None:
            _one_of("features", features, TagFeatures)
        rules, reading = options_of(cls.from_tags, options, TagRules)
        names = {"item": item, "tag": tag, "weight": weight}
        tagged = read_tags(described([table], reading)[0], rules, names)
        topics = _are_topics(features, d, len(tagged.tags))
        basis = (
            np.eye(len(tagged.tags))
            if topics
            else content_basis(tagged.weights, whole("d", D if d is None else d, low=1))
        )
        arms = content_features(tagged.weights, basis)
        tagged.report["arms without features"] = int((~arms.any(axis=1)).sum())
        with warnings.catch_warnings():
            if topics:  # that some tags always come together is no mistake
                warnings.simplefilter("ignore", RankWarning)
            catalog = cls._with(arms, tagged)
        catalog.basis = basis
        return catalog

    def add_tagged(
        self, items: Mapping[Any, Mapping[Any, float]], *, keep_terms: bool = False
    ) -> Self:
        """A new catalogue with these items at the end, each a table of its tags and weights.

        Their features are made of their tags as ``from_tags`` made those of the others; tags
        must be key-terms of this catalogue.

        >>> from conlinucb import Catalog
        >>> catalog = Catalog.from_tags({"item": ["a", "a", "b"], "tag": ["x", "y", "y"]}, d=2)
        >>> larger = catalog.add_tagged({"c": {"x": 1.0}})
        >>> len(larger), larger.arm_ids
        (3, ('a', 'b', 'c'))
        """
        if self.basis is None:
            raise InvalidInput(
                "The features of this catalogue are not made of tags: use add_arms, with features."
            )
        weights = tag_weights(items, self.term_ids)
        arms = content_features(weights, self.basis)
        return self.add_arms(arms, weights, list(items), keep_terms=keep_terms)

    @classmethod
    def from_interactions(
        cls,
        table: Any,
        tags: Any = None,
        *,
        features: PeopleFeatures = "paper",
        d: int = D,
        tag_d: int = 40,
        user: str | int | None = None,
        item: str | int | None = None,
        value: str | int | None = None,
        tag: str | int | None = None,
        weight: str | int | None = None,
        tag_columns: Mapping[str, str | int | None] | None = None,
        **options: Any,
    ) -> Self:
        """A catalogue from who did what with which item, and from tags for the key-terms.

        ``features`` is one of:

        - "paper", as in the paper's experiments: d - 1 singular vectors of the user by item matrix
          (``value``, or 1 for each row), of length 1, with a 1 appended and all of it over sqrt 2;
        - "people": d singular vectors of that matrix with each entry over the root of the user's
          sum times the item's, the first one, which is popularity, left out; of length 1;
        - "people+tags": those beside the ``tag_d`` directions in which items differ most by their
          tags, both of length 1. Items that have tags but that nobody met are arms too.

        Items without tags are arms too; else tags of items nobody met are left out. ``options``
        are those of ``from_tags``, for both tables; ``columns`` are those of the first and
        ``tag_columns`` those of tags. People's own vectors are in ``thetas``, by ``user_ids``.

        >>> from conlinucb import Catalog
        >>> met = {"user": ["ann", "ann", "bo", "bo"], "item": ["a", "b", "b", "c"]}
        >>> tags = {"item": ["a", "b", "new"], "tag": ["calm", "loud", "calm"]}
        >>> catalog = Catalog.from_interactions(met, tags, features="people+tags", d=1, tag_d=2)
        >>> catalog.arm_ids, catalog.d
        (('a', 'b', 'c', 'new'), 3)
        >>> catalog.user_ids, catalog.thetas.shape
        (('ann', 'bo'), (2, 3))
        """
        _one_of("features", features, PeopleFeatures)
        rules, reading = options_of(cls.from_interactions, options, TagRules)
        if tag_columns is not None:
            reading["tag_columns"] = tag_columns
        first, second = both_described(table, tags, reading)
        met = read_met(first, {"user": user, "item": item, "value": value})
        found = gathered(second, {"item": item, "tag": tag, "weight": weight}, fold=rules.fold)
        if features == "paper":
            people, arms = paper_features(met.matrix, whole("d", d, low=2))
        else:
            people, arms = people_and_features(met.matrix, whole("d", d, low=1))
        if features == "people+tags":
            return cls._of_both(people, arms, met, found, rules, whole("tag_d", tag_d, low=1))
        return cls._with(arms, aligned(found, met.items, rules), people, met.people)

    @classmethod
    def _of_both(
        cls, people: Floats, arms: Floats, met: Met, found: Tagged, rules: TagRules, tag_d: int
    ) -> Self:
        """People's directions beside those of tags; the first are 0 for items nobody met."""
        aligned(found, met.items, TagRules())  # tables that name no item alike are a mistake
        known = set(met.items)
        unmet = [each for each in found.items if each not in known]
        tagged = aligned(found, [*met.items, *unmet], rules)
        basis = tag_basis(tagged.weights, tag_d)
        topics = content_features(tagged.weights, basis)
        features = np.hstack([np.vstack([arms, np.zeros((len(unmet), arms.shape[1]))]), topics])
        tastes = beside_tags(people, met.matrix, topics[: len(arms)])
        catalog = cls._with(features, tagged, tastes, met.people)
        catalog.report["arms nobody met"] = len(unmet)
        catalog.basis = np.hstack([np.zeros((len(basis), arms.shape[1])), basis])
        return catalog

    @classmethod
    def from_embeddings(
        cls,
        embeddings: ArrayLike,
        items: Sequence[Any],
        tags: Any = None,
        *,
        item: str | int | None = None,
        tag: str | int | None = None,
        weight: str | int | None = None,
        **options: Any,
    ) -> Self:
        """A catalogue from features (n, d) of your own, a row for each of ``items``, and tags.

        ``options`` are those of ``from_tags``. Without tags there are no key-terms to ask about
        until ``with_clusters`` or ``with_tree`` makes some.
        """
        arms = matrix("embeddings", embeddings)
        if tags is None:
            return cls(arms, None, _listed(items, len(arms)))
        rules, reading = options_of(cls.from_embeddings, options, TagRules)
        names = {"item": item, "tag": tag, "weight": weight}
        found = gathered(described([tags], reading)[0], names, fold=rules.fold)
        return cls._with(arms, aligned(found, _listed(items, len(arms)), rules))

    @classmethod
    def _with(
        cls,
        arms: Floats,
        tagged: Tagged,
        thetas: Floats | None = None,
        user_ids: Sequence[Any] = (),
    ) -> Self:
        catalog = cls(arms, tagged.weights, tagged.items, tagged.tags)
        catalog.report, catalog.thetas = tagged.report, thetas
        catalog.user_ids = tuple(user_ids)
        return catalog


def _one_of(name: str, given: Any, known: Any) -> None:
    names = get_args(known)
    if given not in names:
        raise UnknownName(f"No {name} are called {given!r}.{nearest(given, names)}")


def _are_topics(features: TagFeatures | None, d: int | None, terms: int) -> bool:
    """Whether tags are features themselves."""
    if features == "topics" and d is not None and whole("d", d, low=1) != terms:
        raise InvalidInput(f"Topics are {terms} features, one for each key-term; got d={d!r}.")
    return features == "topics" or (features is None and d is None and terms <= MOST_TOPICS)


def _listed(items: Any, size: int) -> list[Any]:
    """Ids from a list, an array or a column, as many as there are embeddings."""
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise InvalidInput(f"items must be a list of {size} ids, got {items!r}.")
    names = items.tolist() if hasattr(items, "tolist") else list(items)
    if len(names) != size:
        raise InvalidInput(f"items must hold {size} ids, got {len(names)}.")
    for each in names:
        if not isinstance(each, (str, int, np.integer)):
            raise InvalidInput(f"items must be strings or integers, got {each!r}.")
    return [each.strip() if isinstance(each, str) else each for each in names]
