"""Notifications by e-mail and webhooks."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0023"
down_revision: str | None = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("email", sa.String(), nullable=True))
    op.add_column("users", sa.Column("email_notifications", sa.Boolean(), nullable=False, server_default="0"))
    op.create_table(
        "notifications",
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("next_try_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("tries", WHOLE_NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("entry_id", "target", name="pk_notifications"),
        sa.ForeignKeyConstraint(["entry_id"], ["inbox.id"], name="fk_notifications_entry_id_inbox"),
    )
    op.create_index("ix_notifications_next_try_at_ns", "notifications", ["next_try_at_ns"])
    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("sent_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("problem", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_webhooks_user_id_users"),
    )
    op.create_index("ix_webhooks_user_id", "webhooks", ["user_id"])
