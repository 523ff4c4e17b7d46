"""Every exception and warning of the package, in one tree.

Messages say what was wrong, which value came in and what would be right.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ConlinucbError(Exception):
    """Base class of every error this package raises on purpose."""


class InvalidInput(ConlinucbError, ValueError):
    """A value that the caller passed cannot be used."""


class UnknownName(InvalidInput, LookupError):
    """A name or id that is not known here."""


class QuestionClosed(InvalidInput):
    """An answer to a question that is not open: never asked, or answered before."""


class StrategyError(ConlinucbError, RuntimeError):
    """A strategy raised, or chose a term that was not offered."""


class IncompatibleState(InvalidInput):
    """Stored arrays that do not fit the agent or catalogue they are loaded into."""


class MissingExtra(ConlinucbError, ImportError):
    """Something needs packages that are not installed; the message says which command helps."""

    def __init__(self, extra: str, what: str) -> None:
        super().__init__(f"{what} needs more packages: pip install 'conlinucb[{extra}]'")


class MissingData(ConlinucbError, FileNotFoundError):
    """Data files that are not on this machine; the message says which command brings them."""


class FetchFailed(ConlinucbError, RuntimeError):
    """Data could not be downloaded, unpacked or stored; the message says what would help."""


class WrongData(FetchFailed):
    """A zip or folder that does not hold the data set as published."""


class StorageError(ConlinucbError, RuntimeError):
    """The database could not do what was asked."""


class StoreDown(StorageError):
    """The database does not answer, or not in time; the same call may go through later."""


class StoreRefuses(StorageError):
    """The database answers but takes nothing: its disk is full, or it is read-only."""


class Outdated(StorageError):
    """The database has another schema than this version of the package needs."""


class Damaged(StorageError):
    """Something stored is not what was written."""


class RankWarning(UserWarning):
    """Features that span fewer dimensions than they have."""


MANY_NAMES = 1_000
"""Among more names than this only one that is the same but for case is found near."""


def nearest(name: object, known: Iterable[object]) -> str:
    """Return a hint such as `` Did you mean 'ucb'?``, or the valid names, or nothing.

    >>> nearest("max_radius", ["max-radius", "ucb"])
    " Did you mean 'max-radius'?"
    """
    names = [str(each) for each in known]
    folded = {each.casefold(): each for each in names}
    if len(names) > MANY_NAMES:  # comparing letter by letter would take seconds
        same = folded.get(str(name).casefold())
        return "" if same is None else f" Did you mean {same!r}?"
    # Of two letters, one right is as near as it gets.
    enough = 0.5 if len(str(name)) < 3 else 0.6
    matches = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=enough)
    close = [folded[each] for each in matches]
    if close:
        return f" Did you mean {close[0]!r}?"
    return f" Valid: {', '.join(map(repr, names))}." if 0 < len(names) <= 40 else ""
