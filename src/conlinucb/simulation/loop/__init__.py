"""The Numba loops of the engine: one user's rounds from first to last, outside the GIL."""
