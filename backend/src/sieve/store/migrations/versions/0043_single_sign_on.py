"""Who signs in with the OpenID Connect provider, and what an unfinished sign-in proved."""

import sqlalchemy as sa
from alembic import op

revision: str = "0043"
down_revision: str | None = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("sso_issuer", sa.String(), nullable=True))
    op.add_column("users", sa.Column("sso_subject", sa.String(), nullable=True))
    op.create_index("ix_users_sso", "users", ["sso_issuer", "sso_subject"], unique=True)
    op.add_column("unfinished_sign_ins", sa.Column("proved", sa.String(), nullable=False, server_default="password"))
