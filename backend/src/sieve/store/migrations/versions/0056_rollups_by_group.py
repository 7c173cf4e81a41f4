"""Counts of many groups over many hours or days are read from an index by group."""

import sqlalchemy as sa
from alembic import op

revision: str = "0056"
down_revision: str | None = "0055"
branch_labels = None
depends_on = None
is_expansion = True


def upgrade() -> None:
    op.create_index(
        "ix_timing_rollups_group",
        "timing_rollups",
        ["width_s", "grain", "group_id", "start_s", "count", "timed", "total_us"],
        sqlite_where=sa.text("width_s >= 3600"),
        postgresql_where=sa.text("width_s >= 3600"),
    )
