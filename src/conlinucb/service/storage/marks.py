"""What is still owed to someone deleted: a row until they have left the files, too."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import Connection, insert, text

from conlinucb.service.storage.schema import progress

START = "erase "
"""How the names of these rows begin. No word in them tells who it was."""


def leave(connection: Connection, at: int = 0) -> str:
    """Write down that something was deleted, in the same transaction; the mark's name.

    With ``at`` 0 the first process that comes across it takes it over.
    """
    name = START + uuid4().hex
    body = ""
    if connection.dialect.name == "postgresql":  # whoever began before may still see the rows
        body = str(connection.scalar(text("SELECT pg_current_xact_id()::text")))
    connection.execute(insert(progress), {"name": name, "body": body, "at": at})
    return name
