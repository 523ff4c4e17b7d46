"""ConDuel: two arms at a time, and which of them is preferred (after Yang et al., KDD 2024)."""

from conlinucb.algorithms.duel.agent import Dueling, conduel

__all__ = ["Dueling", "conduel"]
