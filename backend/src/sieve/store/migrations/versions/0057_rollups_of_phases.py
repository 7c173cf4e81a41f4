"""Phases of many groups over many days are read from an index by group."""

import sqlalchemy as sa
from alembic import op

revision: str = "0057"
down_revision: str | None = "0056"
branch_labels = None
depends_on = None
is_expansion = True

PHASES = (
    "waiting_us",
    "sieve_us",
    "split_us",
    "establishment_us",
    "data_transfer_us",
    "combine_us",
    "integrate_us",
    "storing_us",
)


def upgrade() -> None:
    op.create_index(
        "ix_timing_rollups_phases",
        "timing_rollups",
        ["width_s", "grain", "group_id", "start_s", "timed", *PHASES],
        sqlite_where=sa.text("width_s >= 86400"),
        postgresql_where=sa.text("width_s >= 86400"),
    )
