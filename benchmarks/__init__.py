"""Benchmarks that need a server, a browser or minutes of memory; run from the repository."""
