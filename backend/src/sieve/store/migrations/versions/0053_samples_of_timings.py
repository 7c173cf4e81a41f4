"""Samples of many timing records, and the groups of a peer, are read from indexes of their own."""

import sqlalchemy as sa
from alembic import op

revision: str = "0053"
down_revision: str | None = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_timing_records_sampled",
        "timing_records",
        [
            "sample",
            "at_ns",
            "direction",
            "outcome",
            "mode",
            "peer_id",
            "size",
            "classified_size",
            "secure_channels",
            "plain_channels",
            "suite",
            "batch",
            "transfer_id",
            "attempt",
            "waiting_us",
            "sieve_us",
            "split_us",
            "establishment_us",
            "data_transfer_us",
            "combine_us",
            "integrate_us",
            "storing_us",
            "response_us",
            "total_us",
            "stored_us",
        ],
        sqlite_where=sa.text("sample >= 4"),
        postgresql_where=sa.text("sample >= 4"),
    )
    op.create_index(
        "ix_timing_groups_peer",
        "timing_groups",
        [
            "grain",
            "peer_id",
            "size_class",
            "share_class",
            "channels",
            "suite",
            "batch_class",
            "direction",
            "outcome",
            "mode",
        ],
    )
