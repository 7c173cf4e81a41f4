"""What the planner believes of each peer."""

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "peer_costs",
        sa.Column("peer_id", sa.String(), nullable=False),
        sa.Column("believed", sa.String(), nullable=False),
        sa.Column("changed_at_ns", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["peer_id"], ["peers.id"], name=op.f("fk_peer_costs_peer_id")),
        sa.PrimaryKeyConstraint("peer_id", name=op.f("pk_peer_costs")),
    )
