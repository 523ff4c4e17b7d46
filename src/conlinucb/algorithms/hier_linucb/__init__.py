"""Hier-LinUCB: a round asks about a key-term or recommends an arm, and both are rewarded."""

from conlinucb.algorithms.hier_linucb.agent import HierLinUCB, hier_linucb

__all__ = ["HierLinUCB", "hier_linucb"]
