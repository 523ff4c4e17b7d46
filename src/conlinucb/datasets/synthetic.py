"""The paper's synthetic data, of any size."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from conlinucb.catalog.catalog import Catalog
from conlinucb.datasets.dataset import Dataset
from conlinucb.errors import UnknownName, nearest
from conlinucb.numerics.svd import unit_rows
from conlinucb.numerics.validation import Indices, seed_of, whole

GRAPHS = ("sparse", "dense")


def synthetic(
    *,
    arms: int = 5000,
    terms: int = 500,
    users: int = 200,
    d: int = 50,
    graph: Literal["sparse", "dense"] = "sparse",
    normalized: bool = True,
    seed: int = 0,
) -> Dataset:
    """Unit arms and normal tastes, with a random graph between arms and key-terms.

    ``sparse`` (as the paper says): each key-term gets 1 to 10 arms, so many arms have none.
    ``dense`` (as the authors' code does): that, and each arm gets 1 to 10 key-terms as well.
    Every arm's key-terms weigh the same. ``normalized`` gives tastes of length 1 (the paper);
    without it they have length about sqrt(d) (the authors' code).

    >>> data = synthetic(arms=100, terms=20, users=3, d=5, seed=1)
    >>> data.catalog.arms.shape, data.thetas.shape
    ((100, 5), (3, 5))
    """
    sizes = {"arms": arms, "terms": terms, "users": users, "d": d}
    arms, terms, users, d = (whole(name, value, low=1) for name, value in sizes.items())
    if graph not in GRAPHS:
        raise UnknownName(f"No graph is called {graph!r}.{nearest(graph, GRAPHS)}")
    # One stream for each part, so that changing one size leaves the other parts as they are.
    streams = np.random.SeedSequence(int(seed_of(seed))).spawn(3)
    features, tastes, links = (np.random.Generator(np.random.PCG64(each)) for each in streams)
    thetas = tastes.standard_normal((users, d))
    if normalized:
        thetas = unit_rows(thetas)
    weights = _weights(links, arms, terms, dense=graph == "dense")
    catalog = Catalog(unit_rows(features.standard_normal((arms, d))), weights)
    counts = {"users": users, "arms": arms, "key-terms": terms}
    return Dataset("synthetic", catalog, thetas, counts, tuple(range(users)))


def _weights(rng: np.random.Generator, arms: int, terms: int, *, dense: bool) -> sparse.csr_array:
    pairs = [_links(rng, terms, arms)[:, ::-1]]
    if dense:
        pairs.append(_links(rng, arms, terms))
    linked = np.unique(np.concatenate(pairs), axis=0)
    weights = sparse.csr_array((np.ones(len(linked)), tuple(linked.T)), shape=(arms, terms))
    return equal_weights(weights)


def _links(rng: np.random.Generator, sources: int, targets: int) -> Indices:
    """(source, target) pairs: 1 to 10 different targets for each source."""
    counts = np.minimum(rng.integers(1, 11, size=sources), targets)
    chosen = [rng.choice(targets, size=n, replace=False) for n in counts]
    return np.column_stack([np.repeat(np.arange(sources), counts), np.concatenate(chosen)])


def equal_weights(member: sparse.csr_array) -> sparse.csr_array:
    """w[a,k] = 1 / n_a for the n_a key-terms of arm a."""
    counts = np.diff(member.indptr)
    return sparse.csr_array(
        (np.repeat(1.0 / np.maximum(counts, 1), counts), member.indices, member.indptr),
        shape=member.shape,
    )
