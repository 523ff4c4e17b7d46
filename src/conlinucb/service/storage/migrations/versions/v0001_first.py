"""The first tables: catalogues, people, events, snapshots."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go on to this version."""
    op.create_table(
        "catalogues",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("serving", sa.Integer(), nullable=False),
        sa.Column("pending", sa.Integer(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalogues")),
        sa.UniqueConstraint("name", name=op.f("uq_catalogues_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "departures",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("person", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_departures")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "changes",
        sa.Column("catalogue", KEY, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("crc", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["catalogue"], ["catalogues.id"], name=op.f("fk_changes_catalogue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("catalogue", "number", name=op.f("pk_changes")),
    )
    op.create_table(
        "people",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("catalogue", KEY, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("seed", sa.String(length=20), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["catalogue"], ["catalogues.id"], name=op.f("fk_people_catalogue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("catalogue", "name", name=op.f("uq_people_catalogue_name")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_people_name"), "people", ["name"], unique=False)
    op.create_table(
        "events",
        sa.Column("person", KEY, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("crc", sa.BigInteger(), nullable=False),
        sa.Column("client_id", sa.String(length=200), nullable=True),
        sa.Column("subject", sa.String(length=500), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_events_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person", "seq", name=op.f("pk_events")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_events_person_client_id"),
        "events",
        ["person", "client_id"],
        unique=True,
        sqlite_where=sa.text("client_id IS NOT NULL"),
        postgresql_where=sa.text("client_id IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_events_person_subject"),
        "events",
        ["person", "subject"],
        unique=True,
        sqlite_where=sa.text("subject IS NOT NULL"),
        postgresql_where=sa.text("subject IS NOT NULL"),
    )
    op.create_table(
        "quarantine",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("person", KEY, nullable=True),
        sa.Column("catalogue", KEY, nullable=True),
        sa.Column("what", sa.String(length=100), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("once", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["catalogue"],
            ["catalogues.id"],
            name=op.f("fk_quarantine_catalogue"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_quarantine_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quarantine")),
        sa.UniqueConstraint("once", name=op.f("uq_quarantine_once")),
    )
    op.create_table(
        "snapshots",
        sa.Column("person", KEY, nullable=False),
        sa.Column("basis", sa.String(length=500), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("crc", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_snapshots_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person", "basis", name=op.f("pk_snapshots")),
    )
