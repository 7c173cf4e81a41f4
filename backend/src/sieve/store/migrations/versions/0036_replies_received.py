"""Received transfers name the transfer that they answer, so that its page can list the replies."""

import sqlalchemy as sa
from alembic import op

revision: str = "0036"
down_revision: str | None = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("received", sa.Column("in_reply_to", sa.String(), nullable=True))
    answers = sa.text("in_reply_to IS NOT NULL")
    op.create_index(
        "ix_received_in_reply_to", "received", ["in_reply_to"], sqlite_where=answers, postgresql_where=answers
    )
