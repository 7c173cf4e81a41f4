"""The size of the marks that a transfer brings, and where a forwarded document came from."""

import sqlalchemy as sa
from alembic import op

revision: str = "0028"
down_revision: str | None = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transfers", sa.Column("marks_size", sa.BigInteger(), nullable=True))
    op.add_column("drafts", sa.Column("forwarded_from", sa.String(), nullable=True))
