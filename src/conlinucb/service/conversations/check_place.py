"""Where a check of the database has come to, so that it can be gone on with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from conlinucb.service.storage import Count, Progresses, now

_NAME = "check"


@dataclass
class Place:
    """What was looked at so far."""

    at: int = 0
    """When the check began, in microseconds since 1970."""
    catalogue: int = 0
    """The catalogue that it is at: those with smaller ids are done."""
    after: int = 0
    """The last person of that catalogue who was looked at."""
    people: int = 0
    events: int = 0
    unsealed: int = 0
    """Events without a checksum of their whole row."""
    people_here: int = 0
    events_here: int = 0
    people_before: int = 0
    """Kept counts of what came since the last counting, when this catalogue was begun."""
    events_before: int = 0

    def enter(self, catalogue: int, since: Count) -> None:
        """Begin with the next catalogue, unless it was begun before."""
        if self.catalogue != catalogue:
            self.catalogue, self.after = catalogue, 0
            self.people_here = self.events_here = 0
            self.people_before, self.events_before = since.people, since.events

    def add(self, person: int, events: int, unsealed: int) -> None:
        """Someone was looked at."""
        self.after = person
        self.people, self.people_here = self.people + 1, self.people_here + 1
        self.events, self.events_here = self.events + events, self.events_here + events
        self.unsealed += unsealed

    def counted(self) -> tuple[Count, Count]:
        """What this catalogue has, and what was kept of it before."""
        here = Count(self.people_here, self.events_here)
        return here, Count(self.people_before, self.events_before)

    def save(self, progress: Progresses) -> None:
        """Note it."""
        progress.put(_NAME, json.dumps(asdict(self)))


def last_place(progress: Progresses) -> Place | None:
    """Where a check was interrupted, None where there was none."""
    try:
        return Place(**json.loads(progress.get(_NAME) or ""))
    except (ValueError, TypeError):
        return None


def first_place(progress: Progresses) -> Place:
    """Begin anew."""
    progress.drop(_NAME)
    return Place(at=now())


def finished(progress: Progresses) -> None:
    """Nothing is to be gone on with."""
    progress.drop(_NAME)
