"""Tags as people write them, made into key-terms: folded, counted, and the odd ones left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from conlinucb.catalog.columns import Given, read_columns
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.svd import singular_vectors, unit_rows, without_noise
from conlinucb.numerics.validation import Floats, Indices, number, whole


@dataclass(frozen=True, kw_only=True)
class TagRules:
    """Which tags become key-terms."""

    fold: bool = True
    """Take tags as one that differ only in case or white space."""
    min_items: int = 1
    """Leave out tags of fewer items; of those that are left, every key-term has as many."""
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


def read_tags(table: Any, rules: TagRules, names: Given | None = None) -> Tagged:
    """Tags from a table with columns item, tag and perhaps weight, as many as the rules leave."""
    return limited(gathered(table, names, fold=rules.fold), rules)


def gathered(table: Any, names: Given | None = None, *, fold: bool = True) -> Tagged:
    """All tags of a table, folded, with their weights; none is left out yet."""
    needed, what = ("item", "tag"), "The table of tags"
    columns = read_columns(table, needed, ("weight",), names=names, what=what)
    (item_codes, items), (tag_codes, tags) = (columns.codes(each) for each in needed)
    weighted = "weight" in columns
    values = columns.numbers("weight") if weighted else np.ones(len(item_codes))
    report = {"rows": len(item_codes), "items": len(items), "tags as written": len(tags)}
    if fold:
        tag_codes, tags = _fold(tag_codes, tags)
        report["tags that differed only in case or white space"] = report["tags as written"] - len(
            tags
        )
    shape = (len(items), len(tags))
    weights = sparse.coo_array((values, (item_codes, tag_codes)), shape=shape).tocsr()
    if not weighted:
        weights.data[:] = 1.0  # the same tag given twice is given once
    report["repeated rows"] = report["rows"] - weights.nnz
    weights.eliminate_zeros()
    if weighted:
        report["weights of 0"] = report["rows"] - report["repeated rows"] - weights.nnz
    return Tagged(items, tags, weights, report)


def limited(tagged: Tagged, rules: TagRules) -> Tagged:
    """As many tags as the rules leave, and the items that have one."""
    return _drop_empty(_limit(tagged, rules))


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
    spread = _spread(tagged.weights)
    common = spread > (rules.max_items or np.inf)
    kept = ~common & (spread >= max(rules.min_items, 1))
    weights = _within(tagged.weights, kept, rules, spread)
    while (rare := _rare(weights, rules)).any():
        kept &= ~rare  # max_tags took items from it, or an item got another tag in its place
        weights = _within(tagged.weights, kept, rules, spread)
    rare = ~common & ~kept & (spread > 0)
    tagged.report[f"tags of fewer than {rules.min_items} items"] = int(rare.sum())
    if rules.max_items is not None:
        tagged.report[f"tags of more than {rules.max_items} items"] = int(common.sum())
    if not kept.any():
        raise InvalidInput(
            f"No tag is left of {len(tagged.tags)}: {int(rare.sum())} have fewer than "
            f"{rules.min_items} items, {int(common.sum())} more than {rules.max_items}, and "
            f"{int((spread == 0).sum())} only weights of 0; the most widespread has "
            f"{int(spread.max(initial=0))}."
        )
    tagged.report["tags without an item left"] = int((spread == 0).sum())
    if rules.max_tags is not None:
        beyond = int(_spread(tagged.weights)[kept].sum()) - weights.nnz
        tagged.report[f"tags beyond {rules.max_tags} of an item"] = beyond
    tags = [tag for tag, keep in zip(tagged.tags, kept, strict=True) if keep]
    return Tagged(tagged.items, tags, weights[:, np.flatnonzero(kept)], tagged.report)


def _spread(weights: sparse.csr_array) -> Indices:
    """How many items have each tag."""
    return np.bincount(weights.indices, minlength=weights.shape[1])


def _rare(weights: sparse.csr_array, rules: TagRules) -> NDArray[np.bool_]:
    spread = _spread(weights)
    return (spread > 0) & (spread < rules.min_items)


def _within(
    weights: sparse.csr_array, kept: NDArray[np.bool_], rules: TagRules, spread: Indices
) -> sparse.csr_array:
    """Weights of the tags that are kept, of each item the heaviest; all columns stay."""
    chosen = weights
    if not kept.all():
        chosen = sparse.csr_array(weights @ sparse.diags_array(kept.astype(np.float64)))
        chosen.eliminate_zeros()
    return chosen if rules.max_tags is None else _heaviest(chosen, rules.max_tags, spread)


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
    used = _spread(tagged.weights) > 0
    tagged.report["tags without an item left"] += int((~used).sum())
    weights = tagged.weights[np.flatnonzero(full)][:, np.flatnonzero(used)]
    items = [each for each, keep in zip(tagged.items, full, strict=True) if keep]
    tags = [each for each, keep in zip(tagged.tags, used, strict=True) if keep]
    tagged.report |= {"arms": len(items), "key-terms": len(tags)}
    return Tagged(items, tags, sparse.csr_array(weights), tagged.report)


def aligned(tagged: Tagged, items: list[Any], rules: TagRules) -> Tagged:
    """A row for each of ``items``, and the tags that the rules leave among them."""
    if not tagged.weights.nnz:
        _limit(tagged, rules)  # says that all weights are 0
    place = {each: i for i, each in enumerate(tagged.items)}
    rows = np.array([place.get(each, -1) for each in items])
    known = np.flatnonzero(rows >= 0)
    picker = sparse.csr_array(
        (np.ones(known.size), (known, rows[known])), shape=(len(items), len(tagged.items))
    )
    weights = sparse.csr_array(picker @ tagged.weights)
    used = np.flatnonzero(_spread(weights))
    if not used.size:
        raise InvalidInput(
            f"No item has a tag: do both tables name the items alike? The arms are called "
            f"{items[:3]} and so on, the tagged items {tagged.items[:3]}."
        )
    report = tagged.report | {
        "tagged items not among the arms": len(tagged.items) - known.size,
        "tags of no arm": len(tagged.tags) - used.size,
    }
    tags = [tagged.tags[k] for k in used]
    found = _limit(Tagged(items, tags, sparse.csr_array(weights[:, used]), report), rules)
    used = np.flatnonzero(_spread(found.weights))
    found.report["tags without an item left"] += len(found.tags) - used.size
    found.report["items without a tag"] = int((np.diff(found.weights.indptr) == 0).sum())
    found.report |= {"arms": len(items), "key-terms": used.size}
    return Tagged(
        items, [found.tags[k] for k in used], sparse.csr_array(found.weights[:, used]), found.report
    )


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


def tag_basis(weights: sparse.csr_array, d: int) -> Floats:
    """The same where each item counts alike, however many tags it has."""
    lengths = np.sqrt(weights.power(2).sum(axis=1))
    scale = sparse.diags_array(1.0 / np.where(lengths > 0, lengths, np.inf))
    return content_basis(sparse.csr_array(scale @ weights), d)


def content_features(weights: sparse.csr_array, basis: Floats) -> Floats:
    """Unit rows (n, d): items by tags in the directions of the basis.

    An item that has nothing in these directions gets zeros.
    """
    lengths = np.sqrt(weights.power(2).sum(axis=1))
    return unit_rows(without_noise(np.asarray(weights @ basis), lengths))
