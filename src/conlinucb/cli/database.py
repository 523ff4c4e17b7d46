"""What the service's commands share: options, and the extra they need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.errors import InvalidInput, MissingExtra, StorageError

if TYPE_CHECKING:
    from conlinucb.service.catalogues.registry import Catalogues
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


def storage_of(config: Path | None, database: str | None) -> Storage:
    """The database that these options mean, in whatever state it is."""
    need_service()
    from conlinucb.service.config import read_config
    from conlinucb.service.storage import Storage

    settings = read_config(config, database=database)
    return Storage(settings.database, settings.limits)


def open_storage(config: Path | None, database: str | None) -> Storage:
    """The database that is meant, if it is there and as this version needs it."""
    storage = storage_of(config, database)
    from conlinucb.service.storage import migrate

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


def open_catalogues(config: Path | None, database: str | None) -> tuple[Storage, Catalogues]:
    """A service's database, and the catalogues in it as they are served."""
    storage = open_storage(config, database)
    from conlinucb.service.catalogues.registry import Catalogues

    catalogues = Catalogues(storage)
    catalogues.opened = True
    catalogues.refresh()
    return storage, catalogues


def has_key(config: ServiceConfig) -> bool:
    """Whether a key of the database opens something; not where it does not answer."""
    from conlinucb.service.storage import Storage, migrate, now

    storage = Storage(config.database, config.limits)
    try:
        storage.database.must_exist()
        if migrate.current(storage.database) is None:
            return False
        return any(each.is_live(now()) for each in storage.keys.all())
    except (InvalidInput, StorageError):
        return False
    finally:
        storage.close()
