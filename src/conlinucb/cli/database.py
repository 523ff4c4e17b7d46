"""What the service's commands share: options, and the extra they need."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conlinucb.errors import MissingExtra

if TYPE_CHECKING:
    from conlinucb.service.storage import Storage

Config = Annotated[Path | None, typer.Option(help="A TOML file.", metavar="FILE")]
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
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("service", "The service") from None


def open_storage(config: Path | None, database: str | None) -> Storage:
    """The database that is meant, if it is there and as this version needs it."""
    need_service()
    from conlinucb.service.config import read_config
    from conlinucb.service.storage import Storage, migrate

    settings = read_config(config, database=database)
    storage = Storage(settings.database, settings.limits)
    storage.database.must_exist()
    migrate.require_current(storage.database)
    return storage
