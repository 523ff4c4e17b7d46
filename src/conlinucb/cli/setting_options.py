"""Options of a command from the settings of the service: one for each, none forgotten."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

Command = TypeVar("Command", bound=Callable[..., None])


def with_settings(command: Command) -> Command:
    """The command, which takes ``**settings``, with an option for every setting.

    Where the service's packages are missing it has none: the command says what to install.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    shown = signature.replace(parameters=[*own, *_options()])
    command.__signature__ = shown  # type: ignore[attr-defined]
    return command


def _options() -> list[inspect.Parameter]:
    try:
        from conlinucb.service.config import ServiceConfig
        from conlinucb.service.sources import flag, variable
    except ModuleNotFoundError:
        return []
    options = []
    for name, field in ServiceConfig.model_fields.items():
        on_off = field.annotation is bool
        names = f"{flag(name)}/--no-{flag(name)[2:]}" if on_off else flag(name)
        option = typer.Option(
            names,
            help=f"{field.description} ({variable(name)})",
            show_default=_shown(field.get_default(call_default_factory=True)),
            metavar=None if on_off else "VALUE",
        )
        kind: Any = bool | None if on_off else str | None
        options.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[kind, option],
            )
        )
    return options


def _shown(default: Any) -> str | bool:
    """A default as it would be written, nothing where there is none."""
    if default in (None, (), {}) or isinstance(default, dict):
        return False
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default).lower()
