"""Key-terms made from features: groups of arms that are near each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.checked import Id
from conlinucb.catalog.group_names import group_names
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics import groups
from conlinucb.numerics.validation import Floats, Indices, whole

if TYPE_CHECKING:
    from conlinucb.catalog.catalog import Catalog

METHODS = ("kmeans", "agglomerative")
MANY = 5_000
"""Above so many arms Ward's tree, whose work grows with their square, is made of ..."""
FEWER = 1_000
"""... so many groups of k-means."""


LEAST, MOST = 2, 40
"""Groups where nobody says how many."""


def usual_number(arms: int) -> int:
    """The root of the number of arms, within bounds: as many groups as members of each.

    >>> [usual_number(each) for each in (1, 3, 60, 1_000_000)]
    [1, 2, 8, 40]
    """
    return min(arms, max(LEAST, min(MOST, round(math.sqrt(arms)))))


def clustered(
    catalog: Catalog,
    n: Any,
    method: Any,
    names: Sequence[Id] | None,
    titles: Sequence[str] | None,
    keep: bool,
) -> Catalog:
    """What ``Catalog.with_clusters`` returns."""
    if hasattr(method, "fit_predict"):
        if n is not None:
            raise InvalidInput(f"A clusterer of your own finds its number itself; got n={n!r}.")
        members = membership(own_groups(catalog, method))
    else:
        wanted = usual_number(catalog.live_arms.size) if n is None else n
        partitions = [membership(each) for each in groups_of(catalog, listed(wanted), method)]
        members = sparse.csr_array(sparse.hstack(partitions, format="csr"))
    return with_groups(catalog, members, names, keep, titles)


def listed(given: Any) -> list[Any]:
    """One number or several, as a list."""
    several = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str)
    single = isinstance(given, np.ndarray) and given.ndim == 0
    return list(given) if several and not single else [given]


def with_groups(
    catalog: Catalog,
    members: sparse.csr_array,
    names: Sequence[Id] | None,
    keep: bool,
    titles: Sequence[str] | None = None,
) -> Catalog:
    """The same arms, with a key-term for each column of ``members`` (N, n), 1 or 0."""
    kept = catalog.term_ids if keep else ()
    if names is None:
        names = group_names(catalog, members, kept, _titles(catalog, titles))
    many = None if isinstance(names, (str, bytes)) else getattr(names, "__len__", lambda: None)()
    if many != members.shape[1]:
        raise InvalidInput(f"names must hold {members.shape[1]} names, got {names!r}.")
    parts = [catalog._weights, members] if keep else [members]
    return with_terms(catalog, sparse.hstack(parts, format="csr"), [*kept, *names])


def _titles(catalog: Catalog, given: Sequence[str] | None) -> Sequence[Id]:
    if given is None:
        return catalog.arm_ids
    if isinstance(given, str) or len(given) != len(catalog):
        raise InvalidInput(f"titles must hold one of each of {len(catalog)} arms, got {given!r}.")
    return given


def with_terms(catalog: Catalog, weights: Any, term_ids: Sequence[Id]) -> Catalog:
    """The same arms with other key-terms: features that were made of tags are so no more."""
    changed = type(catalog).__new__(type(catalog))
    changed.report, changed.basis = catalog.report, None
    changed._appended = catalog._appended
    changed._setup(catalog._arms, weights, catalog.arm_ids, term_ids, catalog._live)
    before, now = catalog.term_ids, changed.term_ids
    changed._links = catalog._links.among(len(now), now[: len(before)] == before)
    return changed


def own_features(catalog: Catalog) -> Floats:
    """What arms came with, ``scaled`` by the live ones: no constant, no popularity."""
    rows = catalog._arms[:, : catalog.d - len(catalog._appended.columns)]
    return groups.scaled(rows, catalog._live_arms)


def groups_of(catalog: Catalog, sizes: Sequence[Any], method: Any = "kmeans") -> list[Indices]:
    """For each size the group of every arm, from 0; fewer groups where fewer arms differ.

    A removed arm is where the nearest of the others is, so groups that are nested stay so.
    """
    if not isinstance(method, str) or method not in METHODS:
        raise UnknownName(
            f"No method is called {method!r}.{nearest(method, METHODS)} An object with "
            f"fit_predict(rows), such as scikit-learn's clusterers, is one, too."
        )
    live = catalog.live_arms.size
    if not sizes:
        raise InvalidInput("n must be a number of clusters or several of them, got none.")
    for each in sizes:
        if whole("n", each, low=1) > live:
            raise InvalidInput(f"n must be at most the number of arms, {live}, got {each!r}.")
    everyone, wanted = own_features(catalog), [int(each) for each in sizes]
    rows = everyone[catalog._live_arms]
    start = groups.farthest_first(rows, max(wanted))
    few = [min(each, start.size) for each in wanted]
    if method == "kmeans":
        found = {n: groups.numbered(groups.kmeans(rows, start[:n])) for n in set(few)}
    else:
        found = _by_ward(rows, set(few))
    like = _like_whom(catalog, everyone)
    return [found[each][like] for each in few]


def _by_ward(rows: Floats, sizes: set[int]) -> dict[int, Indices]:
    """Cuts of one tree, so each partition refines the coarser ones."""
    first = np.arange(len(rows))
    if len(rows) > MANY:
        first = groups.kmeans(rows, groups.farthest_first(rows, max(FEWER, *sizes)))
    merges = groups.ward(groups.means_of(rows, first, int(first.max()) + 1))
    return {n: groups.numbered(groups.cut(merges, n)[first]) for n in sizes}


def own_groups(catalog: Catalog, clusterer: Any) -> Indices:
    """The groups that an object with scikit-learn's fit_predict finds; -1 for none."""
    own = catalog._arms[catalog._live_arms, : catalog.d - len(catalog._appended.columns)]
    found = np.asarray(clusterer.fit_predict(own))
    if found.shape != (len(own),) or found.dtype.kind not in "iu":
        raise InvalidInput(
            f"fit_predict must give a whole number for each of {len(own)} arms, got {found!r}."
        )
    if (found < 0).all():
        raise InvalidInput(f"{clusterer!r} found no cluster: every arm is left out.")
    labels = np.full(found.size, -1)
    labels[found >= 0] = groups.numbered(found[found >= 0])
    everyone = np.full(len(catalog), -1)
    everyone[catalog._live_arms] = labels
    return everyone


def _like_whom(catalog: Catalog, rows: Floats) -> Indices:
    """(N,) for each arm the place among the live ones of itself or, if removed, of the nearest."""
    live = catalog._live_arms
    places = np.empty(len(rows), dtype=np.int64)
    places[live] = np.arange(live.size)
    gone = np.flatnonzero(~catalog._live)
    if gone.size:
        places[gone] = groups.nearest_centres(rows[gone], rows[live])[0]
    return places


def membership(labels: Indices) -> sparse.csr_array:
    """(N, n) with a 1 for each arm in its group; nothing for the label -1."""
    rows = np.flatnonzero(labels >= 0)
    shape = (labels.size, int(labels.max()) + 1)
    return sparse.csr_array((np.ones(rows.size), (rows, labels[rows])), shape=shape)
