"""What a reset or a clearance came after is marked on the rows, no longer found by comparing times."""

import sqlalchemy as sa
from alembic import op

revision: str = "0046"
down_revision: str | None = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, owner in (("inbox", "user_id"), ("drafts", "owner_id"), ("documents", "owner_id")):
        _mark(table, owner, "locked", "locked_before_ns")
    _mark("inbox", "user_id", "before_clearance", "cleared_since_ns")
    for table, added in (
        ("passkeys", "created_at_ns"),
        ("authenticator_apps", "confirmed_at_ns"),
        ("recovery_codes", "created_at_ns"),
    ):
        op.add_column(table, sa.Column("since_reset", sa.Boolean(), nullable=False, server_default=sa.true()))
        factors, users = _table(table, "user_id", added, "since_reset"), _table("users", "id", "first_reset_at_ns")
        newer = sa.exists().where(
            users.c.id == factors.c.user_id, users.c.first_reset_at_ns <= sa.func.coalesce(factors.c[added], 0)
        )
        op.execute(factors.update().where(~newer).values(since_reset=sa.false()))
    op.drop_column("users", "first_reset_at_ns")


def _mark(table: str, owner: str, mark: str, before: str) -> None:
    """Adds a mark, which is set on rows that are older than a time of their owner."""
    op.add_column(table, sa.Column(mark, sa.Boolean(), nullable=False, server_default=sa.false()))
    rows, users = _table(table, owner, "created_at_ns", mark), _table("users", "id", before)
    older = sa.exists().where(users.c.id == rows.c[owner], rows.c.created_at_ns < users.c[before])
    op.execute(rows.update().where(older).values({mark: sa.true()}))


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *(sa.column(each) for each in columns))
