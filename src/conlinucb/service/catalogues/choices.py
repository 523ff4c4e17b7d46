"""What columns are for, where whoever uploads a table says it: ROLE:NAME for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conlinucb.errors import InvalidInput, nearest
from conlinucb.service.catalogues.headers import DETAILS, TOPIC, UNUSED

SEVERAL = (TOPIC, UNUSED)
"""What more than one column can be for."""
ROLES = ("item", TOPIC, "weight", *DETAILS, UNUSED)
Choices = Mapping[str, str]
"""What columns are for, by their names."""


def choices_of(told: Iterable[str]) -> dict[str, str]:
    """What was said of columns; a name may have colons.

    >>> choices_of(["item:Film", "topic:Genre: main"])
    {'Film': 'item', 'Genre: main': 'topic'}
    """
    found: dict[str, str] = {}
    for each in told:
        role, colon, name = (part.strip() for part in each.partition(":"))
        if not colon or role not in ROLES:
            raise InvalidInput(
                f"column must be ROLE:NAME, such as item:Film, with one of the roles "
                f"{', '.join(ROLES)}, got {each[:100]!r}."
            )
        _refuse_two(found, name, role)
        found[name] = role
    return found


def _refuse_two(found: Choices, name: str, role: str) -> None:
    """Refuse two roles of one column, and two columns for what only one can be."""
    if found.get(name, role) != role:
        raise InvalidInput(
            f"column says that {name[:100]!r} is for {found[name]} and for {role}: choose one."
        )
    other = next((each for each, its in found.items() if its == role and each != name), None)
    if other is not None and role not in SEVERAL:
        raise InvalidInput(
            f"column says that {other[:100]!r} and {name[:100]!r} are both for {role}: only one "
            f"column can be."
        )


def places_of(header: Sequence[str], choices: Choices) -> dict[int, str]:
    """The same by places of columns from 0; a name that no column has is left out."""
    return {at: choices[name] for at, name in enumerate(header) if name in choices}


def refuse_unknown(header: Sequence[str], choices: Choices) -> None:
    """Refuse a name that no column has, or several."""
    for name, role in choices.items():
        many = header.count(name)
        if not many:
            raise InvalidInput(
                f"column says that {name[:100]!r} is for {role}, but the table has no such column."
                f"{nearest(name, filter(None, header))}"
            )
        if many > 1:
            raise InvalidInput(
                f"column says that {name[:100]!r} is for {role}, but {many} columns have this "
                "name: give each one of its own."
            )
