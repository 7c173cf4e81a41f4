"""The digest of a redacted edition is in sealed manifests alone: in clear, it confirms guesses of what was withheld.
And manifests go with their documents.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Emptied first: the old values are overwritten then (secure_delete), whatever becomes of the column's place.
    op.execute(sa.text("UPDATE documents SET redacted_digest = NULL WHERE redacted_digest IS NOT NULL"))
    op.drop_column("documents", "redacted_digest")
    # Those in files go at the start, as all that nothing needs.
    op.execute(
        """UPDATE blobs SET content = NULL WHERE content IS NOT NULL AND id IN (
            SELECT manifest_blob_id FROM transfers JOIN documents ON documents.id = document_id
            WHERE documents.deleted_at_ns IS NOT NULL
            UNION
            SELECT manifest_blob_id FROM received JOIN documents ON documents.id = document_id
            WHERE documents.deleted_at_ns IS NOT NULL
        )"""
    )
