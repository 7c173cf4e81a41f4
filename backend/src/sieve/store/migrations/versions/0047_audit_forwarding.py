"""How far the audit log was forwarded to each receiver."""

import sqlalchemy as sa
from alembic import op

revision: str = "0047"
down_revision: str | None = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_positions",
        sa.Column("receiver", sa.String(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("at_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("receiver", name=op.f("pk_audit_positions")),
    )
