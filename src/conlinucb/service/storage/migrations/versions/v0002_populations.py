"""What people are like in general, learned from the log, version by version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go on to this version."""
    op.create_table(
        "populations",
        sa.Column("catalogue", KEY, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("base", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=200), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("crc", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["catalogue"],
            ["catalogues.id"],
            name=op.f("fk_populations_catalogue"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("catalogue", "number", name=op.f("pk_populations")),
    )
    op.create_table(
        "leases",
        sa.Column("catalogue", KEY, nullable=False),
        sa.Column("what", sa.String(length=20), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["catalogue"], ["catalogues.id"], name=op.f("fk_leases_catalogue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("catalogue", "what", name=op.f("pk_leases")),
    )
