"""What one person, item, event and request costs, as it was measured: ``costs.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

COSTS = Path(__file__).with_name("costs.json")


@dataclass(frozen=True)
class Costs:
    """What one of each costs, at d = 50; where each was measured stands beside it in the file."""

    worker_mb: float
    """Memory of a worker before items and people."""
    item_bytes: float
    """Memory of an item in each worker."""
    item_us: float
    """What an item adds to a ``next`` over the whole catalogue."""
    item_blob_bytes: float
    """An item in a kept version of a catalogue."""
    next_ms: float
    """A ``next`` of someone at hand, before what items add."""
    request_ms: float
    """Processor of a worker for a request: the mean of next, answers and rewards."""
    database_ms: float
    """Processor of PostgreSQL for the same."""
    fold_us: float
    """An event that is folded into a state again."""
    cold_ms: float
    """What a state that is not at hand costs before its events."""
    state_bytes: float
    """A person at hand."""
    snapshot_bytes: float
    """A kept state on disk."""
    person_bytes: float
    """A person on PostgreSQL's disk, indices included."""
    event_bytes: float
    """An event on PostgreSQL's disk, indices included."""
    check_ms: float
    """A person of ten events in ``conlinucb db check``."""
    fit_us: float
    """Processor for an event of somebody of whom a population is learned."""

    @classmethod
    def load(cls, path: Path = COSTS) -> Costs:
        """Those of the repository."""
        known = json.loads(path.read_text("utf-8"))["costs"]
        return cls(**{each.name: float(known[each.name]["value"]) for each in fields(cls)})
