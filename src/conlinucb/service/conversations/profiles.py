"""What people may see of themselves: the belief at a moment, and the log in pages.

The belief is looked at while nobody changes it; the log behind it is read afterwards, up to the
event that the belief is made of, so that a long one keeps nobody waiting and is never held whole.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterator
from dataclasses import replace

from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.conversations.views import (
    CONTRIBUTIONS,
    Explained,
    entries,
    explained,
    profile,
    with_events,
)
from conlinucb.service.conversations.writer import unknown_person
from conlinucb.service.schemas import Contribution, Explanation, Profile
from conlinucb.service.storage import Broken, Person

PIECE = 100
"""Events of an export that are made at once, and held as long as nobody reads them."""
Looked = tuple[Profile, Conversation, Person]


def profile_of(
    use_cases: UseCases, catalogue: str, name: str, latest: int, before: int, *, newcomers: bool
) -> Profile:
    """What is believed of a person, and a page of where it comes from."""

    def see(state: Conversation, person: Person) -> Looked:
        return profile(state, name), replace(state), person

    found, state, person = use_cases.look(catalogue, name, see, newcomers=newcomers)
    storage = use_cases.storage
    page = storage.pages.latest(person.id, state.seq, before, latest)
    if state.seq and not page and storage.people.find(person.catalogue, name) != person:
        raise unknown_person(name)  # deleted meanwhile
    gone = storage.pages.taken_back(person.id, state.seq, [row.seq for row in page])
    damaged = storage.quarantine.events_of(person.id)
    damaged |= {row.seq for row in page if isinstance(row, Broken)}
    asked = use_cases.find_event(person, state.open_seq) if state.open_seq else None
    return with_events(found, state.version, asked, page, gone, damaged)


def explanation_of(use_cases: UseCases, catalogue: str, name: str, item: str) -> Explanation:
    """What each answer and reward adds to an item's mean."""

    def see(state: Conversation, person: Person) -> tuple[Explained, Person]:
        return explained(state, item), person

    found, person = use_cases.look(catalogue, name, see)
    pages, last = use_cases.storage.pages, found.state.seq
    gone = pages.taken_back(person.id, last)
    most: list[Contribution] = []
    total, rows = found.influence.prior, 0
    for page in pages.all(person.id, last):
        parts = found.contributions(page, gone)
        total, rows = math.fsum([total, *(each.contribution for each in parts)]), rows + len(page)
        most = heapq.nlargest(CONTRIBUTIONS, [*most, *parts], key=_size)
    if last and not rows:  # deleted meanwhile
        raise unknown_person(name)
    return Explanation(
        item=item,
        mean=float(found.scores.means[0]),
        radius=float(found.scores.radii[0]),
        score=float(found.scores.scores[0]),
        contributions=most,
        rest=math.fsum([total, *(-each.contribution for each in most)]),
    )


def _size(part: Contribution) -> float:
    return abs(part.contribution)


def exported(use_cases: UseCases, name: str, catalogue: str | None) -> Iterator[str]:
    """Everything kept of a person, piece by piece: together a JSON ``Export``."""
    storage = use_cases.storage
    names = {each.id: each.name for each in storage.catalogue_log.entries()}
    people = use_cases.everywhere(name, catalogue)
    piece = f'{{"user":{json.dumps(name)},"conversations":['
    for number, person in enumerate(people):
        about = json.dumps({"catalogue": names.get(person.catalogue, ""), "seed": person.seed})
        piece += f'{"," if number else ""}{about[:-1]},"events":['
        first = True
        for page in storage.pages.all(person.id, storage.log.last(person.id), PIECE):
            gone = storage.pages.taken_back(person.id, 2**31 - 1, [row.seq for row in page])
            found = ",".join(each.model_dump_json(by_alias=True) for each in entries(page, gone))
            yield piece + ("" if first or not found else ",") + found
            piece, first = "", first and not found
        piece += "]}"
    yield piece + "]}"
