"""Which versions can work with the tables: replicas of two of them may share a database."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0054"
down_revision: str | None = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schema_notes",
        sa.Column("id", WHOLE_NUMBER, nullable=False),
        sa.Column("oldest", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schema_notes")),
    )
