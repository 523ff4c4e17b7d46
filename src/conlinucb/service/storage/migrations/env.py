"""How Alembic reaches the database: over the one the caller has open."""

from __future__ import annotations

from alembic import context

from conlinucb.service.storage.database import Database
from conlinucb.service.storage.schema import metadata

LOCK = 5_308_316
"""Two processes that upgrade one PostgreSQL at once do so one after the other."""


def run() -> None:
    """Migrate in one transaction."""
    database: Database = context.config.attributes["database"]
    with database.transaction() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
        context.configure(connection=connection, target_metadata=metadata)
        context.run_migrations()


run()
