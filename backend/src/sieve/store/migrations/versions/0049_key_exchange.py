"""Timings say in which group the secure channel agreed on its keys."""

import sqlalchemy as sa
from alembic import op

revision: str = "0049"
down_revision: str | None = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("timing_records", sa.Column("key_exchange", sa.String()))
