"""The channels that a transfer was asked to have, and the plan that its latest attempt made of that."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # What was sent before had one channel of each kind.
    op.add_column("transfers", sa.Column("secure_channels", WHOLE_NUMBER, nullable=False, server_default="1"))
    op.add_column("transfers", sa.Column("plain_channels", WHOLE_NUMBER, nullable=False, server_default="1"))
    op.add_column("transfers", sa.Column("split", sa.String(), nullable=False, server_default="range"))
    op.add_column("transfers", sa.Column("plan", sa.String(), nullable=True))
