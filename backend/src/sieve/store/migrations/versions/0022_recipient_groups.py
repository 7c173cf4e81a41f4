"""Authors save groups of recipients."""

import sqlalchemy as sa
from alembic import op

revision: str = "0022"
down_revision: str | None = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recipient_groups",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("members", sa.String(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name="fk_recipient_groups_owner_id"),
        sa.PrimaryKeyConstraint("id", name="pk_recipient_groups"),
        sa.UniqueConstraint("owner_id", "name", name="uq_recipient_groups_owner_id_name"),
    )
