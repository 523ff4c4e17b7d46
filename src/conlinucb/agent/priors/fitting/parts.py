"""Where feedback lies: in memory, or in parts that are read again for every pass."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from conlinucb.agent.priors.fitting.events import Events, nobody
from conlinucb.agent.priors.fitting.table import Reader
from conlinucb.errors import InvalidInput, MissingExtra, nearest

Result = TypeVar("Result")


class Part(Protocol):
    """Some people, with all of their events."""

    @property
    def name(self) -> str:
        """What errors call it."""
        ...

    def events(self) -> Events:
        """Read them."""
        ...


@dataclass(frozen=True, eq=False)
class Held:
    """Events in memory."""

    held: Events
    name: str = ""

    def events(self) -> Events:
        """What is held."""
        return self.held


@dataclass(frozen=True, eq=False)
class Stored:
    """A file, read anew each time."""

    reader: Reader
    path: Path

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def events(self) -> Events:
        """Read, check and group the file."""
        return self.reader.events(self.path, self.name)


def parts_of(feedback: Any, reader: Reader) -> list[Part]:
    """A folder's parquet files in order of their names; anything else is one part in memory."""
    if feedback is None:
        return [Held(nobody())]
    if isinstance(feedback, (str, Path)) and Path(feedback).is_dir():
        found = sorted(Path(feedback).glob("*.parquet"))
        if not found:
            raise InvalidInput(f"The folder {feedback} holds no .parquet files.")
        return [Stored(reader, path) for path in found]
    return [Held(reader.events(feedback))]


Spread = Callable[[Callable[[Part], Result], Iterable[Part]], Iterable[Result]]
"""Applies a function to every part and hands back the results in the order of the parts."""


def spread_of(given: Any) -> Spread[Any]:
    """One part after the other here, on Ray, or the caller's own function."""
    if callable(given):
        return given
    if given not in ("threads", "ray"):
        raise InvalidInput(
            f"executor must be 'threads', 'ray' or a function like map, got {given!r}."
            f"{nearest(given, ('threads', 'ray'))}"
        )
    return map if given == "threads" else over_ray


def over_ray(function: Callable[[Part], Result], parts: Iterable[Part]) -> Iterator[Result]:
    """One task for each part on a Ray cluster, or on a local one if none is running."""
    try:
        import ray
    except ImportError:
        raise MissingExtra("ray", "the executor 'ray'") from None
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    # As bytes: arrays in Ray's shared memory are read-only, which kernels do not take.
    packed: Callable[[Any], bytes] = ray.cloudpickle.dumps
    shared = ray.put(packed(function))
    task = ray.remote(num_cpus=1, max_retries=-1)(_apply)
    running = deque(task.remote(shared, packed(part)) for part in parts)
    try:
        while running:
            found = ray.get(running[0])
            running.popleft()  # to cancel what is done can end this process
            yield found
    finally:
        for each in running:
            ray.cancel(each, force=False)


def _apply(function: bytes, part: bytes) -> Any:
    return pickle.loads(function)(pickle.loads(part))  # from our own driver, by Ray
