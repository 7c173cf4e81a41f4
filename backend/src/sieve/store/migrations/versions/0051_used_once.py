"""What counts once: sign-ins at a provider that a browser began, and challenges for passkeys."""

import sqlalchemy as sa
from alembic import op

revision: str = "0051"
down_revision: str | None = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "used_once",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("until_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_used_once")),
    )
    op.create_index("ix_used_once_until_ns", "used_once", ["until_ns"])
