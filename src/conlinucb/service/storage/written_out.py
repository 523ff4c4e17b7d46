"""An insert of a row, written out once: SQLAlchemy takes longer to find its text than to run it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Dialect, Table, insert


class Insert:
    """Into one table, all of its columns.

    >>> from sqlalchemy.dialects import sqlite
    >>> from conlinucb.service.storage.schema import aliases
    >>> print(Insert(aliases, sqlite.dialect()).text)
    INSERT INTO aliases (person, client_id, seq) VALUES (?, ?, ?)
    """

    def __init__(self, table: Table, dialect: Dialect) -> None:
        compiled = insert(table).compile(dialect=dialect)
        self.text = str(compiled)
        self._order = None if compiled.positiontup is None else tuple(compiled.positiontup)

    def run(self, connection: Connection, row: dict[str, Any]) -> None:
        """Insert a row that has every column."""
        order = self._order
        given = row if order is None else tuple(row[name] for name in order)
        connection.exec_driver_sql(self.text, given)
