"""Versions of policies from before regex rules asked for whole words by themselves go on meaning what they meant."""

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("policy_versions", sa.Column("whole_words", sa.Boolean(), nullable=True))
