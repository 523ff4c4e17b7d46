"""Some of the people: the same persons under the same chance, by hand and compiled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.people import compiled_people
from conlinucb.people.part import Part, part_of, persons
from support.worlds import small_catalog

RNG = np.random.default_rng(5)


def linear(catalog: cl.Catalog) -> cl.LinearUsers:
    return cl.LinearUsers(RNG.normal(size=(7, catalog.d)), pool_size=8)


def logged(catalog: cl.Catalog) -> cl.LoggedPeople:
    table = RNG.random((7, len(catalog)))
    table[RNG.random(table.shape) < 0.5] = np.nan
    return cl.LoggedPeople(table, pool_size=5)


KINDS: dict[str, Callable[[cl.Catalog], cl.People]] = {
    "linear": linear,
    "yes or no": lambda catalog: cl.YesNo(linear(catalog)),
    "logged": logged,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_of_a_part_does_as_among_all(kind: str) -> None:
    catalog = small_catalog()
    people, members = KINDS[kind](catalog), np.array([5, 0, 3])
    agents = {"MCR": cl.conlinucb(catalog, schedule=cl.Every(2)), "LinUCB": cl.linucb(catalog)}
    everyone = cl.simulate(agents, people, rounds=20, repeats=2, seed=3)
    some = part_of(people, members)
    assert compiled_people(some) is not None
    results = cl.simulate(agents, some, rounds=20, repeats=2, seed=3)
    for name in agents:
        assert np.array_equal(results.metric(name), everyone.metric(name)[:, members])


def test_the_same_by_hand() -> None:
    """Drifting people are met by hand; of a part, each becomes like another of the part."""
    catalog = small_catalog()
    people = cl.Drifts(linear(catalog), rounds=10)
    some = part_of(people, [6, 2])
    assert isinstance(some, cl.Drifts)
    place = some.place(catalog, 0, 0, 0, 20)
    taste = some.taste(place)
    assert taste is not None
    assert np.array_equal(taste, people.people.thetas[2])  # type: ignore[attr-defined]
    results = cl.simulate({"it": cl.linucb(catalog)}, Part(linear(catalog), [1]), rounds=5)
    assert results.final_regret("it").shape == (1, 1)


def test_parts_are_told_apart_in_stores() -> None:
    people = linear(small_catalog())
    one, other = Part(people, [0, 1]), Part(people, [0, 2])
    assert one.parameters() == other.parameters()
    assert one.fingerprint() != other.fingerprint()
    assert one.parameters()["users"] == 2


def test_persons_are_known_again() -> None:
    catalog = small_catalog()
    for kind, make in KINDS.items():
        people = make(catalog)
        everyone = persons(people, catalog)
        assert len(set(everyone)) == 7, kind
        assert persons(part_of(people, [4, 1]), catalog) == [everyone[4], everyone[1]]
    again = cl.LinearUsers(np.eye(catalog.d))
    assert not set(persons(again, catalog)) & set(persons(linear(catalog), catalog))


def test_nobody_is_twice_in_a_part() -> None:
    with pytest.raises(cl.InvalidInput, match="more than once"):
        Part(linear(small_catalog()), [1, 1])
    with pytest.raises(cl.InvalidInput, match="valid indices"):
        Part(linear(small_catalog()), [7])
