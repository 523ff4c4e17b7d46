"""The published data sets: where they come from, where they lie, and the sum of each file."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from conlinucb.errors import MissingData, MissingExtra, UnknownName, nearest

State = Literal["ok", "missing", "line ends", "wrong sum"]
LARGEST_FILE = 64 * 10**6
"""More bytes than any known file has, by far; a larger one is refused unread."""

CITATION = (
    "Iván Cantador, Peter Brusilovsky, Tsvi Kuflik: 2nd Workshop on Information Heterogeneity "
    "and Fusion in Recommender Systems (HetRec 2011). In: Proceedings of the 5th ACM Conference "
    "on Recommender Systems (RecSys 2011). ACM, 2011."
)
_TERMS = (
    "Use them for non-commercial purposes only, and do not pass the files on; "
    "readme.txt beside them has the publishers' own words."
)


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published data set: its zip, its folder, and the SHA-256 of each file we know."""

    name: str
    title: str
    folder: str
    url: str
    needed: tuple[str, ...]
    sums: dict[str, str]
    licence: str
    citation: str = CITATION


# Sums are of the files as published: lines of .dat and .csv files end with CRLF.
PUBLISHED: dict[str, Published] = {
    "lastfm": Published(
        name="lastfm",
        title="HetRec 2011 Last.FM",
        folder="hetrec-lastfm-2k",
        url="https://files.grouplens.org/datasets/hetrec2011/hetrec2011-lastfm-2k.zip",
        needed=("user_taggedartists.dat", "artists.dat", "tags.dat"),
        sums={
            "user_taggedartists.dat": (
                "d31fe938fcfeed6f0059f37a36b156f63674d073fc2553e5cc9dc1595e365bc7"
            ),
            "artists.dat": "a6928e7c2272bcb81fa92a4b4adb03ac8d1d6f08b320190ff7c2623f01494403",
            "tags.dat": "e95175f259be4c0c47644ae23d66131cd6d5767142a1405000e79f5584691d70",
            "readme.txt": "44c38757b3a24e68e844ac60c97ba7fd8e0f691cf1b00e9cf6bd8854df0dd64a",
            "user_artists.dat": "001400dc3c7d2667fca6e4ea6dc6acc31a9dd28ad5cd0f74cea988c019934d3b",
            "user_friends.dat": "9a3a8f7fa5f5ec832335e5b58ed69a4cf27c6f6f6afcde62134810eea46445a7",
        },
        licence=f"Data of Last.fm users, made available by Last.fm for HetRec 2011. {_TERMS}",
    ),
    "movielens": Published(
        name="movielens",
        title="HetRec 2011 MovieLens",
        folder="hetrec-movielens-2k",
        url="https://files.grouplens.org/datasets/hetrec2011/hetrec2011-movielens-2k-v2.zip",
        needed=("user_taggedmovies.dat", "movies.dat", "tags.dat"),
        sums={
            "user_taggedmovies.dat": (
                "ed3e9d55872a9a4c49cd691cf2ae40322a326404fc35a361d5320973da50b810"
            ),
            "movies.dat": "f55b1664fe154ce23289c6d47b9e35d2c7fc4798d059e382c402fb9bf8bc3713",
            "tags.dat": "c3a9a210ce0feeb3b1ae5fd02b60cfdb2defefb8da5c8286c4364c1a01a3c8c2",
            "readme.txt": "af891994977140aff49ede2658effbec494dd372f3194652ebe458d0d664e0e5",
            "movie_countries.dat": (
                "176d4068048267105614a3b88f5034f9ca982951fc84d5736ee6f15ae1b68da6"
            ),
            "movie_directors.dat": (
                "9308c8c373e95035e571f4b443ae77214ae09d92279fd3b7492275b605b31a8b"
            ),
            "movie_genres.dat": "59d31eb835f653062b9ac8c6b89ba3e986f2325d97d3f201c511f95683afeb6f",
            "movie_locations.dat": (
                "d356e8c50c9e1854afd05e30247ba58b430e17aaac23d67957229d12f6cbf29b"
            ),
            "movie_tags.dat": "33c256779797190f315af912f84320175a0c92c853e7eae2799f0d3e5baa8fad",
            "user_taggedmovies-timestamps.dat": (
                "8f57ab02c48475de96f9ef60b38696b7bdb5b13bee3c7a570064600d0044fe2c"
            ),
        },
        licence=(
            "Data of MovieLens users, made available by GroupLens for HetRec 2011, with films "
            f"linked to IMDb and Rotten Tomatoes. {_TERMS}"
        ),
    ),
    "ml-latest-small": Published(
        name="ml-latest-small",
        title="MovieLens ratings (ml-latest-small)",
        folder="ml-latest-small",
        url="https://files.grouplens.org/datasets/movielens/ml-latest-small.zip",
        needed=("ratings.csv", "movies.csv"),
        sums={
            "ratings.csv": "aa289ca83157595d0df6aea1be6a4ded676ddc4385472e8313a8ed9805352646",
            "movies.csv": "5a5f32dd9bb3797b8e728a1b98958789d2b13f294a69fdfbc5727f8a9611aa07",
            "tags.csv": "92a9f8bb7916dceef6151209845788c3643f794dfa79d1feaec7121b5960399d",
            "README.txt": "63d22ac138e80fae37021797ed8e1b9424b5239dc576a137422adf783ae3f404",
        },
        licence=(
            "Data of MovieLens users, made available by GroupLens, release of September 2018. Use "
            "them for non-commercial purposes only, and pass them on only under the same "
            "conditions; README.txt beside them has the publishers' own words."
        ),
        citation=(
            "F. Maxwell Harper and Joseph A. Konstan: The MovieLens Datasets: History and Context. "
            "ACM Transactions on Interactive Intelligent Systems 5 (4), 2015. "
            "https://doi.org/10.1145/2827872"
        ),
    ),
}


class FileState(NamedTuple):
    """What ``check`` found about one file."""

    file: str
    needed: bool
    state: State
    expected: str
    found: str | None

    @property
    def wrong(self) -> bool:
        """Whether this keeps the data set from being used as published."""
        return self.state == "wrong sum" or (self.needed and self.state == "missing")


def published(name: str) -> Published:
    """The data set with this name.

    >>> published("lastfm").folder
    'hetrec-lastfm-2k'
    """
    try:
        return PUBLISHED[name]
    except (KeyError, TypeError):
        raise UnknownName(
            f"No published data set has the name {name!r}.{nearest(name, PUBLISHED)}"
        ) from None


def cache_folder() -> Path:
    """Where data lie: ``CONLINUCB_DATA`` if set, else the user's folder for caches."""
    given = os.environ.get("CONLINUCB_DATA")
    if given:
        return Path(given).expanduser()
    if sys.platform == "darwin":  # where platformdirs would follow XDG_CACHE_HOME
        return Path.home() / "Library" / "Caches" / "conlinucb"
    try:
        import platformdirs
    except ModuleNotFoundError:
        raise MissingExtra("runner", "Finding the data without CONLINUCB_DATA") from None
    return platformdirs.user_cache_path("conlinucb", appauthor=False)


def data_folder(name: str, parent: str | Path | None = None, *, also: tuple[str, ...] = ()) -> Path:
    """The folder that holds every file the loader of this data set needs, and those in ``also``.

    It lies in ``parent``, or where data lie.
    """
    spec = published(name)
    folder = (cache_folder() if parent is None else Path(parent).expanduser()) / spec.folder
    missing = [each for each in (*spec.needed, *also) if not (folder / each).is_file()]
    if missing:
        raise MissingData(
            f"The {spec.title} data are not complete in {folder} (missing: {', '.join(missing)}). "
            f"Run: conlinucb data fetch {name}"
        )
    return folder


def check(name: str) -> list[FileState]:
    """Compare each known file with the published sum; needed files first."""
    spec = published(name)
    folder = cache_folder() / spec.folder
    order = sorted(spec.sums, key=lambda file: file not in spec.needed)
    return [_state(spec, folder / file) for file in order]


def complete(name: str) -> bool:
    """Whether every needed file is there as published, and no other known file is wrong."""
    return not any(
        each.wrong or (each.needed and each.state == "line ends") for each in check(name)
    )


def _state(spec: Published, path: Path) -> FileState:
    needed, expected = path.name in spec.needed, spec.sums[path.name]
    if not path.is_file():
        return FileState(path.name, needed, "missing", expected, None)
    found = sha256_of(path)
    state: State = "ok" if found == expected else "wrong sum"
    if state == "wrong sum" and only_line_ends_differ(path, expected):
        state = "line ends"
    return FileState(path.name, needed, state, expected, found)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def only_line_ends_differ(path: Path, expected: str) -> bool:
    """Whether the file would have the expected sum if all its lines ended with CRLF, or LF."""
    if path.stat().st_size > LARGEST_FILE:
        return False
    lines = path.read_bytes().replace(b"\r\n", b"\n")
    forms = (lines, lines.replace(b"\n", b"\r\n"))
    return any(hashlib.sha256(form).hexdigest() == expected for form in forms)
