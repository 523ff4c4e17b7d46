"""Names and options on their way out: they work, and say once what to write instead."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def deprecated(since: str, instead: str) -> Callable[[Function], Function]:
    """Mark a function: calling it warns, with what to write in its place.

    >>> import warnings
    >>> @deprecated("0.2", "cl.simulate")
    ... def play(rounds):
    ...     return rounds
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     play(3)
    3
    >>> str(told[0].message)
    'play() is deprecated since 0.2: use cl.simulate.'
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def warned(*given: Any, **options: Any) -> Any:
            _warn(f"{function.__name__}()", since, instead)
            return function(*given, **options)

        return warned  # type: ignore[return-value]

    return decorate


def renamed_option(since: str, old: str, new: str) -> Callable[[Function], Function]:
    """Mark an option that has another name now: the old one is passed on under the new.

    >>> import warnings
    >>> @renamed_option("0.2", "seeds", "repeats")
    ... def simulate(*, repeats=1):
    ...     return repeats
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     simulate(seeds=5)
    5
    >>> str(told[0].message)
    'seeds= of simulate() is deprecated since 0.2: use repeats=.'
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def passed_on(*given: Any, **options: Any) -> Any:
            if old in options:
                if new in options:
                    raise TypeError(f"{function.__name__}() got {new}= and its old name {old}=.")
                _warn(f"{old}= of {function.__name__}()", since, f"{new}=")
                options[new] = options.pop(old)
            return function(*given, **options)

        return passed_on  # type: ignore[return-value]

    return decorate


def _warn(what: str, since: str, instead: str) -> None:
    message = f"{what} is deprecated since {since}: use {instead}."
    warnings.warn(message, DeprecationWarning, stacklevel=3)
