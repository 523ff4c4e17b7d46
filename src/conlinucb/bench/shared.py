"""How fast agents are whose people share: each repeat is one unit, visit by visit."""

from __future__ import annotations

from collections.abc import Callable

from conlinucb.agent.agent import Agent
from conlinucb.agent.recipes import conlinucb, conucb
from conlinucb.agent.sharing import Clusters, Groups, KMeans
from conlinucb.bench.problem import Setting

GROUPS = 10


def _known(setting: Setting) -> list[int]:
    return [person % GROUPS for person in range(setting.users)]


SHARED: dict[str, Callable[[Setting], Agent]] = {
    "ConUCB, clusters": lambda it: conucb(it.catalog, sharing=Clusters(a=1.0)),
    "ConUCB, k-means": lambda it: conucb(it.catalog, sharing=KMeans(GROUPS)),
    "MCR, groups": lambda it: conlinucb(it.catalog, sharing=Groups(_known(it))),
    "MCR, answers of all": lambda it: conlinucb(
        it.catalog, sharing=Groups(_known(it), what="answers")
    ),
}
"""By what is printed; the parameters are of no matter to the time."""
