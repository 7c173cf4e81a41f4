"""Service accounts, what waits for a second admin, scopes of tokens, and where sessions come from.

Those who are admins now count as confirmed. Tokens that did not expire get 90 days, because admins could make them for
other people.
"""

import time

import sqlalchemy as sa
from alembic import op

revision: str = "0039"
down_revision: str | None = "0041"
branch_labels = None
depends_on = None

DAYS_NS = 90 * 24 * 3600 * 1_000_000_000


def upgrade() -> None:
    for name in ("is_service", "admin_confirmed"):
        op.add_column("users", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    for name in ("cleared_since_ns", "locked_before_ns", "first_reset_at_ns"):
        op.add_column("users", sa.Column(name, sa.BigInteger(), nullable=True))
    op.execute("UPDATE users SET admin_confirmed = is_admin")
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("asked_by_id", sa.String(), nullable=True),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('clearance', 'reset', 'admin')", name=op.f("ck_approvals_kind")),
        sa.ForeignKeyConstraint(["asked_by_id"], ["users.id"], name=op.f("fk_approvals_asked_by_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_approvals_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        sa.UniqueConstraint("user_id", "kind", name=op.f("uq_approvals_user_id_kind")),
    )
    scopes = sa.Column("scopes", sa.String(), nullable=False, server_default="send read admin")
    op.add_column("tokens", scopes)
    until = time.time_ns() + DAYS_NS
    op.execute(f"UPDATE tokens SET expires_at_ns = {until} WHERE expires_at_ns IS NULL")  # noqa: S608 -- a number  # nosec B608
    op.add_column("sessions", sa.Column("device", sa.String(), nullable=True))
    op.add_column("sessions", sa.Column("source", sa.String(), nullable=True))
    op.add_column("one_time_links", sa.Column("made_by_id", sa.String(), nullable=True))
