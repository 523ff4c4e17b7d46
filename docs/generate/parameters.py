"""What each parameter of the Python interface is: its own section below every docstring.

A parameter that many functions share is described once, here; one of a class may have its words
beside its field in the code.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from itertools import pairwise
from typing import Any

from .words import OWN, SHARED

LINE = "-" * 10
STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def parameters_of(value: Any) -> dict[str, inspect.Parameter]:
    """What is passed when it is called; nothing for what is not called by anybody's code."""
    try:
        found = inspect.signature(value).parameters
    except (TypeError, ValueError):
        return {}
    return {name: each for name, each in found.items() if name != "self"}


def field_words(value: Any) -> dict[str, str]:
    """The words beside the fields of a class and of those that it stands on."""
    found: dict[str, str] = {}
    for each in reversed(getattr(value, "__mro__", ())):
        if each.__module__.startswith("conlinucb"):
            (body,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
            found |= _beside(getattr(body, "body", []))
    return found


def _beside(body: list[ast.stmt]) -> dict[str, str]:
    return {
        field.target.id: " ".join(said.value.value.split())
        for field, said in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(said, ast.Expr)
        and isinstance(said.value, ast.Constant)
        and isinstance(said.value.value, str)
    }


def words_of(name: str, value: Any) -> dict[str, str | None]:
    """Each parameter and what it is, None where nobody says it."""
    beside = field_words(value) if inspect.isclass(value) else {}
    return {
        each: OWN.get(f"{name}.{each}") or beside.get(each) or SHARED.get(each)
        for each in parameters_of(value)
    }


def section(name: str, value: Any) -> list[str]:
    """The lines of a numpydoc section; none where the docstring has its own."""
    if "Parameters\n---" in (inspect.getdoc(value) or "") or not parameters_of(value):
        return []
    lines = ["", "Parameters", LINE]
    for each, told in words_of(name, value).items():
        kind = parameters_of(value)[each]
        stars = STARS.get(kind.kind.name, "")
        of = "" if kind.annotation is kind.empty else f" : {_plain(kind.annotation)}"
        lines += [f"{stars}{each}{of}", f"    {told or ''}"]
    return lines


def _plain(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"_(?=\W|$)", r"\_", text)  # a name's end is no link


def add_section(_: Any, what: str, name: str, value: Any, __: Any, lines: list[str]) -> None:
    """For autodoc: the section, where a function or class of the interface is described."""
    if what in ("class", "function", "exception"):
        lines.extend(section(name.rpartition(".")[2], value))
