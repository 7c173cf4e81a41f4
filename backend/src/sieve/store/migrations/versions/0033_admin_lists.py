"""Admins list received documents, see when each peer was last in contact, and filter the audit log."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0033"
down_revision: str | None = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_received_list", "received", ["received_at_ns", "id", "peer_id"])
    op.create_index("ix_audit_entries_list", "audit_entries", ["at_ns", "id", "actor", "action"])
    op.create_index("ix_audit_entries_actor_list", "audit_entries", ["actor", "at_ns", "id", "action"])
    # The first of these serves what it did.
    op.drop_index("ix_audit_entries_at_ns_id", table_name="audit_entries")
    op.create_table(
        "peer_contacts",
        sa.Column("peer_id", sa.String(), nullable=False),
        sa.Column("reached_at_ns", sa.BigInteger()),
        sa.Column("heard_at_ns", sa.BigInteger()),
        sa.Column("certificate_until_ns", sa.BigInteger()),
        sa.Column("latency_us", WHOLE_NUMBER),
        sa.Column("protocol", WHOLE_NUMBER),
        sa.ForeignKeyConstraint(["peer_id"], ["peers.id"], name="fk_peer_contacts_peer_id"),
        sa.PrimaryKeyConstraint("peer_id", name="pk_peer_contacts"),
    )
