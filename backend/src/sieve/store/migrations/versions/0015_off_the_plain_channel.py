"""A transfer whose plain bytes did not arrive over the plain channel stays off it."""

import sqlalchemy as sa
from alembic import op

revision: str = "0015"
down_revision: str | None = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transfers", sa.Column("off_plain", sa.Boolean(), nullable=False, server_default=sa.false()))
