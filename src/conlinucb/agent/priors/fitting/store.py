"""How far a fit has come, on disk: the same call goes on from there."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb import atomic
from conlinucb.agent.priors.fitting.em import Climb
from conlinucb.agent.priors.fitting.sums import Belief
from conlinucb.errors import IncompatibleState, InvalidInput

_DAMAGE = (LookupError, ValueError, TypeError, EOFError, OSError, zipfile.BadZipFile)


@dataclass
class Store:
    """Each stage's climb, written whole after each round. Without a path nothing is written."""

    path: Path | None
    call: dict[str, Any]
    """What names the fit: another call's store is refused."""
    climbs: dict[str, Climb] = field(default_factory=dict)

    def read(self) -> None:
        """What an earlier run of the same call left here, if it left anything."""
        if self.path is not None and not self.path.parent.is_dir():
            raise InvalidInput(f"There is no folder {self.path.parent} for the store {self.path}.")
        if self.path is None or not self.path.exists():
            return
        try:
            with np.load(io.BytesIO(self.path.read_bytes()), allow_pickle=False) as stored:
                found = json.loads(stored["call"].tobytes())
                self.climbs = {
                    name: _climb(stored, name) for name in json.loads(stored["stages"].tobytes())
                }
        except _DAMAGE as error:
            raise IncompatibleState(f"{self.path} is not a store of a fit: {error}") from error
        self._refuse_others(found)

    def _refuse_others(self, found: dict[str, Any]) -> None:
        call = json.loads(json.dumps(self.call))
        other = [name for name in {**found, **call} if found.get(name) != call.get(name)]
        if other:
            raise InvalidInput(
                f"{self.path} is the store of another fit; it differs in {', '.join(other)}. "
                f"Take another path, or delete it."
            )

    def note(self, stage: str, climb: Climb) -> None:
        """Keep where the stage is now."""
        self.climbs[stage] = climb
        if self.path is None:
            return
        arrays = {"call": _text(self.call), "stages": _text(list(self.climbs))}
        for name, each in self.climbs.items():
            arrays |= _arrays(name, each)
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **arrays)
        atomic.write(self.path, file.getvalue())


def _text(value: Any) -> np.ndarray:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _arrays(stage: str, climb: Climb) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for which, belief in (("belief", climb.belief), ("before", climb.before)):
        found |= {f"{stage} {which} {name}": each for name, each in belief._asdict().items()}
    found[f"{stage} rounds"] = climb.rounds
    found[f"{stage} likelihoods"] = climb.likelihoods
    found[f"{stage} converged"] = climb.converged
    return found


def _climb(stored: Any, stage: str) -> Climb:
    belief, before = (
        Belief(
            stored[f"{stage} {which} mean"],
            stored[f"{stage} {which} covariance"],
            float(stored[f"{stage} {which} noise"]),
            stored[f"{stage} {which} scales"],
        )
        for which in ("belief", "before")
    )
    likelihoods = tuple(float(each) for each in stored[f"{stage} likelihoods"])
    converged = bool(stored[f"{stage} converged"])
    return Climb(belief, before, int(stored[f"{stage} rounds"]), likelihoods, converged)
