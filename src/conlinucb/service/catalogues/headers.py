"""What the columns of an uploaded table are for, by what people call them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from unicodedata import combining, normalize

from conlinucb.errors import nearest

NOUNS = (
    *("film", "movie", "product", "recipe", "book", "dish", "song", "track", "album", "artist"),
    *("game", "article", "place", "restaurant", "course", "show", "series", "podcast", "event"),
    *("paper", "video", "wine", "beer", "hotel", "app", "job", "meal", "story", "talk"),
)
"""What an item may be called, in one column or as film id, film name, film title."""
ITEMS = (
    *("item", "items", "itemid", "id"),
    *(f"{noun}id" for noun in NOUNS),
    *("sku", "isbn", "slug", "key"),
    *NOUNS,
    *(f"{noun}s" for noun in NOUNS),
    *("dishes", "stories"),
    *(f"{noun}name" for noun in NOUNS),
    *("name", "itemname"),
    *(f"{noun}title" for noun in NOUNS),
    *("title", "itemtitle"),
)
"""Names of the column of items, the surest first."""
IDS = frozenset(("id", "itemid", "sku", "isbn", "slug", "key", *(f"{each}id" for each in NOUNS)))
"""Those that tell items apart without saying what they are."""
TOPICS = (
    *("tag", "topic", "keyword", "keyterm", "genre", "category", "label", "theme"),
    *("subject", "style", "mood", "attribute"),
)
PLURALS = {"categories": "category", **{f"{each}s": each for each in TOPICS}}
WEIGHTS = ("weight", "weights", "tagweight", "topicweight", "relevance", "strength")
DETAILS = {
    "title": ("title", "itemtitle", "name", "itemname", "displayname"),
    "subtitle": ("subtitle", "tagline", "byline", "author", "authors", "director", "by"),
    "image": ("image", "imageurl", "img", "picture", "photo", "poster", "cover", "thumbnail"),
    "link": ("link", "url", "href", "website", "homepage", "page"),
    "text": ("text", "description", "summary", "about", "plot", "abstract", "overview", "blurb"),
    "year": ("year", "releaseyear", "released", "published", "publicationyear"),
}
"""Optional columns that say more about an item, each with what it may be called."""
VECTORS = ("embedding", "embeddings", "vector", "vectors", "features", "feature", "emb", "vec")
"""What one column of a list of numbers in each row may be called."""
NUMBERED = frozenset(
    (
        *VECTORS,
        *("e", "v", "x", "f", "d", "dim", "dimension", "component", "pc", "factor", "latent"),
    )
)
"""What many columns of one number each may be called, before their numbers."""
EXAMPLE = "item,tags"
TOPIC, UNUSED = "topic", "unused"
NOTHING: Mapping[int, str] = {}


@dataclass(frozen=True)
class Roles:
    """Places of columns from 0, by what they are for."""

    item: int | None
    topics: tuple[int, ...] = ()
    weight: int | None = None
    details: dict[str, int] = field(default_factory=dict)
    alike: tuple[int, ...] = ()
    """Columns that look as if they held topics, too, but are not used."""
    chosen: frozenset[int] = frozenset()
    """Columns of which it was said what they are for, perhaps for nothing."""

    @property
    def known(self) -> int:
        """How much of a header is understood."""
        named = (self.item is not None) + bool(self.topics) + (self.weight is not None)
        return named + len(self.chosen)


def plain(name: str) -> str:
    """A column's name without case, accents, spaces and signs.

    >>> plain("Film-ID "), plain("Catégories")
    ('filmid', 'categories')
    """
    letters = normalize("NFKD", name.casefold())
    return "".join(each for each in letters if each.isalnum() and not combining(each))


def roles_of(header: Sequence[str], chosen: Mapping[int, str] = NOTHING) -> Roles:
    """What each column is for: what was chosen, of all others what their names say.

    >>> roles = roles_of(["ID", "Recipe", "Tags", "Minutes"])
    >>> roles.item, roles.topics, roles.details
    (0, (2,), {'title': 1})
    >>> roles = roles_of(["ID", "Recipe", "Tags", "Minutes"], {1: "item", 3: "topic"})
    >>> roles.item, roles.topics, roles.details
    (1, (2, 3), {})
    """
    names = ["" if at in chosen else plain(each) for at, each in enumerate(header)]
    said = {role: at for at, role in chosen.items()}
    item = said.get("item", _first(names, ITEMS, ()))
    also = (at for at, role in chosen.items() if role == TOPIC)
    topics = tuple(sorted((*_topics(names), *also)))
    used = {item, *topics}
    weight = said.get("weight", _first(names, WEIGHTS, used))
    details = _details(names, {*used, weight})
    details |= {kind: said[kind] for kind in DETAILS if kind in said}
    taken = {*used, weight, *details.values()}
    alike = [at for at, each in enumerate(names) if at not in taken and _topic(each)]
    return Roles(item, topics, weight, details, tuple(alike), frozenset(chosen))


def vector_columns(header: Sequence[str]) -> tuple[int, ...]:
    """The columns of an embedding: one of lists, or e1, e2, ... in the order of their numbers.

    >>> vector_columns(["item", "e2", "e1", "e10", "note"]), vector_columns(["id", "Embedding"])
    ((2, 1, 3), (1,))
    """
    names = [plain(each) for each in header]
    for each in VECTORS:
        if each in names:
            return (names.index(each),)
    found: dict[str, list[tuple[int, int]]] = {}
    for at, name in enumerate(names):
        digits = "".join(takewhile(str.isdigit, reversed(name)))[::-1]
        word = name.removesuffix(digits)
        if digits.isascii() and digits and word in NUMBERED:
            found.setdefault(word, []).append((int(digits), at))
    longest = max(found.values(), key=len, default=[])
    return tuple(at for _, at in sorted(longest)) if len(longest) > 1 else ()


def says_several(name: str) -> bool:
    """Whether a column's name says that a cell may hold several topics.

    >>> says_several("Genres"), says_several("genre")
    (True, False)
    """
    return plain(name) in PLURALS


def nouns_of(name: str) -> tuple[str, str] | None:
    """What one item and several are called, where the column of items says so.

    >>> nouns_of("Recipe"), nouns_of("story_id"), nouns_of("Dishes"), nouns_of("title")
    (('recipe', 'recipes'), ('story', 'stories'), ('dish', 'dishes'), None)
    """
    bare = plain(name)
    for noun in NOUNS:
        if bare in (noun, several_of(noun), *(f"{noun}{end}" for end in ("id", "name", "title"))):
            return noun, several_of(noun)
    return None


def several_of(noun: str) -> str:
    """The plural.

    >>> [several_of(each) for each in ("book", "story", "series")]
    ['books', 'stories', 'series']
    """
    if noun.endswith("s"):
        return noun
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("sh") else f"{noun}s"


def _first(names: Sequence[str], known: Iterable[str], used: Iterable[int | None]) -> int | None:
    taken = set(used)
    for each in known:
        if each in names and names.index(each) not in taken:
            return names.index(each)
    return None


def _topic(name: str) -> str | None:
    """The kind of topic, for tag, tags and tag 2."""
    bare = name.rstrip("0123456789")
    return PLURALS.get(bare, bare if bare in TOPICS else None)


def _topics(names: Sequence[str]) -> tuple[int, ...]:
    """The columns of the surest kind: one, or several that are numbered."""
    kinds = [_topic(each) for each in names]
    for kind in TOPICS:
        found = [at for at, each in enumerate(kinds) if each == kind]
        numbered = [at for at in found if names[at][-1].isdigit()]
        if len(numbered) > 1:
            return tuple(found)
        if found:
            return (found[0],)
    return ()


def _details(names: Sequence[str], used: set[int | None]) -> dict[str, int]:
    found: dict[str, int] = {}
    for kind, known in DETAILS.items():
        more = [each for each in ITEMS if each not in IDS] if kind == "title" else []
        at = _first(names, (*known, *more), {*used, *found.values()})
        if at is not None:
            found[kind] = at
    return found


def no_column(header: Sequence[str], kind: str, first: str) -> str:
    """What is said where the first line names no column of items, or of topics."""
    wanted, role = ("items", "item") if kind == "item" else ("topics", TOPIC)
    close = nearest(kind, [each for each in header if plain(each)])
    guess = close if "Did you mean" in close else ""
    calls = "item, name, title or film" if kind == "item" else "tag, tags, topic or genres"
    vectors = (
        " Without topics, numbers that say where an item lies will do: columns e1, e2, ..., or one "
        "of lists called embedding."
    )
    instead = "" if kind == "item" else vectors
    return (
        f"{first} names no column of {wanted}: call one {calls}, such as {EXAMPLE!r}.{guess} Or "
        f"say which one it is: column={role}:NAME in the address of an upload.{instead} If this "
        "line is a row already, put a line with the columns' names above it."
    )
