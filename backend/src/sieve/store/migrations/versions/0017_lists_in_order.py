"""Lists are read in their order by an index, whatever they are filtered by."""

import sqlalchemy as sa
from alembic import op

revision: str = "0017"
down_revision: str | None = "0016"
branch_labels = None
depends_on = None

_OWN = "deleted_at_ns IS NULL AND draft_id IS NULL"
_THERE = "deleted_at_ns IS NULL"


def upgrade() -> None:
    _add("documents", "list", ["owner_id", "created_at_ns", "id"], _OWN)
    _add("drafts", "list", ["owner_id", "changed_at_ns", "id"], _THERE)
    _add("inbox", "list", ["user_id", "created_at_ns", "id"], _THERE)
    _add("inbox", "oldest", ["created_at_ns", "id"], _THERE)
    _add("transfers", "list", ["created_at_ns", "id", "state", "peer_id", "author_id"])
    _add("transfers", "author_list", ["author_id", "created_at_ns", "id", "state", "peer_id"])
    # The last one begins with the author, so it serves what the index of authors alone did.
    op.drop_index("ix_transfers_author_id", table_name="transfers")


def _add(table: str, name: str, columns: list[str], where: str | None = None) -> None:
    only = None if where is None else sa.text(where)
    op.create_index(f"ix_{table}_{name}", table, columns, sqlite_where=only, postgresql_where=only)
