"""What each peer last said about itself and its recipients; since when a transfer waits for its peer."""

import sqlalchemy as sa
from alembic import op

revision: str = "0020"
down_revision: str | None = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "peer_directories",
        sa.Column(
            "peer_id", sa.String(), sa.ForeignKey("peers.id", name="fk_peer_directories_peer_id"), nullable=False
        ),
        sa.Column("hello", sa.String(), nullable=False),
        sa.Column("recipients", sa.String(), nullable=False),
        sa.Column("said_at_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("peer_id", name="pk_peer_directories"),
    )
    op.add_column("transfers", sa.Column("unreachable_since_ns", sa.BigInteger(), nullable=True))
