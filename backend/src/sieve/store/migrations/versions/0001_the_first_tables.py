"""The first tables."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0001"
down_revision: str | None = None
branch_labels = None
depends_on = None

REMAINS = sa.text("state != 'removed'")


def upgrade() -> None:
    op.create_table(
        "blobs",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=True),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('plain', 'sealed')", name=op.f("ck_blobs_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blobs")),
    )
    op.create_table(
        "marks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("transfer_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("at_ns", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("role IN ('sender', 'receiver')", name=op.f("ck_marks_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_marks")),
    )
    op.create_index(op.f("ix_marks_transfer_id"), "marks", ["transfer_id"], unique=False)

    op.create_table(
        "peers",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("secure_url", sa.String(), nullable=False),
        sa.Column("plain_url", sa.String(), nullable=False),
        sa.Column("ca_der", sa.LargeBinary(), nullable=False),
        sa.Column("receipt_key", sa.LargeBinary(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("removed_at_ns", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("state IN ('unconfirmed', 'active', 'removed')", name=op.f("ck_peers_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_peers")),
    )
    op.create_index("uq_peers_name", "peers", ["name"], unique=True, sqlite_where=REMAINS, postgresql_where=REMAINS)

    op.create_table(
        "users",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("is_author", sa.Boolean(), nullable=False),
        sa.Column("is_recipient", sa.Boolean(), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("cleared", sa.Boolean(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("disabled_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
    )
    op.create_table(
        "breakers",
        sa.Column("peer_id", sa.String(), nullable=False),
        sa.Column("failures", WHOLE_NUMBER, nullable=False),
        sa.Column("open_until_ns", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["peer_id"], ["peers.id"], name=op.f("fk_breakers_peer_id")),
        sa.PrimaryKeyConstraint("peer_id", name=op.f("pk_breakers")),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("classified_size", sa.BigInteger(), nullable=False),
        sa.Column("plain_digest", sa.String(), nullable=False),
        sa.Column("plain_blob_id", sa.String(), nullable=False),
        sa.Column("sealed_blob_id", sa.String(), nullable=False),
        sa.Column("sieve_ns", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at_ns", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("origin IN ('authored', 'received')", name=op.f("ck_documents_origin")),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_documents_owner_id")),
        sa.ForeignKeyConstraint(["plain_blob_id"], ["blobs.id"], name=op.f("fk_documents_plain_blob_id")),
        sa.ForeignKeyConstraint(["sealed_blob_id"], ["blobs.id"], name=op.f("fk_documents_sealed_blob_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
    )
    op.create_index(op.f("ix_documents_owner_id"), "documents", ["owner_id"], unique=False)

    op.create_table(
        "peer_pins",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("peer_id", sa.String(), nullable=False),
        sa.Column("pin", sa.String(), nullable=False),
        sa.Column("added_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("retired_at_ns", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["peer_id"], ["peers.id"], name=op.f("fk_peer_pins_peer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_peer_pins")),
    )
    op.create_index(op.f("ix_peer_pins_peer_id"), "peer_pins", ["peer_id"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at_ns", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_tokens_hash")),
    )
    op.create_index(op.f("ix_tokens_user_id"), "tokens", ["user_id"], unique=False)

    op.create_table(
        "received",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("peer_id", sa.String(), nullable=False),
        sa.Column("transfer_id", sa.String(), nullable=False),
        sa.Column("manifest_digest", sa.String(), nullable=False),
        sa.Column("manifest_blob_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("sender_name", sa.String(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("receipt", sa.String(), nullable=False),
        sa.Column("received_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("deadline_at_ns", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_received_document_id")),
        sa.ForeignKeyConstraint(["manifest_blob_id"], ["blobs.id"], name=op.f("fk_received_manifest_blob_id")),
        sa.ForeignKeyConstraint(["peer_id"], ["peers.id"], name=op.f("fk_received_peer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_received")),
        sa.UniqueConstraint("peer_id", "transfer_id", name=op.f("uq_received_peer_id_transfer_id")),
    )
    op.create_index(op.f("ix_received_document_id"), "received", ["document_id"], unique=False)

    op.create_table(
        "transfers",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("author_id", sa.String(), nullable=False),
        sa.Column("peer_id", sa.String(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("manifest_blob_id", sa.String(), nullable=False),
        sa.Column("manifest_digest", sa.String(), nullable=False),
        sa.Column("recipients_checked", sa.Boolean(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("lease_token", sa.String(), nullable=True),
        sa.Column("lease_until_ns", sa.BigInteger(), nullable=True),
        sa.Column("next_try_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("fruitless_tries", WHOLE_NUMBER, nullable=False),
        sa.Column("deadline_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("verified_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("delivered_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("receipt", sa.String(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.CheckConstraint("(state = 'sending') = (lease_token IS NOT NULL)", name=op.f("ck_transfers_lease")),
        sa.CheckConstraint(
            "state IN ('queued', 'sending', 'delivered', 'failed', 'cancelled')", name=op.f("ck_transfers_state")
        ),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_transfers_author_id")),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_transfers_document_id")),
        sa.ForeignKeyConstraint(["manifest_blob_id"], ["blobs.id"], name=op.f("fk_transfers_manifest_blob_id")),
        sa.ForeignKeyConstraint(["peer_id"], ["peers.id"], name=op.f("fk_transfers_peer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfers")),
    )
    op.create_index(op.f("ix_transfers_author_id"), "transfers", ["author_id"], unique=False)
    op.create_index(op.f("ix_transfers_document_id"), "transfers", ["document_id"], unique=False)
    op.create_index(op.f("ix_transfers_peer_id"), "transfers", ["peer_id"], unique=False)
    op.create_index("ix_transfers_state_next_try_at_ns", "transfers", ["state", "next_try_at_ns"], unique=False)

    op.create_table(
        "attempts",
        sa.Column("transfer_id", sa.String(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("plan", sa.String(), nullable=True),
        sa.Column("started_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("ended_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("receiver_durations", sa.String(), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('delivered', 'again', 'failed', 'cancelled', 'lost')", name=op.f("ck_attempts_outcome")
        ),
        sa.ForeignKeyConstraint(["transfer_id"], ["transfers.id"], name=op.f("fk_attempts_transfer_id")),
        sa.PrimaryKeyConstraint("transfer_id", "number", name=op.f("pk_attempts")),
    )
    op.create_table(
        "inbox",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("received_id", sa.String(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("read_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at_ns", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["received_id"], ["received.id"], name=op.f("fk_inbox_received_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_inbox_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("user_id", "received_id", name=op.f("uq_inbox_user_id_received_id")),
    )
    op.create_index(op.f("ix_inbox_received_id"), "inbox", ["received_id"], unique=False)

    op.create_table(
        "transfer_recipients",
        sa.Column("transfer_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["transfer_id"], ["transfers.id"], name=op.f("fk_transfer_recipients_transfer_id")),
        sa.PrimaryKeyConstraint("transfer_id", "name", name=op.f("pk_transfer_recipients")),
    )


TABLES = (
    "transfer_recipients",
    "inbox",
    "attempts",
    "transfers",
    "received",
    "tokens",
    "peer_pins",
    "documents",
    "breakers",
    "users",
    "peers",
    "marks",
    "blobs",
)


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
