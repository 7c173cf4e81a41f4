"""The audit log is a chain: entries are numbered and linked, those of before in the order of their times."""

import sqlalchemy as sa
from alembic import op

from sieve.core.hash_chain import BEGINNING
from sieve.store.dialect import WHOLE_NUMBER
from sieve.store.queries.audit import link_of

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("audit_entries") as table:
        table.add_column(sa.Column("number", WHOLE_NUMBER, nullable=False, server_default="0"))
        table.add_column(sa.Column("sealed_details", sa.LargeBinary(), nullable=True))
        table.add_column(sa.Column("link", sa.LargeBinary(), nullable=False, server_default=""))
    entries = sa.table(
        "audit_entries",
        *(sa.column(name) for name in ("id", "number", "at_ns", "actor", "action", "subject", "details", "reason")),
        sa.column("link", sa.LargeBinary()),
    )
    connection = op.get_bind()
    link = BEGINNING
    found = connection.execute(sa.select(entries).order_by(entries.c.at_ns, entries.c.id)).mappings().all()
    for number, row in enumerate(found, 1):
        link = link_of(link, {**row, "number": number, "sealed_details": None})
        connection.execute(sa.update(entries).where(entries.c.id == row["id"]).values(number=number, link=link))
    with op.batch_alter_table("audit_entries") as table:
        table.alter_column("number", server_default=None)
        table.alter_column("link", server_default=None)
    op.create_index("ix_audit_entries_number", "audit_entries", ["number"], unique=True)
    op.create_table(
        "audit_heads",
        sa.Column("number", WHOLE_NUMBER, nullable=False, autoincrement=False),
        sa.Column("link", sa.LargeBinary(), nullable=False),
        sa.Column("at_ns", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit_heads")),
    )
