"""The redacted edition of a file travels with it: a blob of its own, and what a transfer carries of it."""

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # SQLite adds a constraint only with its column, and only unnamed ones through alembic, so this is SQL.
    op.execute(
        "ALTER TABLE documents ADD COLUMN redacted_blob_id VARCHAR "
        "CONSTRAINT fk_documents_redacted_blob_id REFERENCES blobs (id)"
    )
    op.add_column("documents", sa.Column("redacted_size", sa.BigInteger(), nullable=True))
    op.add_column("documents", sa.Column("redacted_digest", sa.String(), nullable=True))
    # Most documents have none: an index of those that have costs the others nothing.
    has_one = sa.text("redacted_blob_id IS NOT NULL")
    op.create_index(
        op.f("ix_documents_redacted_blob_id"),
        "documents",
        ["redacted_blob_id"],
        unique=False,
        sqlite_where=has_one,
        postgresql_where=has_one,
    )
    op.add_column("transfers", sa.Column("redacted_size", sa.BigInteger(), nullable=True))
    op.add_column("transfers", sa.Column("redacted_note", sa.String(), nullable=True))
