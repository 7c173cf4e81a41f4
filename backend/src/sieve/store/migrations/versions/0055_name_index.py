"""Parts of names are in an index, which is beside the tables: `sqlite_name_index`, `postgres_name_index`."""

revision: str = "0055"
down_revision: str | None = "0054"
branch_labels = None
depends_on = None
is_expansion = True


def upgrade() -> None:
    """The tables stay as they are."""
