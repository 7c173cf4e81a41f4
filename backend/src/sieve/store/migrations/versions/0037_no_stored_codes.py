"""Codes of pairings are computed from the invitations when they are needed."""

from alembic import op

revision: str = "0037"
down_revision: str | None = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("peers", "code")
