"""How long a catalogue takes to read from a large table, and how much memory at most."""

from __future__ import annotations

import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from conlinucb.catalog.catalog import Catalog


def measure_tables(
    items: int = 1_000_000, tags_per_item: int = 20, tags: int = 5000, d: int = 50
) -> dict[str, float]:
    """Seconds and peak memory of building a table of tags and of ``Catalog.from_tags``.

    Measured in a process of its own; a peak is what that process has held at most until then.
    """
    sizes = {"items": items, "tags_per_item": tags_per_item, "tags": tags, "d": d}
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=fresh) as pool:
        return sizes | pool.submit(_measure, items, tags_per_item, tags, d).result()


def tag_table(items: int, tags_per_item: int, tags: int, seed: int = 0) -> Any:
    """A pyarrow table of int32 items and tags; the k-th tag is drawn in proportion to 1 / k."""
    import pyarrow as pa

    share = np.cumsum(1.0 / np.arange(1, tags + 1))
    drawn = np.random.default_rng(seed).random(items * tags_per_item) * share[-1]
    tag = np.minimum(np.searchsorted(share, drawn), tags - 1).astype(np.int32)
    item = np.repeat(np.arange(items, dtype=np.int32), tags_per_item)
    return pa.table({"item": item, "tag": tag})


def _measure(items: int, tags_per_item: int, tags: int, d: int) -> dict[str, float]:
    found = {"start_gigabytes": _peak()}
    start = time.perf_counter()
    table = tag_table(items, tags_per_item, tags)
    found |= {"table_seconds": time.perf_counter() - start, "table_gigabytes": _peak()}
    start = time.perf_counter()
    catalog = Catalog.from_tags(table, d=d)
    found |= {"from_tags_seconds": time.perf_counter() - start, "from_tags_gigabytes": _peak()}
    return found | {"arms": len(catalog), "key_terms": len(catalog.term_ids)}


def _peak() -> float:
    """Most memory this process has held, in GB; macOS counts bytes, Linux kilobytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def main() -> None:
    """Print every figure on a line of its own."""
    for name, value in measure_tables().items():
        print(f"{name:20} {value:,.2f}" if isinstance(value, float) else f"{name:20} {value:,}")


if __name__ == "__main__":
    main()
