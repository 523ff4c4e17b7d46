"""How a table was read, in plain words, and what in it deserves a second look."""

from __future__ import annotations

from collections.abc import Sequence

from conlinucb.service.catalogues.headers import Roles, nouns_of
from conlinucb.service.catalogues.layouts import Pairs, is_numeric, marks_of, vectors_in
from conlinucb.service.catalogues.sheets import SEPARATORS, Sheet
from conlinucb.service.schemas.preview import ColumnOut

NAMED = 5
"""Of a longer list only the first are named."""


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c", "d", "e", "f", "g"])
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    first = ", ".join(map(repr, names[:NAMED]))
    return first if len(names) <= NAMED else f"{first} and {len(names) - NAMED} more"


def told(
    sheet: Sheet, roles: Roles, pairs: Pairs, first_bare: int | None, bare: int
) -> tuple[list[str], list[str]]:
    """What was understood, and what was left out or may be meant otherwise."""
    words = [] if sheet.separator is None else [f"{_between(sheet.separator)}."]
    words += [_layout(sheet, roles, pairs)]
    nouns = nouns_of(sheet.header[roles.item]) if roles.item is not None else None
    if nouns:
        words.append(f"Items are called {nouns[1]}.")
    if roles.weight is not None and pairs.layout != "columns":
        words.append(f"{sheet.header[roles.weight]!r} says how much an item is about a topic.")
    if roles.details:
        more = [f"{sheet.header[at]!r} is its {kind}" for kind, at in roles.details.items()]
        words.append(f"More about an item: {', '.join(more)}.")
    return words, [
        *sheet.warnings,
        *pairs.warnings,
        *_left_out(sheet, roles, pairs, first_bare, bare),
    ]


def _between(separator: str) -> str:
    return f"Columns are separated by {SEPARATORS[separator]}"


def _layout(sheet: Sheet, roles: Roles, pairs: Pairs) -> str:
    assert roles.item is not None
    item = repr(sheet.header[roles.item])
    topics = listed([sheet.header[at] for at in pairs.used])
    if pairs.layout == "columns":
        return (
            f"Each row is an item, which {item} names, and each of {len(pairs.used)} columns of "
            f"yes and no is a topic: {topics}."
        )
    if pairs.layout == "vectors":
        several = len(pairs.used) > 1
        numbers = f"{len(pairs.used)} columns of numbers say" if several else "one of lists says"
        return (
            f"Each row is an item, which {item} names, and {numbers} where it lies: {topics}. "
            "There are no topics, so items that are near each other are made into groups to talk "
            "about, named by words of their titles or by the titles in their middle."
        )
    if pairs.layout == "long":
        return f"Each row is one topic of an item: {item} names the item, {topics} the topic."
    split = f", with {pairs.split!r} between them" if pairs.split else ""
    holds = "hold" if len(pairs.used) > 1 else "holds"
    return f"Each row is an item, which {item} names; {topics} {holds} its topics{split}."


def _left_out(
    sheet: Sheet, roles: Roles, pairs: Pairs, first_bare: int | None, bare: int
) -> list[str]:
    found = []
    if first_bare is not None:
        what = "1 item has no topic and is" if bare == 1 else f"{bare} items have no topic and are"
        found.append(
            f"{what} left out, since nothing would be known of them: {sheet.quoted(first_bare)}"
            f"{' is the first' if bare > 1 else ''}."
        )
    wanted = roles.chosen - {roles.weight}  # to be unused, which need not be said
    unused = [at for at in unused_of(sheet, roles, pairs) if sheet.header[at] and at not in wanted]
    alike = [sheet.header[at] for at in unused if at in roles.alike]
    numbers = [at for at in unused if at not in roles.alike and is_numeric(sheet.columns[at])]
    rest = [sheet.header[at] for at in unused if at not in roles.alike and at not in numbers]
    if alike:
        found.append(
            f"{listed(alike)} may hold topics, too, but is not used: call the columns tag 1, tag 2 "
            "and so on to use all of them."
        )
    if numbers:
        found.append(
            f"Numbers in {listed([sheet.header[at] for at in numbers])} are not used: topics are "
            "words. If they say how much a topic counts, call the column weight."
        )
    if rest:
        found.append(
            f"Not used: {listed(rest)}. To ask about a column, call it and that of topics tag 1, "
            "tag 2; to show it, call it subtitle or text."
        )
    return found


def unused_of(sheet: Sheet, roles: Roles, pairs: Pairs) -> list[int]:
    """Columns from which nothing is taken."""
    weight = None if pairs.layout == "columns" else roles.weight
    used = {roles.item, weight, *pairs.used, *roles.details.values()}
    return [at for at in range(len(sheet.header)) if at not in used]


def columns_of(sheet: Sheet, roles: Roles, pairs: Pairs | None) -> list[ColumnOut]:
    """Every column, and what it was taken for; without ``pairs``, as far as that can be told."""
    uses = {at: kind for kind, at in roles.details.items()}
    if pairs is None:
        marks = marks_of(sheet, roles)
        uses |= dict.fromkeys((*roles.topics, *marks), "topic")
        if not roles.topics and not marks:
            uses |= dict.fromkeys(vectors_in(sheet, roles), "vector")
    else:
        uses |= dict.fromkeys(pairs.used, "vector" if pairs.layout == "vectors" else "topic")
    if roles.weight is not None and (pairs is None or pairs.layout != "columns"):
        uses[roles.weight] = "weight"
    if roles.item is not None:
        uses[roles.item] = "item"
    return [ColumnOut(name=name, used_as=uses.get(at)) for at, name in enumerate(sheet.header)]
