"""Keys, experiments, kept counts, compacted catalogues and whole-row checksums.

Only adds, so that the code of before goes on working beside the code that needs it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from conlinucb.service.storage.partitions import LAYOUTS, made, swapped

revision = "0003"
down_revision = "0002"
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
OLDEST = "0002"
"""The first migration whose code can run on what this one leaves."""


def upgrade() -> None:
    """Go on to this version."""
    op.add_column("catalogues", sa.Column("gone", sa.BigInteger()))
    op.add_column("events", sa.Column("seal", sa.BigInteger()))
    _of_catalogues()
    _of_the_service()
    op.create_table(
        "aliases",
        sa.Column("person", KEY, nullable=False),
        sa.Column("client_id", sa.String(length=200), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_aliases_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person", "client_id", name=op.f("pk_aliases")),
    )
    op.create_index(op.f("ix_people_catalogue_id"), "people", ["catalogue", "id"])
    op.create_index(op.f("ix_quarantine_person"), "quarantine", ["person"])
    if op.get_bind().dialect.name == "postgresql":
        _in_parts()


def _in_parts() -> None:
    """Tables without a row; those with rows stay as they are until ``conlinucb db partition``."""
    for layout in LAYOUTS:
        if not op.get_bind().scalar(sa.text(f"SELECT EXISTS (SELECT FROM {layout.table})")):
            for statement in (*made(layout), *swapped(layout)):
                op.execute(statement)


def _of_catalogues() -> None:
    op.create_table(
        "bases",
        *_numbered("bases"),
        sa.Column("base", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("crc", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "experiments",
        *_numbered("experiments"),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("crc", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("ended", sa.BigInteger()),
    )
    op.create_table(
        "counts",
        *_numbered("counts", "shard"),
        sa.Column("people", sa.BigInteger(), nullable=False),
        sa.Column("events", sa.BigInteger(), nullable=False),
    )


def _numbered(table: str, number: str = "number") -> list[sa.schema.SchemaItem]:
    """What the tables have in common that belong to a catalogue and count something."""
    return [
        sa.Column("catalogue", KEY, nullable=False),
        sa.Column(number, sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["catalogue"], ["catalogues.id"], name=op.f(f"fk_{table}_catalogue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("catalogue", number, name=op.f(f"pk_{table}")),
    ]


def _of_the_service() -> None:
    op.create_table(
        "keys",
        sa.Column("id", KEY, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("scope", sa.String(length=20), nullable=False),
        sa.Column("catalogue", sa.String(length=200)),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger()),
        sa.Column("revoked", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_keys_digest")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_keys_name"), "keys", ["name"])
    op.create_table(
        "progress",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_progress")),
    )
    compatible = op.create_table(
        "compatible",
        sa.Column("oldest", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("oldest", name=op.f("pk_compatible")),
    )
    op.bulk_insert(compatible, [{"oldest": OLDEST}])
