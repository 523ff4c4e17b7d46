"""A small comparison of one's own, whose agents are called like the paper's."""

from __future__ import annotations

from pathlib import Path

import conlinucb as cl

TOML = """
title = "Which question is best?"
rounds = 12
repeats = 2
seed = 7
baseline = "ConUCB"

[data]
tags = "tags.csv"
item = "dish"

[people]
users = 4
pool_size = 5
noise = 0.2
term_noise = 0.3
refuses = 0.25

[agents.ConUCB]
recipe = "conucb"
[agents.MCR]
recipe = "conlinucb"
alpha = { delta = 0.05 }
schedule = { name = "every", n = 3 }
[agents."My <UCB>"]
recipe = "linucb"
prior = "people.npz"
"""


def write_comparison(folder: Path, toml: str = TOML) -> Path:
    """Two files beside the comparison's: a table of tags, and a population."""
    names = ("sweet", "hot", "quick", "green", "cold")
    rows = [f"dish {i},{names[(i * k) % 5]}" for i in range(20) for k in (1, 2)]
    (folder / "tags.csv").write_text("dish,tag\n" + "\n".join(rows) + "\n")
    catalog = cl.Catalog.from_tags(folder / "tags.csv", item="dish")
    log = {"person": [1, 1, 2], "id": ["dish 1", "dish 2", "dish 1"], "value": [0.9, 0.1, 0.8]}
    cl.Population.fit(catalog, log).save(folder / "people.npz")
    path = folder / "dishes.toml"
    path.write_text(toml, encoding="utf-8")
    return path
