"""How long a start takes after many changes of a catalogue, one by one and compacted.

``python -m benchmarks.start_up [ITEMS] [EDITS]``, on a SQLite file of its own.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.service import TERMS, made_catalog
from conlinucb.service.catalogues.compaction import Compaction
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import Content
from conlinucb.service.storage import Storage, migrate


def start(storage: Storage) -> float:
    """Seconds until a process that starts now serves the catalogue."""
    began = time.perf_counter()
    catalogues = Catalogues(storage)
    catalogues.refresh()
    version = catalogues.known("bench")
    assert version is not None, catalogues.states()
    version.agent.recommend(version.agent.new_user())
    return time.perf_counter() - began


def main(items: int = 100_000, edits: int = 190) -> None:
    """Print the seconds before and after."""
    with tempfile.TemporaryDirectory() as folder:
        storage = Storage(f"sqlite:///{Path(folder) / 'start.db'}")
        migrate.upgrade(storage.database)
        catalogues = Catalogues(storage)
        catalogues.opened = True
        catalogues.replace("bench", Content(made_catalog(items)))
        print(f"{items:,} items, no edits: {start(storage):.1f} s", flush=True)
        for number in range(edits):
            tags = {f"term {number % TERMS}": 1.0, f"term {(7 * number + 1) % TERMS}": 0.5}
            features = catalogues.serving("bench").catalog.arms[number].tolist()
            new = {"id": f"new {number}", "tags": tags, "features": features}
            catalogues.add("bench", [new])
        print(f"{edits} edits, one by one: {start(storage):.1f} s", flush=True)
        began = time.perf_counter()
        Compaction(storage, catalogues, 24).step()
        print(f"compacted in {time.perf_counter() - began:.1f} s", flush=True)
        print(f"{edits} edits, compacted: {start(storage):.1f} s", flush=True)
        storage.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
