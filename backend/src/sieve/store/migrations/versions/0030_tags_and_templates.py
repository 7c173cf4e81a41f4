"""Tags of drafts and inbox entries, and drafts that are templates."""

import sqlalchemy as sa
from alembic import op

revision: str = "0030"
down_revision: str | None = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("drafts", sa.Column("is_template", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "tags",
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name="fk_tags_owner_id"),
        sa.PrimaryKeyConstraint("item_id", "name", name="pk_tags"),
    )
    op.create_index("ix_tags_owner_id_name", "tags", ["owner_id", "name", "item_id"])
