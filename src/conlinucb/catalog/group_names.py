"""Names for groups of arms, found from what their members have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.checked import Id
from conlinucb.numerics.groups import scaled
from conlinucb.numerics.validation import Floats, Indices

if TYPE_CHECKING:
    from conlinucb.catalog.catalog import Catalog

WORDS = 2
"""Words in a name, unless more are needed to tell it from another."""
MOST_WORDS = 4
WORD = re.compile(r"[^\W\d_]{3,}")
SHARED = 0.25
"""A word stands for a group if such a share of its titles has it: else it is there by accident."""
COMMON = frozenset(
    (
        *("the", "and", "for", "with", "from", "that", "this", "are", "was", "not", "you", "your"),
        *("his", "her", "its", "our", "their", "all", "one", "two", "out", "der", "die", "das"),
        *("und", "ein", "eine", "les", "des", "une", "los", "las", "del"),
    )
)
"""Words that say nothing about what is in a title."""


def group_names(
    catalog: Catalog, groups: sparse.csr_array, taken: Iterable[Id], titles: Sequence[Id]
) -> tuple[str, ...]:
    """A name for each column of ``groups`` (N, n), all different, and none of them ``taken``.

    The two tags that set its members apart most: the largest p log(p / q), p the share of members
    that have the tag and q that of all arms. Without tags the same of the words that a quarter of
    the titles share, else the titles of its most central members, else "group 1", ...
    """
    used = {str(each) for each in taken}
    tables = ((_tags(catalog), 0.0), (_title_words(titles), SHARED))
    ranked: list[list[str]] = [[] for _ in range(groups.shape[1])]
    for table, least in tables:
        named = [] if table is None else _characteristic(groups, *table, least)
        for k, found in enumerate(named):
            ranked[k] = ranked[k] or found
    central = _central(catalog, groups, titles) if any(not each for each in ranked) else None
    result = []
    for k, found in enumerate(ranked):
        words = found or ([] if central is None else central[k])
        result.append(_unused(words, k, used))
        used.add(result[-1])
    return tuple(result)


def _unused(words: Sequence[str], k: int, used: set[str]) -> str:
    """As few words as tell it apart, two at least; else with a number."""
    for many in range(min(WORDS, len(words)), len(words) + 1):
        name = ", ".join(words[:many])
        if name and name not in used:
            return name
    name = ", ".join(words[:WORDS])
    numbers: Iterable[int] = range(2, len(used) + 3)
    tries = (
        [f"{name} ({i})" for i in numbers] if name else [f"group {k + i}" for i in (1, *numbers)]
    )
    return next(each for each in tries if each not in used)


def _tags(catalog: Catalog) -> tuple[list[str], sparse.csr_array] | None:
    if not catalog.term_ids or not all(isinstance(each, str) for each in catalog.term_ids):
        return None
    return [str(each) for each in catalog.term_ids], sparse.csr_array(catalog._weights > 0)


def _title_words(titles: Sequence[Id]) -> tuple[list[str], sparse.csr_array] | None:
    """Which arm's title has which word; only words that two titles share."""
    if not any(isinstance(each, str) for each in titles):
        return None
    known: dict[str, int] = {}
    rows, columns = [], []
    for arm, title in enumerate(titles):
        found = {each.casefold() for each in WORD.findall(str(title))} - COMMON
        for word in sorted(found):
            rows.append(arm)
            columns.append(known.setdefault(word, len(known)))
    shape = (len(titles), len(known))
    has = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    shared = np.flatnonzero(np.asarray(has.sum(axis=0)).ravel() >= 2)
    names = list(known)
    return ([names[each] for each in shared], has[:, shared]) if shared.size else None


def _characteristic(
    groups: sparse.csr_array, names: list[str], has: Any, least: float
) -> list[list[str]]:
    """For each group its tags, the most characteristic first; a tag of one member is none, nor is
    one that less than the share ``least`` of them has."""
    both = sparse.csr_array(groups.T.astype(np.float64) @ has.astype(np.float64))
    sizes = np.asarray(groups.sum(axis=0)).ravel()
    overall = np.asarray(has.sum(axis=0)).ravel() / groups.shape[0]
    result = []
    for k in range(groups.shape[1]):
        of = slice(both.indptr[k], both.indptr[k + 1])
        tags, counts = both.indices[of], both.data[of]
        keep = ((counts >= 2) | (sizes[k] <= 3)) & (counts >= least * sizes[k])
        tags, share = tags[keep], counts[keep] / sizes[k]
        scores = share * np.log(share / overall[tags])
        order = np.lexsort((tags, -np.round(scores, 9)))[:MOST_WORDS]
        result.append([names[tags[i]] for i in order if scores[i] > 0])
    return result


def _central(catalog: Catalog, groups: sparse.csr_array, titles: Sequence[Id]) -> list[list[str]]:
    """The titles of each group's two most central members; nothing where ids are numbers."""
    if not any(isinstance(each, str) for each in titles):
        return [[] for _ in range(groups.shape[1])]
    columns = sparse.csc_array(groups)
    return [
        [str(titles[arm]) for arm in _middle(catalog._arms, members)]
        for members in np.split(columns.indices, columns.indptr[1:-1])
    ]


def _middle(arms: Floats, members: Indices) -> Indices:
    apart = scaled(arms[members])
    squares = np.einsum("nd,nd->n", apart, apart)
    return np.asarray(members[np.lexsort((members, np.round(squares, 9)))[:WORDS]])
