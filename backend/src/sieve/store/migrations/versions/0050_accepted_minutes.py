"""How many transfers authors sent in each of the latest minutes."""

import sqlalchemy as sa
from alembic import op

revision: str = "0050"
down_revision: str | None = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "timing_accepted_minutes",
        sa.Column("start_s", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("start_s", name="pk_timing_accepted_minutes"),
    )
