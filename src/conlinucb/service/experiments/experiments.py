"""Experiments: started, followed by every process, ended, their agents promoted or taken back."""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conlinucb.errors import ConlinucbError, Damaged, StorageError, nearest
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.experiments.assignment import arm_of
from conlinucb.service.problems import Problem
from conlinucb.service.schemas.experiments import ArmBody, ExperimentBody
from conlinucb.service.settings import AskAbout
from conlinucb.service.storage import Storage, StoredExperiment, Taken

logger = logging.getLogger("conlinucb.service")
FOLLOW = 0.5
"""Seconds until a process sees what another one started or ended."""
EXPERIMENT, PROMOTION, ROLLBACK = "experiment", "promotion", "rollback"


@dataclass(frozen=True)
class Experiment:
    """One experiment as it was started."""

    number: int
    arms: tuple[ArmBody, ...]
    seed: int
    at: int
    ended: int | None
    promoted: str | None = None

    def arm(self, name: str) -> ArmBody:
        """The arm of this name."""
        for each in self.arms:
            if each.name == name:
                return each
        names = [each.name for each in self.arms]
        raise Problem(
            404,
            "unknown_arm",
            f"Experiment {self.number} has no arm {name!r}.{nearest(name, names)}",
        )


class Experiments:
    """Of all catalogues; at most one runs in each."""

    def __init__(self, storage: Storage, catalogues: Catalogues) -> None:
        self._storage, self._catalogues = storage, catalogues
        self._running: dict[int, Experiment] = {}
        self._looked = -FOLLOW
        self._views: dict[int, tuple[CatalogueVersion, Experiment, dict[str, Any]]] = {}

    # Who meets which agent

    def for_person(self, version: CatalogueVersion, name: str) -> CatalogueVersion:
        """The version with the agent that this person meets."""
        experiment = self._now(version)
        if experiment is None:
            return version
        arm = arm_of(experiment.arms, experiment.seed, name)
        return version if arm is None else self._view(version, experiment, arm) or version

    def shadows(self, version: CatalogueVersion) -> list[CatalogueVersion]:
        """The version with each agent that only watches."""
        experiment = self._now(version)
        if experiment is None:
            return []
        watching = [each for each in experiment.arms if each.shadow]
        found = (self._view(version, experiment, each) for each in watching)
        return [each for each in found if each is not None]

    def _now(self, version: CatalogueVersion) -> Experiment | None:
        if time.monotonic() - self._looked >= FOLLOW:
            self.follow()
        return self._running.get(version.id)

    def follow(self) -> None:
        """See what others started and ended; what cannot be read changes nothing."""
        self._looked = time.monotonic()
        try:
            found = {
                each.catalogue: _experiment(each) for each in self._storage.experiments.running()
            }
            if found != self._running:  # views are of this very experiment, and are kept
                self._running = found
        except Damaged as error:
            logger.error("experiments: %s", error)
        except StorageError:
            pass  # whoever needs the database now will say so

    def _view(
        self, version: CatalogueVersion, experiment: Experiment, arm: ArmBody
    ) -> CatalogueVersion | None:
        """The version under an arm's agent, made once; None where it cannot be made for it."""
        known = self._views.get(version.id)
        own = version if not version.experiment else None
        if known is None or known[1] is not experiment or (own and known[0] is not own):
            if own is None:  # the view of someone, of a version that was replaced just now
                return None
            known = self._views[version.id] = (own, experiment, {})
        if arm.name not in known[2]:
            known[2][arm.name] = _made(known[0], experiment, arm)
        found: CatalogueVersion | None = known[2][arm.name]
        return found

    # What can be done about them

    def all(self, name: str) -> list[Experiment]:
        """A catalogue's experiments, the oldest first."""
        rows = self._storage.experiments.all(self._catalogues.serving(name).id)
        promoted = {each["experiment"]: each["arm"] for each in _in_effect(rows)}
        return [
            _experiment(row, promoted.get(row.number))
            for row in rows
            if json.loads(row.body)["kind"] == EXPERIMENT
        ]

    def latest(self, name: str, number: int | None = None) -> Experiment:
        """The one that runs, or the last one; or the one with this number."""
        found = self.all(name)
        if number is not None:
            found = [each for each in found if each.number == number]
        if not found:
            which = "no experiment" if number is None else f"no experiment {number}"
            raise Problem(404, "unknown_experiment", f"{name!r} has {which}.")
        return found[-1]

    def start(self, name: str, body: ExperimentBody) -> Experiment:
        """Begin an experiment; all its agents are tried on the catalogue first."""
        version = self._catalogues.serving(name)
        for arm in body.arms:
            if arm.agent is not None:
                self._try_agent(version, arm)
        seed = secrets.randbits(32) if body.seed is None else body.seed
        stored = {"kind": EXPERIMENT, **body.model_dump(), "seed": seed}
        try:
            number = self._storage.experiments.start(version.id, json.dumps(stored))
        except Taken:
            raise Problem(
                409,
                "experiment_running",
                f"An experiment runs on {name!r}: promote an arm or roll it back first.",
            ) from None
        self.follow()
        return self.latest(name, number)

    def _try_agent(self, version: CatalogueVersion, arm: ArmBody) -> None:
        assert arm.agent is not None
        settings = version.settings.under(arm.agent)
        try:
            self._catalogues.trial(version.content, settings)
        except ConlinucbError as error:
            raise Problem(422, "invalid_request", f"Arm {arm.name!r}: {error}") from None

    def end(self, name: str) -> Experiment:
        """Serve everybody with the catalogue's own agent again."""
        running = self._must_run(name)
        self._storage.experiments.end(self._catalogues.serving(name).id, running.number)
        self.follow()
        return self.latest(name, running.number)

    def promote(self, name: str, arm: str) -> Experiment:
        """Serve everybody with an arm's agent: their states come from the log, as they always do.

        The agent of before is noted first, so that it can come back whatever happens meanwhile.
        """
        experiment = self.latest(name)
        version, chosen = self._catalogues.serving(name), experiment.arm(arm)
        before, about = version.settings.agent, version.settings.ask_about
        note = {"kind": PROMOTION, "experiment": experiment.number, "arm": arm, "before": before}
        if about != "one":
            note["ask_about"] = about
        self._storage.experiments.note(version.id, json.dumps(note))
        self._use(name, before if chosen.agent is None else chosen.agent)
        self._storage.experiments.end(version.id, experiment.number)
        self.follow()
        return self.latest(name, experiment.number)

    def rollback(self, name: str) -> Experiment:
        """End the experiment that runs; or else take the last promotion back."""
        if any(each.ended is None for each in self.all(name)):
            return self.end(name)
        version = self._catalogues.serving(name)
        done = _in_effect(self._storage.experiments.all(version.id))
        if not done:
            raise Problem(409, "nothing_promoted", f"No promotion on {name!r} can be taken back.")
        self._use(name, done[-1]["before"], done[-1].get("ask_about", "one"))
        note = {"kind": ROLLBACK, "experiment": done[-1]["experiment"]}
        self._storage.experiments.note(version.id, json.dumps(note))
        return self.latest(name, done[-1]["experiment"])

    def own_agent(self, name: str) -> dict[str, Any]:
        """The agent of the catalogue's settings, which serves whoever is in no arm."""
        return self._catalogues.serving(name).settings.agent

    def _use(self, name: str, agent: dict[str, Any], about: AskAbout | None = None) -> None:
        settings = self._catalogues.serving(name).settings
        wanted = settings.under(agent)
        if about is not None:
            wanted = wanted.model_copy(update={"ask_about": about})
        if settings != wanted:
            self._catalogues.set_settings(name, wanted)

    def _must_run(self, name: str) -> Experiment:
        for each in self.all(name):
            if each.ended is None:
                return each
        raise Problem(409, "no_experiment_running", f"No experiment runs on {name!r}.")


def _in_effect(rows: Sequence[StoredExperiment]) -> list[dict[str, Any]]:
    """Promotions that were not taken back, the oldest first."""
    found: list[dict[str, Any]] = []
    for body in (json.loads(each.body) for each in rows):
        if body["kind"] == PROMOTION:
            found.append(body)
        elif body["kind"] == ROLLBACK and found:
            found.pop()
    return found


def _experiment(stored: StoredExperiment, promoted: str | None = None) -> Experiment:
    try:
        body = json.loads(stored.body)
        arms = tuple(ArmBody.model_validate(each) for each in body["arms"])
        seed = int(body["seed"])
    except (ValueError, LookupError, TypeError) as error:
        raise Damaged(f"experiment {stored.number} cannot be read: {error}") from error
    return Experiment(stored.number, arms, seed, stored.at, stored.ended, promoted)


def _made(
    version: CatalogueVersion, experiment: Experiment, arm: ArmBody
) -> CatalogueVersion | None:
    try:
        view = version.under(arm.agent, experiment.number, arm.name)
        assert view.basis  # makes the agent
        return view
    except ConlinucbError as error:  # the catalogue was changed since
        logger.error("experiment %s, arm %s: %s", experiment.number, arm.name, error)
        return None
