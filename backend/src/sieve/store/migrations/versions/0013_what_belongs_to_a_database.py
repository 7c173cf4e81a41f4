"""A database names the blob folder that it belongs to, and the master keys that ever wrapped what it keeps."""

import sqlalchemy as sa
from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "blob_folder",
        sa.Column("id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_blob_folder"),
    )
    op.create_table(
        "master_keys",
        sa.Column("id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_master_keys"),
    )
    # Sealed values begin with the id. What does not look like one was changed, and needs no key.
    if op.get_bind().dialect.name != "sqlite":
        return  # such a database was made later: it holds nothing yet
    op.execute(
        """INSERT INTO master_keys SELECT id FROM (
            SELECT key_id AS id FROM blobs
            UNION SELECT CAST(substr(source, 1, 16) AS TEXT) FROM policy_versions
            UNION SELECT CAST(substr(reason, 1, 16) AS TEXT) FROM audit_entries
            UNION SELECT CAST(substr(sealed_details, 1, 16) AS TEXT) FROM audit_entries
            UNION SELECT CAST(substr(sealed, 1, 16) AS TEXT) FROM draft_labels
        ) WHERE length(id) = 16 AND id NOT GLOB '*[^0-9a-f]*'"""
    )
