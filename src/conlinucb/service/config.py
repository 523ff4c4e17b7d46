"""How a service is set up: every setting, and the rules between them."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from conlinucb.agent.named import add_folder
from conlinucb.agent.spec import agent_of
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.service.settings import Settings
from conlinucb.service.sources import read_layers, secret, validated
from conlinucb.service.storage.database import CONNECTIONS, WAIT, Limits

KEY = "CONLINUCB_KEY"
DATABASE = "CONLINUCB_DATABASE"
SERVICE = "CONLINUCB_SERVICE"
"""The configuration as JSON, from the parent process to its workers."""
METRICS = "PROMETHEUS_MULTIPROC_DIR"
"""Where workers put what they count; it must be set before the Prometheus client is imported."""
PREPARED = "CONLINUCB_PREPARED"
"""The file that says to workers which replace others that the configuration was applied."""
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
    groups: int | None = Field(default=None, ge=1, le=1000)
    settings: Settings | None = None


def _films() -> dict[str, CatalogueConfig]:
    return {"films": CatalogueConfig(demo=True)}


class ServiceConfig(BaseModel):
    """Everything about a service but its key, which is only ever in the environment.

    A field with a description is all that a new setting takes: its option, its variable, its
    entry in the file and its line in docs/settings.md follow from it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    database: str = Field(
        default="sqlite:///conlinucb.db",
        description="sqlite:///PATH or postgresql://USER@HOST/NAME; sqlite:// is in memory.",
    )
    host: str = Field(default="127.0.0.1", description="Address to bind to.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to bind to; 0: a free one.")
    workers: int = Field(default=1, ge=1, le=64, description="Processes that answer requests.")
    hosts: tuple[str, ...] = Field(
        default=(), description="Names under which this service is called, besides loopback ones."
    )
    image_hosts: tuple[ImageHost, ...] = Field(
        default=(), description="Other hosts, by https, that pictures of items may come from."
    )
    default: str | None = Field(
        default=None,
        description="The catalogue meant where a request names none; otherwise the first one.",
    )
    catalogues: dict[str, CatalogueConfig] = Field(
        default_factory=_films,
        description="Catalogues to have from the start, by name: file or demo, d, groups, "
        "settings.",
    )
    page: Literal["local", "open", "off"] = Field(
        default="local",
        description="Who may see the page: local (who may call the API), open (all), off (nobody).",
    )
    database_connections: int = Field(
        default=CONNECTIONS,
        ge=1,
        le=1000,
        description="Connections to the database that one worker holds open at most.",
    )
    database_wait_seconds: float = Field(
        default=WAIT,
        ge=0.1,
        le=600,
        description="Seconds to wait for a lock, a free connection or an answer of the database.",
    )
    statement_timeout_seconds: float = Field(
        default=30.0,
        ge=1,
        le=3600,
        description="Seconds that one statement may take on PostgreSQL.",
    )
    threads: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Requests at work at once in one worker; as many as it has connections.",
    )
    cache_megabytes: int = Field(
        default=256, ge=1, le=1_000_000, description="States of people kept at hand, by a worker."
    )
    keep_changes_hours: Annotated[int, Field(ge=0, le=100_000)] = Field(
        default=24,
        description="Hours for which changes of a catalogue stay after they were compacted, so "
        "that replicas of the release before can still start.",
    )
    drain_seconds: int = Field(
        default=10, ge=1, le=600, description="How long requests may finish when it stops."
    )
    lame_duck_seconds: float = Field(
        default=2.0,
        ge=0,
        le=600,
        description="Before it stops, so long it says at /readyz that it is leaving, and serves.",
    )
    most_connections: int = Field(
        default=2_000,
        ge=10,
        le=1_000_000,
        description="Open connections of a worker; for more, who has waited longest is closed.",
    )
    most_headers: int = Field(
        default=100, ge=10, le=10_000, description="Headers of a request, at most."
    )
    header_kilobytes: int = Field(
        default=32,
        ge=4,
        le=1_000,
        description="Size of all headers of a request, with its address.",
    )
    body_megabytes: int = Field(
        default=256,
        ge=128,
        le=1_000_000,
        description="Size of all bodies that a worker holds at once; the slowest are turned away.",
    )
    unpacked_megabytes: int = Field(
        default=256,
        ge=1,
        le=1_000_000,
        description="Size of an uploaded table once it is unpacked.",
    )
    upload_seconds: float = Field(
        default=120.0, gt=0, le=3_600, description="How long reading an upload may take."
    )
    unsent_megabytes: int = Field(
        default=64,
        ge=1,
        le=1_000_000,
        description="Size of answers that wait to be read; the slowest readers lose theirs.",
    )
    write_seconds: float = Field(
        default=20.0,
        gt=0,
        le=3_600,
        description="An answer of which so long next to nothing is read closes its connection.",
    )
    key_requests_per_second: float = Field(
        default=2_000,
        ge=0,
        le=1e6,
        description="Requests of one key, on this server; 0: any number.",
    )
    visitor_requests_per_second: float = Field(
        default=20,
        ge=0,
        le=1e6,
        description="Requests of one visitor of an open page; 0: any number.",
    )
    address_requests_per_second: float = Field(
        default=200,
        ge=0,
        le=1e6,
        description="Requests of all without a key from one address; 0: any number.",
    )
    new_visitors_per_minute: float = Field(
        default=300,
        ge=0,
        le=1e6,
        description="Visitors from one address who were not here before; 0: any number.",
    )
    burst_seconds: float = Field(
        default=10,
        gt=0,
        le=3_600,
        description="Requests for so many seconds may come at once, where they are limited.",
    )
    log_format: Literal["auto", "text", "json"] = Field(
        default="auto",
        description="Lines of the log: text, json, or auto (text for a terminal, else JSON).",
    )
    access_log: bool = Field(default=False, description="A line in the log for each request.")
    modules: Path | None = Field(
        default=None,
        description="Folder of strategies and estimators of your own; otherwise the file's.",
    )

    @property
    def limits(self) -> Limits:
        """How much of the database one worker takes."""
        return Limits(
            self.database_connections, self.database_wait_seconds, self.statement_timeout_seconds
        )

    @property
    def default_catalogue(self) -> str | None:
        """The catalogue meant where a request names none."""
        return self.default or next(iter(self.catalogues), None)


def read_config(path: Path | None, **given: Any) -> ServiceConfig:
    """What options say, before the environment, before the file."""
    return read_with_origins(path, given)[0]


def read_with_origins(
    path: Path | None, given: Mapping[str, Any]
) -> tuple[ServiceConfig, dict[str, str]]:
    """The configuration, and where each setting that is not the default came from."""
    layers = read_layers(ServiceConfig, path, given)
    content, origins = layers.content, layers.origins
    beside = Path() if path is None else path.parent
    if path is not None and origins.get("modules", str(path)) == str(path):
        content["modules"] = str((beside / str(content.get("modules", "."))).resolve())
    config = validated(ServiceConfig, layers)
    if config.modules is not None:
        if not config.modules.is_dir():
            raise InvalidInput(f"modules: there is no folder {config.modules}.")
        add_folder(config.modules)
    of_file = path is not None and origins.get("catalogues") == str(path)
    config = _anchored(config, beside if of_file else Path())
    for name, each in config.catalogues.items():
        _check_catalogue(name, each)
    return config, origins


def _check_catalogue(name: str, config: CatalogueConfig) -> None:
    if "/" in name:
        raise InvalidInput(f"catalogues.{name!r}: a name cannot have a slash, it is in addresses.")
    if config.demo == (config.file is not None):
        raise InvalidInput(f"catalogues.{name} must have either demo = true or a file.")
    if config.demo and config.groups is not None:
        raise InvalidInput(f"catalogues.{name}: the demo films have topics, so groups has no use.")
    if config.file is not None and not config.file.is_file():
        raise InvalidInput(f"There is no file {config.file}.")
    if config.settings is not None:
        agent = config.settings.asking_agent
        agent_of(agent, _SMALLEST, f"catalogues.{name}.settings.agent", strangers=True)


def _anchored(config: ServiceConfig, folder: Path) -> ServiceConfig:
    """With files as seen from the configuration's own folder."""
    catalogues = {
        name: each
        if each.file is None
        else each.model_copy(update={"file": (folder / each.file).resolve()})
        for name, each in config.catalogues.items()
    }
    return config.model_copy(update={"catalogues": catalogues})


def key_from_environment(config: ServiceConfig, *, stored: bool = False) -> str | None:
    """The key; a service that others can reach must have one, here or ``stored``."""
    key = secret("KEY")
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


@lru_cache(maxsize=256)  # of every request's host
def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a service bound to this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
