"""The catalogues in service: loaded from their logs of changes, changed while people talk."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from conlinucb.errors import Damaged, InvalidInput, nearest
from conlinucb.service.catalogues.contents import content_at, origin_of
from conlinucb.service.catalogues.images import check_images
from conlinucb.service.catalogues.learned import RECIPES, LearnedPriors, takes_population
from conlinucb.service.catalogues.version import CatalogueVersion, Content, edited
from conlinucb.service.catalogues.warming import warm_up
from conlinucb.service.problems import Problem
from conlinucb.service.settings import Settings
from conlinucb.service.storage import Change, Entry, Finding, Storage, Taken
from conlinucb.service.storage.events import LARGEST_NUMBER

logger = logging.getLogger("conlinucb.service")
TRIES = 20
LONGEST = 1_000.0
"""Length of an item's features: far beyond it, sums of their squares drown the prior."""
Changes = list[tuple[str, bytes]]
Body = Callable[[CatalogueVersion | None], Changes]
"""From what is served to the changes to be written."""


def unknown_catalogue(name: str, known: Iterable[str]) -> Problem:
    """No such catalogue, or none that a caller may know of."""
    message = f"No catalogue is called {name!r}.{nearest(name, known)}"
    return Problem(404, "unknown_catalogue", message)


class Catalogues:
    """Every catalogue by name, each in the version that is served."""

    def __init__(self, storage: Storage, *, image_hosts: Collection[str] = ()) -> None:
        self._storage = storage
        self._image_hosts = frozenset(image_hosts)
        self._priors = LearnedPriors(storage)
        self._versions: dict[str, CatalogueVersion] = {}
        self._broken: dict[str, str] = {}
        self._lock = threading.Lock()
        self.opened = False
        """Whether what the configuration asks for is there, or known to be missing."""
        self.missing: dict[str, str] = {}
        """Configured catalogues that could not be had, and why."""

    def serving(self, name: str) -> CatalogueVersion:
        """The version of a catalogue that is served now."""
        found = self._versions.get(name)
        if found is None and self.opened:
            self.refresh()  # another worker may have it from just now
            found = self._versions.get(name)
        if found is not None:
            return found
        if not self.opened:
            raise _starting()
        wrong = self._broken.get(name) or self.missing.get(name)
        if wrong:
            raise Problem(503, "catalogue_unavailable", f"Catalogue {name!r}: {wrong.rstrip('.')}.")
        raise unknown_catalogue(name, self._versions)

    def known(self, name: str) -> CatalogueVersion | None:
        """The version served, or None."""
        return self._versions.get(name)

    def all(self) -> list[CatalogueVersion]:
        """Every catalogue that is served."""
        return list(self._versions.values())

    def listed(self) -> list[CatalogueVersion]:
        """The same for callers: not before the configured ones are there, and as they are now."""
        if not self.opened:
            raise _starting()
        self.refresh()
        return self.all()

    def has_moved(self, name: str, number: int) -> bool:
        """Whether another worker has changed a catalogue since, which is then followed."""
        self.refresh()
        return self.serving(name).number != number

    def states(self) -> dict[str, str]:
        """Each catalogue with "ok" or, in a word, what is wrong with it."""
        return {
            **dict.fromkeys(self.missing, "cannot be had"),
            **dict.fromkeys(self._versions, "ok"),
            **dict.fromkeys(self._broken, "damaged"),
        }

    def refresh(self) -> None:
        """Follow what others changed; a catalogue that cannot be read stays out, others go on."""
        entries = self._storage.catalogue_log.entries()
        for name in {*self._versions, *self._broken} - {each.name for each in entries}:
            self._versions.pop(name, None)
            self._broken.pop(name, None)
        for entry in entries:
            if entry.flaw is not None:
                self._set_aside(entry, entry.flaw)
            known = self._versions.get(entry.name)
            if entry.serving and not (
                known and known.id == entry.id and known.number >= entry.serving
            ):
                self._take(entry)

    def _take(self, entry: Entry) -> None:
        try:
            version = self.load(entry, entry.serving)
        except (Damaged, InvalidInput) as error:
            self._set_aside(entry, str(error))
            return
        with self._lock:  # of two that load at once, the later version stays
            known = self._versions.get(entry.name)
            if not (known and known.id == entry.id and known.number > version.number):
                self._versions[entry.name] = version
            self._broken.pop(entry.name, None)

    def _set_aside(self, entry: Entry, reason: str) -> None:
        self._versions.pop(entry.name, None)
        if self._broken.get(entry.name) != reason:
            self._report(entry, entry.serving, reason)
        self._broken[entry.name] = reason

    def _report(self, entry: Entry, number: int, reason: str) -> None:
        logger.error("catalogue %s: version %s cannot be served: %s", entry.name, number, reason)
        self._storage.quarantine.add(Finding(None, entry.id, f"version {number}", reason))

    def load(self, entry: Entry, number: int) -> CatalogueVersion:
        """One version, from the last whole one and the changes since."""
        base = origin_of(self._storage, entry.id, number)
        content = content_at(self._storage, entry, base, number, self._versions.get(entry.name))
        found = self._storage.catalogue_log.settings(entry.id, number)
        settings = Settings() if found is None else _settings(found)
        version = CatalogueVersion(entry.id, entry.name, number, base, content, settings)
        return self._with_population(version)

    def _with_population(self, version: CatalogueVersion) -> CatalogueVersion:
        """Checked, with the population in use; one that cannot be read is reported, not used."""
        chosen = self._storage.catalogue_log.population(version.id, version.base, version.number)
        number = 0 if chosen is None else _chosen(chosen)
        if not number:
            return _checked(version)
        try:
            return _checked(replace(version, population=self._priors.load(version.id, number)))
        except (Damaged, InvalidInput) as error:
            logger.error("catalogue %s: population %s: %s", version.name, number, error)
            what = f"population {number}"
            self._storage.quarantine.add(Finding(None, version.id, what, str(error)))
            return _checked(version)

    def use_population(self, name: str, number: int) -> int:
        """Start people's states from another population, or from none (0), at once.

        Nobody's state is lost: each is moved when the person comes next.
        """
        version = self.serving(name)
        if number:
            self._check_population(version, number)
        change = ("population", json.dumps({"number": number}).encode())

        def body(now: CatalogueVersion | None) -> Changes:
            in_use = now.population.number if now is not None and now.population else 0
            return [] if in_use == number else [change]

        return self._append(name, body)

    def _check_population(self, version: CatalogueVersion, number: int) -> None:
        known = {each.number: each for each in self._storage.populations.all(version.id)}
        if number not in known:
            raise Problem(
                404,
                "unknown_population",
                f"{version.name!r} has no population {number}; there are {sorted(known)}.",
            )
        if known[number].base != version.base:
            raise Problem(
                409,
                "other_features",
                f"Population {number} is of version {known[number].base} of {version.name!r}, "
                f"which was replaced since: learn another one.",
            )
        if not takes_population(version.settings.agent):
            raise Problem(
                409,
                "no_prior",
                f"The agent of {version.name!r} takes no population: it must be of the recipes "
                f"{', '.join(RECIPES)}, without a prior of its own.",
            )
        _checked(replace(version, population=self._priors.load(version.id, number)))

    def replace(
        self,
        name: str,
        content: Content,
        settings: Settings | None = None,
        *,
        unless_source: str = "",
    ) -> int:
        """A new version of a whole catalogue, served at once.

        Nobody's state is lost: each is folded anew from the log when the person comes next.
        Where what is served comes from the source ``unless_source``, nothing is changed.
        """
        check_images(content.details, self._image_hosts)
        known = self._versions.get(name)
        if known and not content.source:  # uploaded: it stays until the configured file changes
            content = replace(content, source=known.content.source)
        used = settings or (known.settings if known else Settings())
        warm_up(_checked(CatalogueVersion(0, name, 0, 0, content, used)))
        changes = [("replace", content.to_bytes())]
        if settings is not None:
            changes.insert(0, ("settings", settings.to_log()))

        def body(version: CatalogueVersion | None) -> Changes:
            same = version is not None and unless_source and version.content.source == unless_source
            return [] if same else changes

        self._storage.catalogue_log.create(name)
        return self._append(name, body)

    def trial(self, content: Content, settings: Settings | None) -> CatalogueVersion:
        """What would be served, checked as ``replace`` does; nothing is stored."""
        check_images(content.details, self._image_hosts)
        return _checked(CatalogueVersion(0, "preview", 0, 0, content, settings or Settings()))

    def add(self, name: str, items: Sequence[Any]) -> int:
        """More items, at once."""
        return self._edit(name, "add", items)

    def remove(self, name: str, items: Sequence[Any]) -> int:
        """Items gone, at once; what people said about them counts on."""
        return self._edit(name, "remove", items)

    def _edit(self, name: str, kind: str, items: Sequence[Any]) -> int:
        if kind == "add":
            looks = {each["id"]: each.get("details") or {} for each in items}
            check_images(looks, self._image_hosts)

        def body(version: CatalogueVersion | None) -> Changes:
            if version is None:
                raise Problem(404, "unknown_catalogue", f"Nothing is served as {name!r}.")
            content = edited(version.content, kind, items)
            if np.array_equal(content.catalog.live_arms, version.catalog.live_arms):
                return []  # removed before
            _checked(replace(version, content=content))
            return [(kind, json.dumps({"items": items}, allow_nan=False).encode())]

        self.serving(name)
        return self._append(name, body)

    def set_settings(self, name: str, settings: Settings) -> int:
        """Another agent or other settings; under another prior states are folded anew.

        They are served once their kernels are compiled: who asks for them waits, and no person.
        """
        warm_up(_checked(replace(self.serving(name), settings=settings)))
        change = ("settings", settings.to_log())
        return self._append(name, lambda _: [change])

    def _append(self, name: str, body: Body) -> int:
        """Write changes behind the one served, and serve them."""
        for _ in range(TRIES):
            self.refresh()
            entry = self._storage.catalogue_log.find(name)
            if entry is None:
                raise Problem(404, "unknown_catalogue", f"No catalogue is called {name!r}.")
            if entry.flaw is not None:
                self.serving(name)  # says what is wrong with it
            if entry.pending is not None:
                self._serve_pending(entry)
                continue
            version = self._versions.get(name)
            if version is not None and version.number != entry.serving:
                continue  # someone changed it just now
            changes = body(version)
            if not changes:
                return entry.serving
            try:
                number = self._storage.catalogue_log.append_all(entry, changes)
            except Taken:
                continue
            self.refresh()
            return number
        raise Problem(409, "catalogue_busy", f"Others keep changing {name!r}.", retry=True)

    def delete(self, name: str) -> None:
        """Remove a catalogue and everyone in it."""
        entry = self._storage.catalogue_log.find(name)
        if entry is None:
            self.serving(name)  # says so
        else:
            self._storage.catalogue_log.delete(entry.id)
        self.refresh()

    def serve_pending(self) -> None:
        """Serve versions that wait: replicas of an earlier release rebuild people's states first.

        That is not needed, since whoever comes finds theirs folded anew; so nobody waits for it.
        """
        for entry in self._storage.catalogue_log.entries():
            if entry.pending is not None:
                self._serve_pending(entry)

    def _serve_pending(self, entry: Entry) -> None:
        assert entry.pending is not None
        try:
            self.load(entry, entry.pending)
        except (Damaged, InvalidInput) as error:
            self._report(entry, entry.pending, str(error))
            self._storage.catalogue_log.abandon(entry)  # another one can take its place
        else:
            self._storage.catalogue_log.activate(entry.id, entry.pending)
        self.refresh()

    def check_pending(self) -> None:
        """Report versions that wait and cannot be read."""
        for entry in self._storage.catalogue_log.entries():
            if entry.pending is not None:
                try:
                    self.load(entry, entry.pending)
                except (Damaged, InvalidInput) as error:
                    self._report(entry, entry.pending, str(error))


def _starting() -> Problem:
    return Problem(503, "starting", "The service is starting.", retry=True)


def _settings(change: Change) -> Settings:
    try:
        return Settings.model_validate_json(change.body)
    except ValidationError as error:
        raise Damaged(f"the settings of version {change.number} cannot be read: {error}") from error


def _chosen(change: Change) -> int:
    try:
        return int(json.loads(change.body)["number"])
    except (ValueError, LookupError, TypeError) as error:
        raise Damaged(f"version {change.number} cannot be read: {error!r}") from error


def _checked(version: CatalogueVersion) -> CatalogueVersion:
    """The version, if its agent can be made for its catalogue and comes to usable numbers."""
    longest = float(version.catalog._arm_norms.max())
    if longest > LONGEST:
        raise InvalidInput(
            f"An item's features have the length {longest:g}; at most {LONGEST:g} is taken. "
            f"Divide all of them by one number."
        )
    assert version.basis
    first = version.agent.recommend(version.agent.new_user())
    if not np.isfinite(first.scores).all() or np.abs(first.scores).max() > LARGEST_NUMBER:
        raise InvalidInput(f"With this agent an item has the score {first.scores[0]:g}.")
    return version
