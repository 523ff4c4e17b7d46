"""How a service is set up: from a TOML file, the command line and the environment."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conlinucb.agent.named import add_folder
from conlinucb.agent.spec import agent_of
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.service.settings import Settings

KEY = "CONLINUCB_KEY"
DATABASE = "CONLINUCB_DATABASE"
SERVICE = "CONLINUCB_SERVICE"
PREPARED = "CONLINUCB_PREPARED"
"""The file that says to workers which replace others that the configuration was applied."""
"""The configuration as JSON, from the parent process to its workers."""
SHORTEST_KEY = 16
_SMALLEST = Catalog([[1.0]], [[1.0]])
"""To see whether an agent can be made, before a large file is read."""


ImageHost = Annotated[
    str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$")
]
"""A host's name, as it stands in addresses of pictures: lower case, no port."""


class CatalogueConfig(BaseModel):
    """A catalogue that the service is to have when it starts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    demo: bool = False
    file: Path | None = None
    d: int | None = Field(default=None, ge=1, le=1000)
    settings: Settings | None = None


def _films() -> dict[str, CatalogueConfig]:
    return {"films": CatalogueConfig(demo=True)}


class ServiceConfig(BaseModel):
    """Everything about a service but its key, which is only ever in the environment."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    database: str = "sqlite:///conlinucb.db"
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    hosts: tuple[str, ...] = ()
    """Names under which this service is called, besides loopback ones."""
    image_hosts: tuple[ImageHost, ...] = ()
    """Other hosts, by https, that pictures of items may come from."""
    default: str | None = None
    """The catalogue meant where a request names none; the first one by default."""
    catalogues: dict[str, CatalogueConfig] = Field(default_factory=_films)
    page: Literal["local", "open", "off"] = "local"
    """Who may see the page: whoever may call the service, everyone, or no one."""
    cache_megabytes: Annotated[int, Field(ge=1, le=1_000_000)] = 256
    drain_seconds: Annotated[int, Field(ge=1, le=600)] = 10
    modules: Path | None = None
    """Folder of strategies and estimators of one's own; the configuration file's by default."""

    @property
    def default_catalogue(self) -> str | None:
        """The catalogue meant where a request names none."""
        return self.default or next(iter(self.catalogues), None)


def read_config(path: Path | None, **given: Any) -> ServiceConfig:
    """The file's content, under what the command line and the environment say."""
    content: dict[str, Any] = {}
    if path is not None:
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InvalidInput(f"{path} cannot be read as TOML: {error}.") from None
    if DATABASE in os.environ:
        content["database"] = os.environ[DATABASE]
    content |= {name: value for name, value in given.items() if value is not None}
    if path is not None:  # parts of one's own lie beside the file
        content["modules"] = str((path.parent / str(content.get("modules", "."))).resolve())
        add_folder(Path(content["modules"]))
    try:
        config = ServiceConfig.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"{path or 'options'}: {where}: {first['msg']}.") from None
    for name, each in config.catalogues.items():
        if each.demo == (each.file is not None):
            raise InvalidInput(f"catalogues.{name} must have either demo = true or a file.")
        if each.file is not None and path is not None:
            _must_exist(path.parent / each.file)
        if each.settings is not None:
            agent = each.settings.agent
            agent_of(agent, _SMALLEST, f"catalogues.{name}.settings.agent", strangers=True)
    return _anchored(config, path)


def _must_exist(file: Path) -> None:
    if not file.is_file():
        raise InvalidInput(f"There is no file {file}.")


def _anchored(config: ServiceConfig, path: Path | None) -> ServiceConfig:
    """With files as seen from the configuration's own folder."""
    if path is None:
        return config
    catalogues = {
        name: each
        if each.file is None
        else each.model_copy(update={"file": (path.parent / each.file).resolve()})
        for name, each in config.catalogues.items()
    }
    return config.model_copy(update={"catalogues": catalogues})


def key_from_environment(config: ServiceConfig, *, stored: bool = False) -> str | None:
    """The key; a service that others can reach must have one, here or ``stored``."""
    key = os.environ.get(KEY) or None
    if key is not None and len(key) < SHORTEST_KEY:
        raise InvalidInput(
            f"{KEY} must have at least {SHORTEST_KEY} characters, it has {len(key)}."
        )
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise InvalidInput(f"{KEY} must be printable ASCII without spaces, to fit into a header.")
    if key is None and not stored and not is_loopback(config.host):
        raise InvalidInput(
            f"Others could reach {config.host} without a key. Set {KEY}, make one (conlinucb keys "
            f"make), or bind to 127.0.0.1."
        )
    if key is None and not stored and config.page == "open":
        raise InvalidInput(
            f"An open page needs a key for everything else. Set {KEY}, make one (conlinucb keys "
            f'make --name admin --scope admin), or set page = "local".'
        )
    return key


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a service bound to this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
