"""After a one-time link was used, a passkey signs in alone only once it was given together with the new password."""

import sqlalchemy as sa
from alembic import op

revision: str = "0059"
down_revision: str | None = "0058"
branch_labels = None
depends_on = None
is_expansion = True


def upgrade() -> None:
    op.add_column("passkeys", sa.Column("needs_password", sa.Boolean(), nullable=False, server_default=sa.false()))
