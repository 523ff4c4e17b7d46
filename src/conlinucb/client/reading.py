"""From JSON to the dataclasses of ``replies``; what a newer service says besides is left out."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from conlinucb.client.errors import ClientError
from conlinucb.client.replies import Question, Receipt, Recommendation, Refusal, Step

Reply = TypeVar("Reply")
_STEPS: dict[Any, type[Step]] = {"question": Question, "recommendation": Recommendation}


def read(kind: type[Reply], value: Any) -> Reply:
    """An answer as a dataclass."""
    try:
        found: Reply = _read(kind, value)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ClientError(
            f"The answer is no {kind.__name__}, so this is another service, or a newer one: "
            f"{type(error).__name__} {error}."
        ) from None
    return found


def read_step(value: Any) -> Step:
    """A question or a recommendation."""
    return read(_STEPS.get(value.get("type"), Recommendation), value)


def _read(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if is_dataclass(kind):
        return _record(kind, value)
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], each) for each in value)
    if isinstance(kind, UnionType):
        return _one_of([each for each in get_args(kind) if each is not NoneType], value)
    return value


def _one_of(kinds: list[Any], value: Any) -> Any:
    if Question in kinds and Recommendation in kinds:
        return read_step(value)
    if Refusal in kinds:
        refused = "error" in value
        return _read(Refusal, value["error"]) if refused else _read(Receipt, value)
    return _read(kinds[0], value)


def _record(kind: Any, value: dict[str, Any]) -> Any:
    hints = _hints(kind)
    given = {name: _read(hints[name], value[name]) for name in hints if name in value}
    absent = [each for each in fields(kind) if each.name not in given and each.default is MISSING]
    wanted = [each.name for each in absent if NoneType not in get_args(hints[each.name])]
    if wanted:
        raise KeyError(f"without {wanted}")
    return kind(**given, **{each.name: None for each in absent})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
