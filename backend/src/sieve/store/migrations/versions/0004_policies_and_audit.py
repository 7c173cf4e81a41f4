"""Policies, the audit log, and the labels of drafts."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "policies",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", WHOLE_NUMBER, nullable=False),
        sa.Column("deleted_at_ns", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_policies")),
    )
    op.create_table(
        "policy_versions",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", WHOLE_NUMBER, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("rules", WHOLE_NUMBER, nullable=False),
        sa.Column("guard", sa.Boolean(), nullable=False),
        sa.Column("written_in", sa.String(), nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=False),
        sa.Column("changed_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("changed_by", sa.String(), nullable=False),
        sa.CheckConstraint("written_in IN ('toml', 'json')", name=op.f("ck_policy_versions_written_in")),
        sa.ForeignKeyConstraint(["name"], ["policies.name"], name=op.f("fk_policy_versions_name")),
        sa.PrimaryKeyConstraint("name", "version", name=op.f("pk_policy_versions")),
    )
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at_ns", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("details", sa.String(), nullable=False),
        sa.Column("reason", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    op.create_index("ix_audit_entries_at_ns_id", "audit_entries", ["at_ns", "id"], unique=False)
    op.create_table(
        "draft_labels",
        sa.Column("draft_id", sa.String(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["draft_id"], ["drafts.id"], name=op.f("fk_draft_labels_draft_id")),
        sa.PrimaryKeyConstraint("draft_id", name=op.f("pk_draft_labels")),
    )
