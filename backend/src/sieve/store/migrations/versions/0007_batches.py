"""Transfers that their author chose to go together; and an index by which a peer's next ones are found in order."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transfers", sa.Column("batch_id", sa.String(), nullable=True))
    op.add_column("transfers", sa.Column("batch_size", WHOLE_NUMBER, nullable=True))
    # It begins with the peer, so it serves what the index of peers alone did.
    op.create_index(
        "ix_transfers_peer_id_state_turn",
        "transfers",
        ["peer_id", "state", "next_try_at_ns", "created_at_ns", "id"],
        unique=False,
    )
    op.drop_index("ix_transfers_peer_id", table_name="transfers")
