"""Making a database what this version of the package needs."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import func, inspect, select

from conlinucb.errors import Outdated
from conlinucb.service.storage.database import Database
from conlinucb.service.storage.schema import compatible

_one_at_a_time = threading.Lock()  # Alembic keeps its context in a global
SCRIPTS = Path(__file__).parent / "migrations"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    return config


@cache
def known() -> tuple[str, ...]:
    """The migrations of this version of the package, the last one first."""
    return tuple(each.revision for each in ScriptDirectory.from_config(_config()).walk_revisions())


def wanted() -> str:
    """The migration that this version of the package ends with."""
    return known()[0]


def current(database: Database) -> str | None:
    """The last migration this database has had; None for an empty one."""
    with database.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def state(database: Database) -> str:
    """ "ok", or what is wrong with a database's migrations, for anyone to read."""
    found = current(database)
    if found == wanted() or _runs_on_newer(database, found):
        return "ok"
    return f"at {found or 'none'}, {wanted()} is needed: {_advice(found)}"


def _runs_on_newer(database: Database, found: str | None) -> bool:
    """Whether a database of a later package says that this one may go on using it."""
    if found is None or found <= wanted():  # they are numbers of four digits
        return False
    with database.connect() as connection:
        if not inspect(connection).has_table(compatible.name):
            return False
        oldest = connection.scalar(select(func.max(compatible.c.oldest)))
    return isinstance(oldest, str) and oldest <= wanted()


def upgrade(database: Database, to: str = "head") -> None:
    """Run the migrations that are missing; a later package may have run them, and more."""
    if _runs_on_newer(database, current(database)):
        return
    try:
        config = _config()
        config.attributes["database"] = database
        with _one_at_a_time:
            command.upgrade(config, to)
    except CommandError as error:
        raise Outdated(
            f"The database {database.place} is of another version of conlinucb: {error}"
        ) from error


def require_current(database: Database) -> None:
    """Refuse a database that has other migrations than ours, unless it says that it will do."""
    found, needed = current(database), wanted()
    if found != needed and not _runs_on_newer(database, found):
        raise Outdated(
            f"The database {database.place} is at migration {found or 'none'}, this version of "
            f"conlinucb needs {needed}. {_advice(found)}"
        )


def _advice(found: str | None) -> str:
    if found is None or found in known():
        return "Run: conlinucb db upgrade"
    return "That is none of this version's: use the conlinucb that wrote it, or a newer one."
