"""What Ray costs beside threads on one machine: ``python -m benchmarks.executors [ROUNDS]``.

Six algorithms and 200 people, twice on each executor in turns: Ray's first call starts it, and its
processes load the kernels; the second call finds them there.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from conlinucb.bench.problem import ALGORITHMS, Setting
from conlinucb.errors import InvalidInput
from conlinucb.simulation.results import Results
from conlinucb.simulation.simulate import simulate


def played(executor: str, rounds: int) -> tuple[float, Results]:
    """Seconds, and what came out."""
    setting = Setting()
    agents = {name: setting.agent(name) for name in ALGORITHMS}
    people = setting.people
    begun = time.perf_counter()
    found = simulate(
        agents, people, rounds=rounds, executor=executor, threads=2, log=rounds, progress=False
    )
    return time.perf_counter() - begun, found


def main(words: list[str]) -> None:
    """Print the seconds of each call, and whether the numbers are the same."""
    if len(words) > 1 or not all(word.isdigit() and int(word) for word in words):
        raise InvalidInput(f"Expected a number of rounds or nothing, got {' '.join(words)!r}.")
    rounds = int(words[0]) if words else 1_000
    played("threads", 2)  # compiles
    found = {}
    for turn in ("first", "second"):
        for executor in ("threads", "ray"):
            seconds, found[executor] = played(executor, rounds)
            print(f"{executor:8s}{turn:7s}{seconds:7.1f} s", flush=True)
    same = all(
        np.array_equal(found["threads"].final_regret(name), found["ray"].final_regret(name))
        for name in ALGORITHMS
    )
    print(f"six algorithms, 200 people, {rounds} rounds; same regret to the bit: {same}")


if __name__ == "__main__":
    main(sys.argv[1:])
