"""A small sealed blob is kept in its row, sealed as it was in a file; those from before stay where they are."""

import sqlalchemy as sa
from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("blobs", sa.Column("content", sa.LargeBinary(), nullable=True))
