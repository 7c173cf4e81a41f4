"""Deleted inbox entries and drafts can be restored for some time. The inbox's index covers what its counts read."""

import sqlalchemy as sa
from alembic import op

revision: str = "0024"
down_revision: str | None = "0023"
branch_labels = None
depends_on = None

_SHOWN = "deleted_at_ns IS NULL AND trashed_at_ns IS NULL"
_TRASH = "deleted_at_ns IS NULL AND trashed_at_ns IS NOT NULL"


def upgrade() -> None:
    for table, owner, ordered in (
        ("inbox", "user_id", ["created_at_ns", "id", "read_at_ns"]),
        ("drafts", "owner_id", ["changed_at_ns", "id"]),
    ):
        op.add_column(table, sa.Column("trashed_at_ns", sa.BigInteger(), nullable=True))
        op.drop_index(f"ix_{table}_list", table_name=table)
        _add(table, "list", [owner, *ordered], _SHOWN)
        _add(table, "trash", [owner, "trashed_at_ns", "id"], _TRASH)
        _add(table, "oldest_trash", ["trashed_at_ns", "id"], _TRASH)


def _add(table: str, name: str, columns: list[str], where: str) -> None:
    only = sa.text(where)
    op.create_index(f"ix_{table}_{name}", table, columns, sqlite_where=only, postgresql_where=only)
