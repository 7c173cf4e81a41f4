"""Digests of audit entries' sealed values as they were linked, for a change of the master key."""

import sqlalchemy as sa
from alembic import op

revision: str = "0044"
down_revision: str | None = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("linked_sealed_details", "linked_reason"):
        op.add_column("audit_entries", sa.Column(name, sa.String(), nullable=True))
