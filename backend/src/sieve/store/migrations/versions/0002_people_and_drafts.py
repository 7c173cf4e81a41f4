"""Signing in, and drafts."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, more in (
        ("sessions", [sa.Column("last_used_at_ns", sa.BigInteger(), nullable=False)]),
        ("one_time_links", [sa.Column("used_at_ns", sa.BigInteger(), nullable=True)]),
    ):
        op.create_table(
            name,
            sa.Column("id", sa.String(), nullable=False),
            sa.Column("user_id", sa.String(), nullable=False),
            sa.Column("hash", sa.String(), nullable=False),
            sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
            sa.Column("expires_at_ns", sa.BigInteger(), nullable=False),
            *more,
            sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f(f"fk_{name}_user_id")),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
            sa.UniqueConstraint("hash", name=op.f(f"uq_{name}_hash")),
        )
        op.create_index(op.f(f"ix_{name}_user_id"), name, ["user_id"], unique=False)
    op.create_table(
        "sign_in_failures",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("failures", WHOLE_NUMBER, nullable=False),
        sa.Column("last_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("blocked_until_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_sign_in_failures")),
    )
    op.create_table(
        "drafts",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("revision", WHOLE_NUMBER, nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("changed_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at_ns", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_drafts_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    op.create_index(op.f("ix_drafts_owner_id"), "drafts", ["owner_id"], unique=False)
    # SQLite adds a constraint only with its column, and only unnamed ones through alembic, so this is SQL.
    op.execute(
        "ALTER TABLE documents ADD COLUMN draft_id VARCHAR CONSTRAINT fk_documents_draft_id REFERENCES drafts (id)"
    )
    op.add_column("documents", sa.Column("revision", WHOLE_NUMBER, nullable=True))
    op.create_index("uq_documents_draft_id_revision", "documents", ["draft_id", "revision"], unique=True)
    # A save that is superseded goes with its blobs, and removing a blob looks for rows that name it.
    for table, column in (
        ("documents", "plain_blob_id"),
        ("documents", "sealed_blob_id"),
        ("transfers", "manifest_blob_id"),
        ("received", "manifest_blob_id"),
    ):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)
