"""Write docs/settings.md anew from the settings of the service: python docs/make_settings.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conlinucb.service.config import ServiceConfig
from conlinucb.service.sources import OTHER_VARIABLES, PREFIX, flag, variable

PAGE = Path(__file__).parent / "settings.md"
HEAD = """# Settings of the service

Made by `python docs/make_settings.py` from the code; do not edit it by hand. Each setting can be
given as an option of `conlinucb serve`, as a variable of the environment, or in the TOML file that
`--config` or `CONLINUCB_CONFIG` names, under its own name. An option comes before the environment,
the environment before the file, and a setting is taken as a whole from the first that has it. An
empty variable counts as not set. In options and variables a list is written with commas or as JSON
(`a,b` or `["a", "b"]`), a table such as `catalogues` as JSON. What is unknown is refused with the
nearest name, in all three places.

| setting | option | variable | default | |
|---|---|---|---|---|
"""
OTHERS = """
## Other variables

| variable | what it is for |
|---|---|
"""


def page() -> str:
    """The whole page."""
    settings = "".join(_row(name, field) for name, field in ServiceConfig.model_fields.items())
    others = "".join(f"| `{PREFIX}{name}` | {what} |\n" for name, what in OTHER_VARIABLES.items())
    return HEAD + settings + OTHERS + others


def _row(name: str, field: Any) -> str:
    default = field.get_default(call_default_factory=True)
    shown = "" if default in (None, ()) else f"`{_text(default)}`"
    cells = (f"`{name}`", f"`{flag(name)}`", f"`{variable(name)}`", shown, field.description)
    return f"| {' | '.join(map(_escaped, cells))} |\n"


def _text(default: Any) -> str:
    if isinstance(default, dict):
        plain = {name: each.model_dump(exclude_defaults=True) for name, each in default.items()}
        return json.dumps(plain)
    return str(default).lower() if isinstance(default, bool) else str(default)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
