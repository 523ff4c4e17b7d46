"""Catalogues from tables of tags and interactions, or from embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from conlinucb.catalog.columns import encode, numbers, read_columns
from conlinucb.catalog.tags import (
    Tagged,
    TagRules,
    aligned,
    content_basis,
    content_features,
    read_tags,
    tag_weights,
)
from conlinucb.errors import InvalidInput
from conlinucb.numerics.svd import singular_vectors, with_constant, without_noise
from conlinucb.numerics.validation import Floats, matrix, whole


class FromTables:
    """The constructors of ``Catalog`` that read tables."""

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
        d: int = 50,
        item: str = "item",
        tag: str = "tag",
        weight: str = "weight",
        **rules: Any,
    ) -> Self:
        """A catalogue from tags alone: a table of items and tags, perhaps with weights.

        An arm's features are its tags in the d directions in which items differ most (truncated
        SVD), of length 1; fewer than d where there are fewer tags. The table is pandas, polars,
        pyarrow, a dictionary of columns, or a .csv, .tsv or .parquet path. ``rules`` are those of
        ``TagRules``: fold, min_items, max_items, max_tags. What was left out is in ``report``.

        >>> from conlinucb import Catalog
        >>> table = {"item": ["a", "a", "b", "c"], "tag": ["Jazz", "live", "jazz ", "live"]}
        >>> catalog = Catalog.from_tags(table, d=2)
        >>> catalog.arm_ids, catalog.term_ids
        (('a', 'b', 'c'), ('Jazz', 'live'))
        """
        tagged = read_tags(table, TagRules(**rules), item, tag, weight)
        basis = content_basis(tagged.weights, whole("d", d, low=1))
        arms = content_features(tagged.weights, basis)
        tagged.report["arms without features"] = int((~arms.any(axis=1)).sum())
        catalog = cls._with(arms, tagged.weights, tagged.items, tagged.tags, tagged.report)
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
        tags: Any,
        *,
        d: int = 50,
        user: str = "user",
        item: str = "item",
        value: str = "value",
        tag: str = "tag",
        weight: str = "weight",
        **rules: Any,
    ) -> Self:
        """A catalogue from who did what with which item, and from tags for the key-terms.

        Features are made as in the paper's experiments: d - 1 singular vectors of the user by
        item matrix (``value``, or 1 for each row), of length 1, with a 1 appended and all of it
        over sqrt 2. Items without tags are arms too; tags of items nobody met are left out.
        """
        columns = read_columns(table, (user, item), (value,))
        user_codes, users = encode(columns[user])
        item_codes, items = encode(columns[item])
        values = numbers(value, columns[value]) if value in columns else np.ones(len(item_codes))
        if not values.any():
            raise InvalidInput(f"Column {value!r} holds nothing but 0 in {len(values)} rows.")
        shape = (len(users), len(items))
        met = sparse.coo_array((values, (user_codes, item_codes)), shape=shape).tocsr()
        vectors = singular_vectors(met, min(whole("d", d, low=2) - 1, *shape))[2]
        arms = with_constant(without_noise(vectors))
        return cls._of(arms, items, read_tags(tags, TagRules(**rules), item, tag, weight))

    @classmethod
    def from_embeddings(
        cls,
        embeddings: ArrayLike,
        items: Sequence[Any],
        tags: Any,
        *,
        item: str = "item",
        tag: str = "tag",
        weight: str = "weight",
        **rules: Any,
    ) -> Self:
        """A catalogue from features (n, d) of your own, a row for each of ``items``, and tags."""
        arms = matrix("embeddings", embeddings)
        names = _listed(items, len(arms))
        return cls._of(arms, names, read_tags(tags, TagRules(**rules), item, tag, weight))

    @classmethod
    def _of(cls, arms: Floats, items: list[Any], tagged: Tagged) -> Self:
        weights, terms = aligned(tagged, items)
        report = tagged.report | {"arms": len(items), "key-terms": len(terms)}
        return cls._with(arms, weights, items, terms, report)

    @classmethod
    def _with(
        cls,
        arms: Floats,
        weights: sparse.csr_array,
        items: list[Any],
        terms: list[Any],
        report: dict[str, int],
    ) -> Self:
        catalog = cls(arms, weights, items, terms)
        catalog.report = report
        return catalog


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
    return names
