"""This checkout against another one, in turns on the same machine: ``python -m benchmarks.against
FOLDER``, where FOLDER is a checkout of another commit. Seconds are of the processor, on one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parents[1]
TURNS = 4
USERS, ROUNDS = 100, 1000
# Only what both checkouts have.
SCRIPT = """
import json, time
import conlinucb as cl
data = cl.datasets.synthetic(seed=0)
catalog, people = data.catalog, cl.LinearUsers(data.thetas[:{users}], pool_size=50)
b = cl.Logarithmic(5)
agents = {{
    "LinUCB": cl.linucb(catalog, beta=1.2, alpha=0.5),
    "Arm-Con": cl.arm_con(catalog, beta=1.2, alpha=0.5, schedule=b),
    "ConUCB": cl.conucb(catalog, schedule=b),
    "UCB": cl.conlinucb(catalog, strategy="ucb", beta=0.2, alpha=0.1, schedule=b),
    "BS": cl.conlinucb(catalog, strategy="spanner", beta=0.15, alpha=0.1, schedule=b),
    "MCR": cl.conlinucb(catalog, strategy="max-radius", beta=0.15, alpha=0.1, schedule=b),
}}
def seconds(some):
    start = time.process_time()
    cl.simulate(some, people, rounds={rounds}, threads=1, progress=False)
    return (time.process_time() - start) / len(some)
seconds(agents)
runs = {{**{{name: {{name: agent}} for name, agent in agents.items()}}, "all six at once": agents}}
print(json.dumps({{name: min(seconds(some) for _ in range(2)) for name, some in runs.items()}}))
"""


def measured(checkout: Path) -> dict[str, float]:
    """Microseconds a user-round of each algorithm, as this checkout plays it."""
    script = SCRIPT.format(users=USERS, rounds=ROUNDS)
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {name: value / (USERS * ROUNDS) * 1e6 for name, value in found.items()}


def compared(other: Path) -> Iterator[str]:
    """A line for each algorithm: here, there, and how many times as fast here is."""
    turns = [(measured(HERE), measured(other)) for _ in range(TURNS)]
    for name in turns[0][0]:
        here, there = (min(turn[i][name] for turn in turns) for i in (0, 1))
        ratios = sorted(turn[1][name] / turn[0][name] for turn in turns)
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        yield (
            f"{name:16s} here {here:6.2f} us a round, there {there:6.2f}: {there / here:.2f} times "
            f"as fast (turn by turn {spread})"
        )


if __name__ == "__main__":
    for line in compared(Path(sys.argv[1])):
        print(line)
