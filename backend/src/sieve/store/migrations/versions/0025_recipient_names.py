"""The display names of a transfer's recipients."""

import sqlalchemy as sa
from alembic import op

revision: str = "0025"
down_revision: str | None = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transfer_recipients", sa.Column("display_name", sa.String(), nullable=True))
