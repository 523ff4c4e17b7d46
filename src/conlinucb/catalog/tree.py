"""Key-terms from broad to narrow: a tree of groups of arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.checked import Id
from conlinucb.catalog.clusters import groups_of, listed, membership, own_features, with_groups
from conlinucb.errors import InvalidInput
from conlinucb.numerics import groups
from conlinucb.numerics.validation import Indices, whole

if TYPE_CHECKING:
    from conlinucb.catalog.catalog import Catalog

LEVELS = (5, 25, 125)
"""Nodes of each depth unless told otherwise, as far as there are arms for them."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Key-terms of which each is inside at most one smallest other; nodes are key-term indices.

    >>> from conlinucb import Catalog
    >>> arms, weights = [[1.0], [2.0], [9.0]], [[1, 1], [1, 0], [1, 0]]
    >>> tree = Catalog(arms, weights, term_ids=["all", "first"]).tree
    >>> tree.parent, tree.depth, tree.children(0), tree.members(0)
    (array([-1,  0]), array([1, 2]), array([1]), array([0, 1, 2]))
    """

    parent: Indices
    """(K,) the smallest key-term that has all of a key-term's arms; -1 for none."""
    depth: Indices
    """(K,) from 1."""
    has: sparse.csc_array
    """(N, K) which arm is in which node."""
    node: Indices
    """(N,) the deepest node that an arm is in; -1 for none."""

    @property
    def roots(self) -> Indices:
        """The broadest nodes."""
        return np.flatnonzero(self.parent < 0)

    @property
    def leaves(self) -> Indices:
        """Nodes that have no children."""
        return np.setdiff1d(np.arange(self.parent.size), self.parent)

    def children(self, node: int) -> Indices:
        """The nodes below a node."""
        return np.flatnonzero(self.parent == _place("node", node, self.parent.size))

    def members(self, node: int) -> Indices:
        """The arms of a node, removed ones included."""
        at = _place("node", node, self.parent.size)
        found = self.has.indices[self.has.indptr[at] : self.has.indptr[at + 1]]
        return np.sort(found).astype(np.int64)

    def path(self, arm: int) -> list[int]:
        """The nodes that an arm is in, from broad to narrow."""
        found, node = [], int(self.node[_place("arm", arm, self.node.size)])
        while node >= 0:
            found.append(node)
            node = int(self.parent[node])
        return found[::-1]

    def __repr__(self) -> str:
        depths = np.bincount(self.depth)[1:].tolist()
        return f"Tree({self.parent.size} nodes, by depth {depths}, {self.leaves.size} leaves)"


def _place(what: str, given: int, size: int) -> int:
    if whole(what, given) >= size:
        raise InvalidInput(f"{what} must be an index from 0 to {size - 1}, got {given!r}.")
    return int(given)


def tree_of(catalog: Catalog) -> Tree:
    """The tree that a catalogue's key-terms are, refused where two overlap in part."""
    has = sparse.csc_array(catalog._weights > 0).astype(np.float64)
    if not has.shape[1]:
        raise InvalidInput("A catalogue without key-terms is no tree: see with_tree.")
    sizes = np.asarray(has.sum(axis=0)).ravel()
    shared = sparse.coo_array(has.T @ has)
    one, other = shared.coords
    partly = shared.data < np.minimum(sizes[one], sizes[other])
    if partly.any():
        first, second = (catalog.term_ids[each[partly][0]] for each in (one, other))
        raise InvalidInput(
            f"Key-terms are a tree where of any two one has all arms of the other or none; "
            f"{first!r} and {second!r} share some. See with_tree."
        )
    order = np.lexsort((np.arange(sizes.size), -sizes))  # of two alike the first is the broader
    rank = np.empty(sizes.size, dtype=np.int64)
    rank[order] = np.arange(sizes.size)
    parent = np.full(sizes.size, -1)
    above = rank[other] < rank[one]
    nearest = np.full(sizes.size, -1)
    np.maximum.at(nearest, one[above], rank[other[above]])
    parent[nearest >= 0] = order[nearest[nearest >= 0]]
    depth = np.ones(sizes.size, dtype=np.int64)
    for k in order:
        if parent[k] >= 0:
            depth[k] = depth[parent[k]] + 1
    return Tree(parent, depth, has, _deepest(has, depth))


def _deepest(has: sparse.csc_array, depth: Indices) -> Indices:
    """An arm's nodes are one path, so the one of the largest depth is the narrowest."""
    node = np.full(has.shape[0], -1)
    for k in np.argsort(depth, kind="stable"):
        node[has.indices[has.indptr[k] : has.indptr[k + 1]]] = k
    return node


def with_tree(
    catalog: Catalog, levels: Any, method: str, names: Sequence[Id] | None = None
) -> Catalog:
    """What ``Catalog.with_tree`` returns."""
    sizes = _sizes(catalog, levels)
    if isinstance(method, str) and method == "kmeans":
        partitions = _upwards(catalog, sizes, method)
    else:
        partitions = groups_of(catalog, sizes, method)
    members, seen = [], set()
    for labels in partitions:
        level = sparse.csc_array(membership(labels))
        for k in range(level.shape[1]):  # a node that has one child is that child
            arms = level.indices[level.indptr[k] : level.indptr[k + 1]].tobytes()
            if arms not in seen:
                seen.add(arms)
                members.append(level[:, [k]])
    return with_groups(catalog, sparse.csr_array(sparse.hstack(members)), names, keep=False)


def _sizes(catalog: Catalog, levels: Any) -> list[int]:
    live = catalog.live_arms.size
    if levels is None:
        return [each for each in LEVELS if each < live] or [1]
    sizes = [whole("levels", each, low=1) for each in listed(levels)]
    if not sizes or any(b <= a for a, b in pairwise(sizes)):
        raise InvalidInput(f"levels must grow, from broad to narrow, got {levels!r}.")
    if sizes[-1] > live:
        raise InvalidInput(f"levels must be at most the number of arms, {live}, got {sizes[-1]}.")
    return sizes


def _upwards(catalog: Catalog, sizes: list[int], method: str) -> list[Indices]:
    """The narrowest groups of the arms, and upwards of the means of the level below."""
    found = [groups_of(catalog, sizes[-1:], method)[0]]
    live = catalog._live_arms
    own = own_features(catalog)[live]
    for size in sizes[-2::-1]:
        below = int(found[0].max()) + 1
        means = groups.scaled(groups.means_of(own, found[0][live], below))
        above = groups.kmeans(means, groups.farthest_first(means, min(size, below)))
        found.insert(0, groups.numbered(above[found[0]]))
    return found
