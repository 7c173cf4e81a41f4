"""What a document was read as, and its marks."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("format", sa.String(), nullable=True))
    op.add_column("documents", sa.Column("marks", WHOLE_NUMBER, nullable=True))
    # SQLite adds a constraint only with its column, and only unnamed ones through alembic, so this is SQL.
    op.execute(
        "ALTER TABLE documents ADD COLUMN marks_blob_id VARCHAR "
        "CONSTRAINT fk_documents_marks_blob_id REFERENCES blobs (id)"
    )
    op.create_index(op.f("ix_documents_marks_blob_id"), "documents", ["marks_blob_id"], unique=False)
