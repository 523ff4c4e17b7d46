"""Where settings come from: options of the command line, before the environment, before a file."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError, create_model
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, EnvSettingsSource

from conlinucb.atomic import existing
from conlinucb.errors import InvalidInput, nearest

Model = TypeVar("Model", bound=BaseModel)
PREFIX = "CONLINUCB_"
FILES = ("DATABASE", "KEY")
"""What may hold a secret can be named by a file that holds it, as containers have it."""
OTHER_VARIABLES = {
    "KEY": "the key that callers must send; never in a file of settings, nor an option",
    "KEY_FILE": "a file that holds the key",
    "DATABASE_FILE": "a file that holds the address of the database",
    "CONFIG": "the TOML file, where no --config is given",
    "LOG_KEY": "the key with which an exported log hashes people's ids",
    "DATA": "the folder of downloaded data sets",
    "SERVICE": "from a server to its own workers",
    "PREPARED": "from a server to its own workers",
    "BARE": "from a measurement to the endpoint it compares with",
    "CHROMIUM": "the tests' browser",
    "NEED_BROWSER": "whether tests may go without a browser",
    "SOAK": "how long the tests' soak runs",
    "FUZZ": "how many requests the tests make up",
}
"""Variables that are no settings, each with what it is for."""


def variable(name: str) -> str:
    """The environment's name of a setting."""
    return PREFIX + name.upper()


def flag(name: str) -> str:
    """The command line's name of a setting."""
    return "--" + name.replace("_", "-")


@dataclass(frozen=True)
class Layers:
    """What was set, with where each setting came from."""

    content: dict[str, Any]
    origins: dict[str, str]


def read_layers(model: type[BaseModel], path: Path | None, given: Mapping[str, Any]) -> Layers:
    """What a model is to be made of; a setting is taken as a whole from the first that has it."""
    known = model.model_fields
    file = {} if path is None else _file(path)
    for name in file:
        if name not in known:
            raise InvalidInput(f"{path}: unknown setting {name!r}.{nearest(name, known)}")
    texts = {name: (text, variable(name)) for name, text in _environment(model).items()}
    texts |= {name: (text, flag(name)) for name, text in given.items() if text is not None}
    layers = {name: (value, str(path)) for name, value in file.items()}
    for name, (text, origin) in texts.items():
        layers[name] = (_decoded(model, name, text, origin), origin)
    return Layers(
        {name: value for name, (value, _) in layers.items()},
        {name: origin for name, (_, origin) in layers.items()},
    )


def validated(model: type[Model], layers: Layers) -> Model:
    """The model; an error names the option, the variable or the file that is to be changed."""
    try:
        return model.model_validate(layers.content)
    except ValidationError as error:
        raise InvalidInput(
            " ".join(_said(model, layers, each) for each in error.errors())
        ) from None


def _said(model: type[BaseModel], layers: Layers, wrong: ErrorDetails) -> str:
    where = wrong["loc"]
    origin = layers.origins.get(str(where[0]), "settings") if where else "settings"
    said = f"{wrong['msg']}, got {str(wrong['input'])[:50]!r}."
    if where[:1] == ("database",):  # it may hold a password
        said = f"{wrong['msg']}."
    if wrong["type"] == "extra_forbidden":
        said = f"unknown setting.{nearest(where[-1], _siblings(model, where[:-1]))}"
    return f"{origin}: {'.'.join(map(str, where))}: {said}"


def secret(name: str) -> str | None:
    """What the environment holds under this name, itself or in the file it names."""
    value, file = os.environ.get(PREFIX + name), os.environ.get(f"{PREFIX}{name}_FILE")
    if value and file:
        raise InvalidInput(f"Set {PREFIX}{name} or {PREFIX}{name}_FILE, not both.")
    if not file:
        return value or None
    try:
        return Path(file).read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InvalidInput(f"{PREFIX}{name}_FILE: {file} cannot be read: {reason}.") from None


def _file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(existing(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as TOML: {error}.") from None


def _environment(model: type[BaseModel]) -> dict[str, Any]:
    settings = [variable(name) for name in model.model_fields]
    valid = [*settings, *(PREFIX + name for name in OTHER_VARIABLES)]
    for name in os.environ:
        if name.startswith(PREFIX) and name not in valid:
            raise InvalidInput(f"Unknown environment variable {name}.{nearest(name, valid)}")
    reader: Any = create_model("Reader", __base__=(model, BaseSettings))
    reader.model_config["enable_decoding"] = False  # one way to write values, options' too
    found = EnvSettingsSource(reader, env_prefix=PREFIX, env_ignore_empty=True)()
    for name in FILES:
        if name.lower() in model.model_fields and (value := secret(name)) is not None:
            found[name.lower()] = value
    return found


def _decoded(model: type[BaseModel], name: str, value: Any, origin: str) -> Any:
    """Text for what is more than one value: JSON, or for a list, values between commas."""
    field = model.model_fields.get(name)
    kinds = set() if field is None else _kinds(field.annotation)
    if not isinstance(value, str) or not kinds & {tuple, list, dict}:
        return value
    if value.lstrip()[:1] in ("[", "{") or dict in kinds:
        try:
            return json.loads(value)
        except ValueError as error:
            raise InvalidInput(f"{origin}: {name}: must be JSON, but {error}.") from None
    return [each.strip() for each in value.split(",") if each.strip()]


def _kinds(annotation: Any) -> set[Any]:
    """What a value may be, without the parameters: tuple for tuple[str, ...]."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if isinstance(origin, type) and issubclass(origin, (tuple, list, dict)):
        return {origin}
    if not inside:
        return {annotation}
    return set().union(*map(_kinds, inside)) - {NoneType}


def _siblings(model: Any, where: tuple[int | str, ...]) -> list[str]:
    """The settings that a place inside a model may have."""
    inside: Any = model
    for step in where:
        inside = _below(inside, step)
    return [*getattr(inside, "model_fields", ())]


def _below(annotation: Any, step: int | str) -> Any:
    fields = getattr(annotation, "model_fields", None)
    if fields is not None:
        return _model(fields[str(step)].annotation)
    return _model(get_args(annotation)[-1])


def _model(annotation: Any) -> Any:
    """What is inside X | None."""
    if get_origin(annotation) is dict or not get_args(annotation):
        return annotation
    return next(each for each in get_args(annotation) if each is not NoneType)
