"""Whether a round has another question: what a schedule may say beside how many at most."""

from conlinucb.agent.gates.base import GO, STOP, Gate, gate_of

__all__ = ["GO", "STOP", "Gate", "gate_of"]
