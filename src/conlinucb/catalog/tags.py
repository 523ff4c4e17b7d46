"""Tags as people write them, made into key-terms: folded, counted, and the odd ones left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

import numpy as np
from scipy import sparse

from conlinucb.catalog.columns import encode, numbers, read_columns
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.svd import singular_vectors, unit_rows, without_noise
from conlinucb.numerics.validation import Floats, Indices, number, whole


@dataclass(frozen=True, kw_only=True)
class TagRules:
    """Which tags become key-terms."""

    fold: bool = True
    """Take tags as one that differ only in case or white space."""
    min_items: int = 1
    """Leave out tags of fewer items."""
    max_items: int | None = None
    """Leave out tags of more items: they tell little."""
    max_tags: int | None = None
    """Keep only this many tags of an item: the heaviest, then the most widespread."""

    def __post_init__(self) -> None:
        whole("min_items", self.min_items, low=1)
        for name in ("max_items", "max_tags"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), low=1)


@dataclass
class Tagged:
    """Items, tags and the weights between them, with a record of what was left out."""

    items: list[Any]
    tags: list[Any]
    weights: sparse.csr_array
    report: dict[str, int] = field(default_factory=dict)


def read_tags(table: Any, rules: TagRules, item: str, tag: str, weight: str) -> Tagged:
    """Tags from a table with columns item, tag and perhaps weight."""
    columns = read_columns(table, (item, tag), (weight,))
    item_codes, items = encode(columns[item])
    tag_codes, tags = encode(columns[tag])
    values = numbers(weight, columns[weight]) if weight in columns else np.ones(len(item_codes))
    report = {"rows": len(item_codes), "items": len(items), "tags as written": len(tags)}
    if rules.fold:
        tag_codes, tags = _fold(tag_codes, tags)
        report["tags that differed only in case or white space"] = report["tags as written"] - len(
            tags
        )
    shape = (len(items), len(tags))
    weights = sparse.coo_array((values, (item_codes, tag_codes)), shape=shape).tocsr()
    if weight not in columns:
        weights.data[:] = 1.0  # the same tag given twice is given once
    report["repeated rows"] = report["rows"] - weights.nnz
    weights.eliminate_zeros()
    if weight in columns:
        report["weights of 0"] = report["rows"] - report["repeated rows"] - weights.nnz
    return _drop_empty(_limit(Tagged(items, tags, weights, report), rules))


def _fold(codes: Indices, tags: list[Any]) -> tuple[Indices, list[Any]]:
    """Codes of the folded tags; a tag is written as it was first."""
    first: dict[Any, int] = {}
    names: list[Any] = []
    target = np.empty(len(tags), dtype=np.int64)
    for i, tag in enumerate(tags):
        spaced = normalize("NFC", " ".join(tag.split())) if isinstance(tag, str) else tag
        key = spaced.casefold() if isinstance(spaced, str) else spaced
        if key not in first:
            first[key] = len(names)
            names.append(spaced)
        target[i] = first[key]
    return target[codes], names


def _limit(tagged: Tagged, rules: TagRules) -> Tagged:
    spread = np.bincount(tagged.weights.indices, minlength=len(tagged.tags))
    rare = (spread < rules.min_items) & (spread > 0)
    common = spread > (rules.max_items or np.inf)
    tagged.report[f"tags of fewer than {rules.min_items} items"] = int(rare.sum())
    if rules.max_items is not None:
        tagged.report[f"tags of more than {rules.max_items} items"] = int(common.sum())
    kept = ~(rare | common) & (spread > 0)
    if not kept.any():
        raise InvalidInput(
            f"No tag is left of {len(tagged.tags)}: {int(rare.sum())} have fewer than "
            f"{rules.min_items} items, {int(common.sum())} more than {rules.max_items}, and "
            f"{int((spread == 0).sum())} only weights of 0."
        )
    weights = tagged.weights[:, np.flatnonzero(kept)]
    tags = [tag for tag, keep in zip(tagged.tags, kept, strict=True) if keep]
    tagged.report["tags without an item left"] = int((spread == 0).sum())
    if rules.max_tags is not None:
        before = weights.nnz
        weights = _heaviest(weights.tocsr(), rules.max_tags, spread[kept])
        tagged.report[f"tags beyond {rules.max_tags} of an item"] = before - weights.nnz
    return Tagged(tagged.items, tags, sparse.csr_array(weights), tagged.report)


def _heaviest(weights: sparse.csr_array, n: int, spread: Indices) -> sparse.csr_array:
    """Each row's n largest weights; ties by how widespread the tag is, then by its place."""
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -spread[weights.indices], -weights.data, rows))
    rank = np.arange(weights.nnz) - np.repeat(weights.indptr[:-1], np.diff(weights.indptr))
    keep = order[rank < n]
    parts = (weights.data[keep], (rows[keep], weights.indices[keep]))
    return sparse.coo_array(parts, shape=weights.shape).tocsr()


def _drop_empty(tagged: Tagged) -> Tagged:
    """Without the items and tags that have nothing left."""
    full = np.diff(tagged.weights.indptr) > 0
    tagged.report["items without a tag left"] = int((~full).sum())
    used = np.bincount(tagged.weights.indices, minlength=len(tagged.tags)) > 0
    tagged.report["tags without an item left"] += int((~used).sum())
    weights = tagged.weights[np.flatnonzero(full)][:, np.flatnonzero(used)]
    items = [each for each, keep in zip(tagged.items, full, strict=True) if keep]
    tags = [each for each, keep in zip(tagged.tags, used, strict=True) if keep]
    tagged.report |= {"arms": len(items), "key-terms": len(tags)}
    return Tagged(items, tags, sparse.csr_array(weights), tagged.report)


def aligned(tagged: Tagged, items: list[Any]) -> tuple[sparse.csr_array, list[Any]]:
    """Weights with a row for each of ``items``, and the tags that one of them has."""
    place = {each: i for i, each in enumerate(tagged.items)}
    rows = np.array([place.get(each, -1) for each in items])
    known = np.flatnonzero(rows >= 0)
    picker = sparse.csr_array(
        (np.ones(known.size), (known, rows[known])), shape=(len(items), len(tagged.items))
    )
    weights = sparse.csr_array(picker @ tagged.weights)
    used = np.flatnonzero(np.bincount(weights.indices, minlength=len(tagged.tags)))
    if not used.size:
        raise InvalidInput(
            f"No item has a tag: do both tables name the items alike? The arms are called "
            f"{items[:3]} and so on, the tagged items {tagged.items[:3]}."
        )
    tagged.report["items without a tag"] = len(items) - known.size
    tagged.report["tagged items not among the arms"] = len(tagged.items) - known.size
    tagged.report["tags of no arm"] = len(tagged.tags) - used.size
    return sparse.csr_array(weights[:, used]), [tagged.tags[k] for k in used]


def tag_weights(items: Mapping[Any, Mapping[Any, float]], tags: Sequence[Any]) -> sparse.csr_array:
    """Weights (n, K) of items given with their tags; a tag that is not known is refused."""
    if not isinstance(items, Mapping):
        raise InvalidInput(f"items must be a table of items and their tags, got {items!r}.")
    place = {each: k for k, each in enumerate(tags)}
    weights = sparse.dok_array((len(items), len(tags)))
    for i, (item, given) in enumerate(items.items()):
        if not isinstance(given, Mapping):
            raise InvalidInput(f"{item!r}: tags must be a table of weights, got {given!r}.")
        for tag, weight in given.items():
            if tag not in place:
                raise UnknownName(f"{item!r}: no key-term is {tag!r}.{nearest(tag, tags)}")
            weights[i, place[tag]] = number(f"weight of {tag!r}", weight, low=0.0)
    return weights.tocsr()


def content_basis(weights: sparse.csr_array, d: int) -> Floats:
    """The d directions (K, d), fewer where there are fewer tags, in which items differ most."""
    return singular_vectors(weights, min(d, *weights.shape))[2]


def content_features(weights: sparse.csr_array, basis: Floats) -> Floats:
    """Unit rows (n, d): items by tags in the directions of the basis.

    An item that has nothing in these directions gets zeros.
    """
    lengths = np.sqrt(weights.power(2).sum(axis=1))
    return unit_rows(without_noise(np.asarray(weights @ basis), lengths))
