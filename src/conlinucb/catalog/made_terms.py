"""Key-terms that are made for a catalogue, and their graph: methods of ``Catalog``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from conlinucb.catalog import graph
from conlinucb.catalog.checked import Id
from conlinucb.errors import InvalidInput

if TYPE_CHECKING:
    from conlinucb.catalog.catalog import Catalog
    from conlinucb.catalog.tree import Tree


class MadeTerms:
    """The methods of ``Catalog`` that make key-terms from features, and a graph of them."""

    _links = graph.Links()

    def with_clusters(
        self,
        n: int | Sequence[int] | None = None,
        *,
        method: Any = "kmeans",
        names: Sequence[Id] | None = None,
        titles: Sequence[str] | None = None,
        keep: bool = False,
    ) -> Catalog:
        """The same arms, with n groups of near ones as key-terms: from features, without tags.

        Without n there are as many groups as the root of the number of arms, from 2 to 40.

        ``method`` is "kmeans" (from a start of rows far apart, at most 300 steps), "agglomerative"
        (Ward's) or an object with scikit-learn's ``fit_predict``, which finds n itself. No chance
        is in the first two. Where fewer than n arms differ there are fewer groups. With several n
        there is a partition for each, one after the other. ``names`` are found from the members'
        tags or ``titles`` (default: ids); ``keep`` has the groups beside the key-terms there are.

        >>> from conlinucb import Catalog
        >>> rows = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]]
        >>> items = ["Heat", "Ronin", "Alien", "Alien 3"]
        >>> Catalog.from_embeddings(rows, items).with_clusters(2).term_ids
        ('Heat, Ronin', 'alien')
        """
        from conlinucb.catalog.clusters import clustered

        return clustered(cast("Catalog", self), n, method, names, titles, keep)

    def with_tree(
        self,
        levels: Sequence[int] | None = None,
        *,
        method: str = "agglomerative",
        names: Sequence[Id] | None = None,
    ) -> Catalog:
        """The same arms, with the nodes of a tree as key-terms, from broad to narrow.

        ``levels`` are the numbers of nodes at depth 1, 2, ... (default: 5, 25 and 125, as far as
        there are arms): cuts of Ward's tree or, with "kmeans", groups of arms, groups of those
        groups' means, and so on upwards. A node that would be the same as its parent is left out.

        >>> from conlinucb import Catalog
        >>> catalog = Catalog([[0.0], [1.0], [8.0], [9.0]]).with_tree([2, 4])
        >>> catalog.tree
        Tree(6 nodes, by depth [2, 4], 4 leaves)
        >>> catalog.tree.children(0), catalog.tree.members(0)
        (array([2, 3]), array([0, 1]))
        """
        from conlinucb.catalog import tree

        return tree.with_tree(cast("Catalog", self), levels, method, names)

    @cached_property
    def tree(self) -> Tree:
        """The tree that the key-terms are, where each has all arms of another or none of them."""
        from conlinucb.catalog import tree

        return tree.tree_of(cast("Catalog", self))

    def with_graph(
        self, edges: Any = None, *, hops: int | None = None, g: float | None = None
    ) -> Catalog:
        """The same catalogue with this graph of its key-terms, along which answers may spread.

        ``edges`` are your own: a matrix (K, K), sparse or dense, of weights from 0 to 1, both ways
        the same; or a list of (term, term, weight), by index or id, or a table with columns term,
        other and perhaps weight, where one row is an edge both ways. Without a weight it is 1;
        an edge of a key-term to itself is left out, since an answer teaches that anyway. They stay
        whatever arms come and go.

        Without ``edges`` key-terms that share arms are alike: A = (1 - g) S_T + g S_C, where S_T is
        Tanimoto's coefficient of the walks of up to ``hops`` (1) steps between them, S_C the cosine
        of their features, and ``g`` 0.5. Like the features this follows the arms, unless they come
        or go with ``keep_terms``.

        >>> from conlinucb import Catalog
        >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]], [[1, 0], [0, 1]], term_ids=["jazz", "folk"])
        >>> catalog.with_graph([("jazz", "folk", 0.3)]).term_graph.weights.toarray()
        array([[0. , 0.3],
               [0.3, 0. ]])
        """
        from conlinucb.catalog import edges as own

        catalog = cast("Catalog", self)
        if edges is None:
            usual = graph.HOPS if hops is None else hops, graph.G if g is None else g
            return catalog._linked(graph.ruled(*usual))
        if hops is not None or g is not None:
            raise InvalidInput(
                f"hops and g make a graph from arms; got hops={hops!r} and g={g!r} beside edges."
            )
        return catalog._linked(graph.Links(edges=own.edges_of(catalog, edges), said=True))

    @cached_property
    def term_graph(self) -> graph.TermGraph:
        """Which key-terms are alike: as ``with_graph`` said, or by the arms they share."""
        return self._links.of(cast("Catalog", self))
