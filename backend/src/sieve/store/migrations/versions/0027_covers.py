"""Covers of transfers, sent and received; replies; read receipts."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0027"
down_revision: str | None = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("drafts", sa.Column("reply_to", sa.String(), nullable=True))
    for table in ("transfers", "received"):
        op.add_column(table, sa.Column("cover", sa.LargeBinary(), nullable=True))
        op.add_column(table, sa.Column("read_receipts", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("transfers", sa.Column("reply_to_id", sa.String(), nullable=True))
    op.add_column("transfer_recipients", sa.Column("opened_at_ns", sa.BigInteger(), nullable=True))
    op.create_table(
        "read_receipts",
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("opened_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("next_try_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("tries", WHOLE_NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["inbox.id"], name=op.f("fk_read_receipts_entry_id")),
        sa.PrimaryKeyConstraint("entry_id", name=op.f("pk_read_receipts")),
    )
    waiting = sa.text("next_try_at_ns IS NOT NULL")
    op.create_index(
        "ix_read_receipts_due", "read_receipts", ["next_try_at_ns"], sqlite_where=waiting, postgresql_where=waiting
    )
