"""The tables. The events are the truth; snapshots can be thrown away at any time."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
Key = BigInteger().with_variant(Integer, "sqlite")
_NO_REUSE: Any = {"sqlite_autoincrement": True}
"""Ids are never given twice, so a writer who still thinks of a deleted person finds no one."""
_BY_PERSON = "HASH (person)"
"""Of new databases; one that had rows before has plain tables until they are moved."""

catalogues = Table(
    "catalogues",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("serving", Integer, nullable=False),  # number of the change that is served, 0 for none
    Column("pending", Integer),  # number of the change that is being built
    Column("leased_until", BigInteger, nullable=False),  # by whoever builds it
    Column("gone", BigInteger),  # since when it is being deleted; its name is free then
    **_NO_REUSE,
)

changes = Table(
    "changes",
    metadata,
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),  # replace, add, remove, settings, population
    Column("body", LargeBinary, nullable=False),
    Column("crc", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
)

bases = Table(
    "bases",
    metadata,
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("base", Integer, nullable=False),  # the whole version that it goes back to
    Column("body", LargeBinary, nullable=False),  # all changes up to this number in one
    Column("crc", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
)

experiments = Table(
    "experiments",
    metadata,
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("crc", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("ended", BigInteger),
)

counts = Table(
    "counts",
    metadata,
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE"), primary_key=True),
    Column("shard", Integer, primary_key=True, autoincrement=False),  # so that no row is hot
    Column("people", BigInteger, nullable=False),
    Column("events", BigInteger, nullable=False),
)

populations = Table(
    "populations",
    metadata,
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("base", Integer, nullable=False),  # the whole version whose features it is about
    Column("people", Integer, nullable=False),  # who had said enough when it was learned
    Column("digest", String(200), nullable=False),
    Column("note", Text, nullable=False),  # what the fit says of itself, as JSON
    Column("data", LargeBinary, nullable=False),
    Column("crc", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE"), primary_key=True),
    Column("what", String(20), primary_key=True),  # work that one process is enough for
    Column("until", BigInteger, nullable=False),
)

people = Table(
    "people",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("seed", String(20), nullable=False),  # 64 bits without a sign fit no column type
    Column("at", BigInteger, nullable=False),
    UniqueConstraint("catalogue", "name"),
    Index(None, "name"),
    Index(None, "catalogue", "id"),  # a catalogue's people one after the other
    **_NO_REUSE,
)

events = Table(
    "events",
    metadata,
    Column("person", Key, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("crc", BigInteger, nullable=False),
    Column("client_id", String(200)),
    Column("subject", String(500)),  # what may be said only once: an answer, a reward
    Column("at", BigInteger, nullable=False),
    Column("seal", BigInteger),  # a checksum over the whole row; none where older code wrote it
    sqlite_with_rowid=False,
    postgresql_partition_by=_BY_PERSON,
)
for _once in (events.c.client_id, events.c.subject):
    _given = _once.is_not(None)
    Index(None, events.c.person, _once, unique=True, sqlite_where=_given, postgresql_where=_given)

aliases = Table(
    "aliases",
    metadata,
    Column("person", Key, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("client_id", String(200), primary_key=True),  # acknowledged as a repetition
    Column("seq", Integer, nullable=False),  # of this event
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("person", Key, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("basis", String(500), primary_key=True),  # features and prior that it is good for
    Column("seq", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("crc", BigInteger, nullable=False),
    postgresql_partition_by=_BY_PERSON,
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("person", Key, ForeignKey("people.id", ondelete="CASCADE"), index=True),
    Column("catalogue", Key, ForeignKey("catalogues.id", ondelete="CASCADE")),
    Column("what", String(100), nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("once", String(200), nullable=False, unique=True),  # all of these in one, without NULLs
)

departures = Table(
    "departures",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("person", BigInteger, nullable=False),  # no name: only for caches to forget
    Column("at", BigInteger, nullable=False),
    **_NO_REUSE,
)

keys = Table(
    "keys",
    metadata,
    Column("id", Key, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),  # never the key itself
    Column("scope", String(20), nullable=False),  # use, build or admin
    Column("catalogue", String(200)),  # the only one it opens, by name; none: all of them
    Column("at", BigInteger, nullable=False),
    Column("until", BigInteger),
    Column("revoked", BigInteger),
    Index(None, "name"),
    **_NO_REUSE,
)

progress = Table(
    "progress",
    metadata,
    Column("name", String(200), primary_key=True),  # of long work that can be gone on with
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

compatible = Table(
    "compatible",
    metadata,
    Column("oldest", String(32), primary_key=True),  # migration whose code can run on these tables
)
