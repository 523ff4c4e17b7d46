"""``conlinucb bench``: how fast the engine is on this machine, against NumPy in the same run."""
