"""Examples for names whose docstrings have none: what is returned, raised, or needs a server.

Every block runs in ``tests/docs/test_reference.py``, after ``START``.
"""

from __future__ import annotations

import inspect
from typing import Any

from .shown import BLOCKS, ELSEWHERE

START = """\
>>> import numpy as np
>>> import conlinucb as cl
>>> films, topics = ["Heat", "Alien", "Amelie"], ["crime", "space", "love"]
>>> catalog = cl.Catalog(np.eye(3), np.eye(3), films, topics)
"""


def example_of(name: str, value: Any, module: str = "conlinucb") -> str | None:
    """As reStructuredText; empty where its docstring has one, None where there is none at all."""
    if ">>>" in (inspect.getdoc(value) or ""):
        return ""
    for names, code in BLOCKS.items():
        if name in names.split():
            return START + code
    page = ELSEWHERE.get(name) or ELSEWHERE.get(module)
    return None if page is None else f"Runs in :doc:`{page}`."


def add_example(_: Any, what: str, name: str, value: Any, __: Any, lines: list[str]) -> None:
    """For autodoc: the example, below everything else."""
    if what not in ("class", "function", "exception"):
        return
    module, _, short = name.rpartition(".")
    text = example_of(short, value, module)
    if text:
        lines.extend(["", "Examples", "--------", *text.splitlines()])
