"""What the service's commands share: options, and the extra they need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from conlinucb.service.config import ServiceConfig
    from conlinucb.service.storage import Storage
    from conlinucb.service.storage.database import Database as OpenDatabase

Config = Annotated[
    Path | None, typer.Option(help="A TOML file.", metavar="FILE", envvar="CONLINUCB_CONFIG")
]
Database = Annotated[
    str | None,
    typer.Option(
        help="sqlite:///PATH or postgresql://USER@HOST/NAME; also CONLINUCB_DATABASE.",
        show_default="sqlite:///conlinucb.db",
    ),
]


def need_service() -> None:
    """Say what to install where the service's packages are missing."""
    try:
        import alembic  # noqa: F401
        import fastapi  # noqa: F401
        import pydantic_settings  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("service", "The service") from None


def any_storage(config: Path | None, database: str | None) -> Storage:
    """The database that is meant, whatever it is."""
    need_service()
    from conlinucb.service.config import read_config
    from conlinucb.service.storage import Storage

    settings = read_config(config, database=database)
    return Storage(settings.database, settings.limits)


def open_storage(config: Path | None, database: str | None) -> Storage:
    """The database that is meant, if it is there and as this version needs it."""
    from conlinucb.service.storage import migrate

    storage = any_storage(config, database)
    storage.database.must_exist()
    migrate.require_current(storage.database)
    return storage


def open_database(config: ServiceConfig) -> OpenDatabase:
    """The database of a service; refuses what is none, and what its workers could not share."""
    from conlinucb.service.storage.database import Database

    found = Database(config.database, config.limits)
    if found.is_memory and config.workers > 1:
        raise InvalidInput("A database in memory has one process: use --workers 1, or a file.")
    return found
