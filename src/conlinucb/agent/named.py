"""Parts of one's own by name: "package.module:name", as configuration files have them.

Such a name runs the code it names, so it is taken from files that the owner of the process wrote,
never from a request.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conlinucb.errors import InvalidInput

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def is_stranger(value: Any) -> bool:
    """Whether a value names, or a table is of, something outside this package.

    >>> is_stranger("mine.strategies:Doubtful"), is_stranger({"name": "every", "n": 3})
    (True, False)
    """
    name = value.get("name") if isinstance(value, Mapping) else value
    return isinstance(name, str) and ":" in name


def stranger(where: str, value: Any) -> Any:
    """What ``"package.module:name"`` names; a class is called, with the rest of its table."""
    options = dict(value) if isinstance(value, Mapping) else {"name": value}
    name = options.pop("name")
    found = imported(where, name)
    if isinstance(found, type):
        try:
            return found(**options)
        except TypeError as error:
            raise InvalidInput(f"{where}: {name} cannot be made with {options}: {error}.") from None
    if options:
        raise InvalidInput(f"{where}: {name} is no class, so it takes no {sorted(options)}.")
    return found


def imported(where: str, name: str) -> Any:
    """The object behind ``"package.module:name"``."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"{where}: a part of your own is package.module:name, got {name!r}.")
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise InvalidInput(f"{where}: {name!r} cannot be imported: {error}.") from None
    except AttributeError:
        raise InvalidInput(f"{where}: the module {module!r} has no {attribute!r}.") from None


def add_folder(folder: Path) -> None:
    """Let modules in this folder be imported, behind everything that is installed."""
    place = str(folder.resolve())
    if place not in sys.path:
        sys.path.append(place)
