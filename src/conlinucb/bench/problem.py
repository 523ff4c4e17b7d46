"""The problem that speed is measured on: the paper's synthetic sizes, or any other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from conlinucb.agent.agent import Agent
from conlinucb.agent.recipes import arm_con, conlinucb, conucb, linucb
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats
from conlinucb.people.linear import LinearUsers


@dataclass(frozen=True)
class Setting:
    """A random catalogue of unit arms and people with normal tastes."""

    d: int = 50
    pool: int = 50
    arms: int = 5000
    terms: int = 500
    users: int = 200

    @cached_property
    def catalog(self) -> Catalog:
        """Unit arms; every term has up to 60 of them."""
        rng = np.random.default_rng(0)
        arms = rng.normal(size=(self.arms, self.d))
        arms /= np.linalg.norm(arms, axis=1, keepdims=True)
        of_term = np.repeat(np.arange(self.terms), 60)
        members = rng.integers(self.arms, size=of_term.size)
        weights = sparse.csr_array((np.ones(of_term.size), (members, of_term)))
        weights.resize((self.arms, self.terms))
        return Catalog(arms, weights)

    @cached_property
    def thetas(self) -> Floats:
        """Tastes, (users, d)."""
        return np.random.default_rng(1).normal(size=(self.users, self.d))

    @property
    def people(self) -> LinearUsers:
        """All people, with pools of this setting's size."""
        return LinearUsers(self.thetas, pool_size=self.pool)

    def agent(self, algorithm: str) -> Agent:
        """One of ``ALGORITHMS`` with the constants of the authors' synthetic experiment."""
        build = {
            "LinUCB": lambda: linucb(self.catalog, beta=1.2, alpha=0.5),
            "Arm-Con": lambda: arm_con(self.catalog, beta=1.2, alpha=0.5),
            "ConUCB": lambda: conucb(self.catalog),
            "UCB": lambda: conlinucb(self.catalog, strategy="ucb", beta=0.2, alpha=0.1),
            "BS": lambda: conlinucb(self.catalog, strategy="spanner", beta=0.15, alpha=0.1),
            "MCR": lambda: conlinucb(self.catalog, strategy="max-radius", beta=0.15, alpha=0.1),
        }
        return build[algorithm]()


ALGORITHMS = ("LinUCB", "Arm-Con", "ConUCB", "UCB", "BS", "MCR")
