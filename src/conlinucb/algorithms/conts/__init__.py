"""ConTS: a turn asks about a key-term or recommends, whichever a drawn taste likes best."""

from conlinucb.algorithms.conts.agent import ConTS, conts

__all__ = ["ConTS", "conts"]
