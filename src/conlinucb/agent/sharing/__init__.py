"""Who learns together: groups that are known, found or told apart as people come."""

from collections.abc import Callable

from conlinucb.agent.sharing.base import Sharing, checked_sharing
from conlinucb.agent.sharing.clusters import Clusters
from conlinucb.agent.sharing.company import Belief, Company, Group
from conlinucb.agent.sharing.groups import Groups
from conlinucb.agent.sharing.kmeans import KMeans

SHARING: dict[str, Callable[..., Sharing]] = {
    "clusters": Clusters,
    "k-means": KMeans,
    "groups": Groups,
}
"""By name, for plain values."""

__all__ = [
    "SHARING",
    "Belief",
    "Clusters",
    "Company",
    "Group",
    "Groups",
    "KMeans",
    "Sharing",
    "checked_sharing",
]
