"""The digest of a plain stream that is sealed is sealed, too: in clear, it confirms guesses of a passage that was
marked later. It is computed again when it is needed.

No expansion: the version before sends a document with the digest in its row.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0058"
down_revision: str | None = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        sa.text(
            "UPDATE documents SET plain_digest = '' WHERE plain_digest != '' "
            "AND plain_blob_id IN (SELECT id FROM blobs WHERE kind = 'sealed')"
        )
    )
