"""What is kept of documents that came in part; and how much of a transfer its peer holds."""

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "partials",
        sa.Column("peer_id", sa.String(), sa.ForeignKey("peers.id", name="fk_partials_peer_id"), nullable=False),
        sa.Column("transfer_id", sa.String(), nullable=False),
        sa.Column("manifest_digest", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("deadline_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("touched_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("blob_ids", sa.String(), nullable=False),
        sa.Column("kept", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("peer_id", "transfer_id", name="pk_partials"),
    )
    op.add_column("transfers", sa.Column("peer_holds", sa.BigInteger(), nullable=False, server_default="0"))
