"""A roll-up of timings holds its histograms; a rebuild continues after a restart."""

import sqlalchemy as sa
from alembic import op

revision: str = "0026"
down_revision: str | None = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    empty = "x''" if op.get_bind().dialect.name == "sqlite" else "''"
    for figure in ("response", "total", "stored", "waiting"):
        column = sa.Column(f"{figure}_counts", sa.LargeBinary(), nullable=False, server_default=sa.text(empty))
        op.add_column("timing_rollups", column)
        # The names are those above: no value of anybody is in the statement.
        op.execute(
            f"UPDATE timing_rollups SET {figure}_counts = found.counts FROM timing_histograms AS found "  # noqa: S608  # nosec B608
            f"WHERE found.figure = '{figure}' AND found.width_s = timing_rollups.width_s "
            "AND found.grain = timing_rollups.grain AND found.start_s = timing_rollups.start_s "
            "AND found.group_id = timing_rollups.group_id"
        )
    op.drop_table("timing_histograms")
    op.add_column("timing_state", sa.Column("rebuild_from_s", sa.BigInteger()))
    # Roll-ups by two dimensions are for hours, too, from now on.
    op.execute("UPDATE timing_state SET rebuild_from_s = 0 WHERE rolled_up_id > 0")
