"""Published formats by name: which file holds what, and how it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conlinucb.catalog.table import Table
from conlinucb.errors import InvalidInput, UnknownName, nearest


@dataclass(frozen=True, kw_only=True)
class File:
    """One file of a format."""

    columns: Mapping[str, str]
    """Who, what and how much: person, item, tag, value, weight."""
    split: str | None = None
    none: tuple[str, ...] = ()
    """What stands in a cell that has no tag."""
    names: tuple[str, str, str] | None = None
    """Tags are numbers, whose names are in this file, with these columns of numbers and names."""
    counted: bool = False
    """A row is one person who gave the tag: the weight is how many did."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """How the files of a published data set are written."""

    tags: str
    """The file of tags, where a folder is given."""
    met: str
    """The file of who met what."""
    files: Mapping[str, File]
    written: Mapping[str, Any] = field(default_factory=dict)
    """Options of a ``Table``."""


_HETREC = {"separator": "\t", "encoding": "latin-1", "quote": None}
FORMATS = {
    "movielens": Format(
        tags="movies.csv",
        met="ratings.csv",
        files={
            "movies.csv": File(
                columns={"item": "movieId", "tag": "genres"},
                split="|",
                none=("(no genres listed)",),
            ),
            "tags.csv": File(columns={"item": "movieId", "tag": "tag"}, counted=True),
            "ratings.csv": File(columns={"person": "userId", "item": "movieId", "value": "rating"}),
        },
    ),
    "hetrec-movielens": Format(
        tags="movie_tags.dat",
        met="user_ratedmovies.dat",
        written=_HETREC,
        files={
            "movie_tags.dat": File(
                columns={"item": "movieID", "tag": "tagID", "weight": "tagWeight"},
                names=("tags.dat", "id", "value"),
            ),
            "movie_genres.dat": File(columns={"item": "movieID", "tag": "genre"}),
            "user_taggedmovies.dat": File(
                columns={"person": "userID", "item": "movieID", "tag": "tagID"},
                names=("tags.dat", "id", "value"),
                counted=True,
            ),
            "user_ratedmovies.dat": File(
                columns={"person": "userID", "item": "movieID", "value": "rating"}
            ),
        },
    ),
    "hetrec-lastfm": Format(
        tags="user_taggedartists.dat",
        met="user_artists.dat",
        written=_HETREC,
        files={
            "user_taggedartists.dat": File(
                columns={"person": "userID", "item": "artistID", "tag": "tagID"},
                names=("tags.dat", "tagID", "tagValue"),
                counted=True,
            ),
            "user_artists.dat": File(
                columns={"person": "userID", "item": "artistID", "value": "weight"}
            ),
        },
    ),
}
SAME = {"user": "person", "id": "item"}
"""What readers call otherwise."""


def resolved(
    table: Table, needed: Sequence[str], optional: Sequence[str]
) -> tuple[Table, File | None]:
    """A table whose format is named as one whose options are said."""
    if table.format is None:
        return table, None
    if not isinstance(table.format, str) or table.format not in FORMATS:
        raise UnknownName(f"No format is called {table.format!r}.{nearest(table.format, FORMATS)}")
    if table.name is None:
        raise InvalidInput(
            f"format={table.format!r} is for a file or its folder, got a "
            f"{type(table.source).__name__}."
        )
    form, path = FORMATS[table.format], Path(table.name)
    if path.is_dir():
        path = path / (form.tags if "tag" in needed else form.met)
    if path.name not in form.files:
        raise UnknownName(
            f"{path} is no file of the format {table.format!r}.{nearest(path.name, form.files)}"
        )
    return _as_said(
        replace(table, source=path, format=None), form, form.files[path.name], needed, optional
    )


def _as_said(
    table: Table, form: Format, file: File, needed: Sequence[str], optional: Sequence[str]
) -> tuple[Table, File]:
    """With the columns of the file, but for those that are named otherwise."""
    own = {role: file.columns.get(SAME.get(role, role)) for role in (*needed, *optional)}
    columns = {role: name for role, name in own.items() if name is not None} | {**table.columns}
    missing = [role for role in needed if role not in columns]
    if missing:
        raise InvalidInput(f"{table.source} holds {list(file.columns)}, but no {missing[0]!r}.")
    if columns.get("tag") != file.columns.get("tag"):
        file = replace(file, split=None, names=None)
    return replace(table, columns=columns, split=file.split, **form.written), file
