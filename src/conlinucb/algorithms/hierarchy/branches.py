"""A catalogue's tree as arrays that kernels walk along."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.compile import INDEX, MATRIX, tuple_type
from conlinucb.numerics.validation import Floats, Indices


class Branches(NamedTuple):
    """V nodes and, as number V, a root above them. Every arm is in one leaf."""

    features: Floats
    """(V, d) the mean of each node's arms."""
    depth: Indices
    """(V,) from 1."""
    child_start: Indices
    """(V + 2,): node v has the children children[child_start[v]:child_start[v + 1]], ascending."""
    children: Indices
    path_start: Indices
    """(N + 1,): arm a is in the nodes path[path_start[a]:path_start[a + 1]], from broad to narrow,
    of which the one in place i has depth i + 1."""
    path: Indices

    @property
    def levels(self) -> int:
        """The depth of the deepest node."""
        return int(self.depth.max())

    @property
    def digest(self) -> str:
        """A hash of who is above whom: what was counted for one tree means nothing on another."""
        whole = b"".join(each.tobytes() for each in self[1:])
        return hashlib.sha256(whole).hexdigest()[:16]


BRANCHES = tuple_type(Branches, MATRIX, INDEX, INDEX, INDEX, INDEX, INDEX)


def branches_of(catalog: Catalog) -> Branches:
    """The tree of a catalogue's key-terms.

    Arms that are in a node with children but in none of these, or in no node at all, get a leaf of
    their own below it: what is in no leaf could never be reached.

    >>> catalog = Catalog([[0.0], [2.0], [6.0]], [[1, 1], [1, 0], [0, 0]])
    >>> branches = branches_of(catalog)
    >>> branches.features.ravel(), branches.depth
    (array([1., 0., 2., 6.]), array([1, 2, 2, 1]))
    """
    tree = catalog.tree
    inner = np.unique(tree.parent[tree.parent >= 0])
    left = np.flatnonzero((tree.node < 0) | np.isin(tree.node, inner))
    above = np.unique(tree.node[left])  # -1, the root, first
    above = np.concatenate([above[above >= 0], above[above < 0]])
    known = len(tree.parent)
    node = tree.node.copy()
    for i, each in enumerate(above):
        node[left[tree.node[left] == each]] = known + i
    parent = np.concatenate([tree.parent, above])
    depth = np.concatenate([tree.depth, np.where(above >= 0, tree.depth[above], 0) + 1])
    own = [_mean(catalog, node == known + i) for i in range(above.size)]
    features = np.ascontiguousarray(np.vstack([catalog._terms, *own]))
    return Branches(features, depth, *_children(parent), *_paths(parent, node))


def _mean(catalog: Catalog, members: Indices) -> Floats:
    """Of the arms that are there; of all where none is."""
    there = members & catalog._live
    return np.asarray(catalog._arms[there if there.any() else members].mean(axis=0))


def _children(parent: Indices) -> tuple[Indices, Indices]:
    of = np.where(parent < 0, parent.size, parent)  # the root's number
    counts = np.bincount(of, minlength=parent.size + 1)
    return np.concatenate([[0], np.cumsum(counts)]), np.argsort(of, kind="stable")


def _paths(parent: Indices, node: Indices) -> tuple[Indices, Indices]:
    found = []
    for each in node.tolist():
        path = []
        while each >= 0:
            path.append(each)
            each = int(parent[each])
        found.append(path[::-1])
    start = np.concatenate([[0], np.cumsum([len(each) for each in found])])
    return start, np.array([each for path in found for each in path], dtype=np.int64)
