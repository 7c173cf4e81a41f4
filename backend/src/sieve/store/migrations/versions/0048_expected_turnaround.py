"""Timings say what authors expected and how long they waited; what a gateway sends to itself counts once."""

import sqlalchemy as sa
from alembic import op

revision: str = "0048"
down_revision: str | None = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("turnaround_us", "expected_us"):
        op.add_column("timing_records", sa.Column(name, sa.BigInteger()))
    for name in ("expected", "expected_within_two", "expected_us", "turnaround_us"):
        column = sa.Column(name, sa.BigInteger(), nullable=False, server_default=sa.text("0"))
        op.add_column("timing_rollups", column)
    # The groups of what a gateway received from itself have a direction of their own from now on.
    op.execute(
        "UPDATE timing_state SET rebuild_from_s = 0 WHERE EXISTS "
        "(SELECT 1 FROM timing_groups WHERE grain = 'peer' AND direction = 'received' AND peer_id = 'own')"
    )
