"""A table and how it is read: where it lies, what its columns are called, how it is written."""

from __future__ import annotations

import codecs
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from pathlib import Path
from typing import Any

from conlinucb.errors import InvalidInput, UnknownName, nearest

TEXT_FILES = {".csv": ",", ".tsv": "\t", ".dat": "\t", ".txt": "\t"}
"""Endings of text files, and what usually separates their columns."""
ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-16", "ascii")


@dataclass(frozen=True, eq=False)
class Table:
    """A table that is not written as the readers expect, with how it is.

    Every reader takes one in place of a table, and one table's options as options of its own.

    >>> from conlinucb import Catalog
    >>> films = {"movieId": [1, 2], "genres": ["Comedy|Drama", "Drama"]}
    >>> told = Table(films, columns={"item": "movieId", "tag": "genres"}, split="|")
    >>> Catalog.from_tags(told).term_ids
    ('Comedy', 'Drama')
    """

    source: Any
    """A pandas, polars or pyarrow table, a dictionary of columns, or the path of a file."""
    _: KW_ONLY
    format: str | None = None
    """How published files are written, by name: then the path is that of a file or its folder."""
    columns: Mapping[str, str | int | None] = field(default_factory=dict)
    """What is called what: the table's name of a column, or its place from 0; None: not there."""
    separator: str | None = None
    """What is between columns of a text file; None: as its ending and its first line say."""
    header: bool | Sequence[str] | None = True
    """Whether the first line has the columns' names; a list has them for a file without."""
    encoding: str = "utf-8"
    quote: str | None = '"'
    """What is around a cell that holds a separator; None: nothing is."""
    split: str | None = None
    """What is between several tags in one cell, such as "|"."""

    def __post_init__(self) -> None:
        _check_columns(self.columns)
        for name in ("separator", "quote", "split"):
            _check_text(name, getattr(self, name))
        if self.quote is not None and (len(self.quote) > 1 or not self.quote.isascii()):
            raise InvalidInput(f"quote must be one ASCII character or None, got {self.quote!r}.")
        _check_header(self.header)
        _check_encoding(self.encoding)
        if not self.is_text and self.said(TEXT_OPTIONS):
            raise InvalidInput(_only_of_text(self.said(TEXT_OPTIONS)[0], self.source))
        if self.format is not None and self.said((*TEXT_OPTIONS, "split")):
            told = self.said((*TEXT_OPTIONS, "split"))[0]
            raise InvalidInput(
                f"format={self.format!r} says what {told} is: leave one of them out."
            )

    @property
    def name(self) -> str | None:
        """The path, if it is a file."""
        return str(self.source) if isinstance(self.source, (str, Path)) else None

    @property
    def is_text(self) -> bool:
        """Whether it is a text file, for which alone some options are."""
        return self.name is not None and Path(self.name).suffix.lower() in TEXT_FILES

    def said(self, names: Iterable[str]) -> list[str]:
        """Which of these options are not as they are by themselves."""
        return [name for name in names if getattr(self, name) != PLAIN[name]]


PLAIN: dict[str, Any] = {
    each.name: {} if each.name == "columns" else each.default
    for each in fields(Table)
    if each.name != "source"
}
"""Every option of a table, and what it is unless it is said."""
TEXT_OPTIONS = ("separator", "header", "encoding", "quote")


def described(
    given: Sequence[Any], options: Mapping[str, Any], only: Mapping[str, int] | None = None
) -> list[Table]:
    """Each as a Table; an option is for those that are none yet, or for the one ``only`` names.

    Options of text files go to text files; one that no table can take is refused.
    """
    mine: list[dict[str, Any]] = [{} for _ in given]
    for name, value in options.items():
        at = range(len(given)) if only is None or name not in only else [only[name]]
        takers = [i for i in at if _takes(given[i], name)]
        if not takers:
            raise InvalidInput(_taken_by_none(name, value, given[at[0]]))
        for i in takers:
            mine[i]["columns" if name == "tag_columns" else name] = value
    return [
        each if isinstance(each, Table) else Table(each, **told)
        for each, told in zip(given, mine, strict=True)
    ]


def both_described(table: Any, tags: Any, options: Mapping[str, Any]) -> list[Table]:
    """Who met what, and tags; where tags are None, a format says where beside it they lie."""
    if tags is None:
        if "format" not in options:
            raise InvalidInput(
                "Without a format, tags must be a table of items and tags, got None."
            )
        tags = table
    return described((table, tags), options, {"columns": 0, "split": 1, "tag_columns": 1})


def options_of(reader: Callable[..., Any], options: Mapping[str, Any], *kinds: type) -> list[Any]:
    """The options of a reader sorted: those of each dataclass, then those of a table.

    One that nobody knows is refused, with the nearest that somebody does.
    """
    known = [{each.name for each in fields(kind)} for kind in kinds]
    own = [name for name in inspect.signature(reader).parameters if name != "options"]
    for name in options:
        if name not in PLAIN and not any(name in each for each in known):
            all_known = [*own, *(name for each in known for name in sorted(each)), *PLAIN]
            raise UnknownName(
                f"{reader.__name__} knows no option {name!r}.{nearest(name, all_known)}"
            )
    made = [
        kind(**{name: value for name, value in options.items() if name in names})
        for kind, names in zip(kinds, known, strict=True)
    ]
    return [*made, {name: value for name, value in options.items() if name in PLAIN}]


def _takes(given: Any, option: str) -> bool:
    return not isinstance(given, Table) and (option not in TEXT_OPTIONS or Table(given).is_text)


def _taken_by_none(option: str, value: Any, given: Any) -> str:
    if isinstance(given, Table):
        return f"A Table has options of its own: give it {option}={value!r}."
    return _only_of_text(option, given)


def _only_of_text(option: str, given: Any) -> str:
    what = str(given) if isinstance(given, (str, Path)) else type(given).__name__
    return f"{option} is for files that end in {', '.join(TEXT_FILES)}, got {what}."


def _check_columns(given: Any) -> None:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"columns must be such as {{'item': 'movieId'}}, got {given!r}.")
    for role, column in given.items():
        if column is not None and (isinstance(column, bool) or not isinstance(column, (str, int))):
            raise InvalidInput(
                f"columns: {role!r} must be the name of a column or its place from 0, "
                f"got {column!r}."
            )


def _check_text(name: str, given: Any) -> None:
    if given is not None and (not isinstance(given, str) or not given):
        raise InvalidInput(f"{name} must be a text such as '|', or None, got {given!r}.")


def _check_header(given: Any) -> None:
    if given is None or isinstance(given, bool):
        return
    listed = isinstance(given, Sequence) and not isinstance(given, (str, bytes))
    if not listed or not given or not all(isinstance(each, str) for each in given):
        raise InvalidInput(f"header must be True, False or a list of names, got {given!r}.")


def _check_encoding(given: Any) -> None:
    try:
        codecs.lookup(given)
    except (LookupError, TypeError, ValueError):
        raise UnknownName(f"No encoding is called {given!r}.{nearest(given, ENCODINGS)}") from None
