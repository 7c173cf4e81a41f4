"""Versions of drafts, and how much of a document left the gateway in an attempt that did not deliver it."""

import sqlalchemy as sa
from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("before_restore", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("attempts", sa.Column("secure_left", sa.BigInteger(), nullable=True))
    op.add_column("attempts", sa.Column("plain_left", sa.BigInteger(), nullable=True))
