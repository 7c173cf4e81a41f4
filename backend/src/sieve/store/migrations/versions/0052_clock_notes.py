"""What is known of the machine's clock: a restart does not end a doubt."""

import sqlalchemy as sa
from alembic import op

revision: str = "0052"
down_revision: str | None = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "clock_notes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("believed_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("unconfirmed_ns", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clock_notes")),
    )
