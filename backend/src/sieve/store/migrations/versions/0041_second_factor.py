"""Second factors, sign-ins that still need one, and when a session's person last confirmed that it is them."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0041"
down_revision: str | None = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("relying_party", sa.String(), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", WHOLE_NUMBER, nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at_ns", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_passkeys"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_passkeys_user_id_users"),
        sa.UniqueConstraint("credential_id", name="uq_passkeys_credential_id"),
    )
    op.create_index("ix_passkeys_user_id", "passkeys", ["user_id"])
    op.create_table(
        "authenticator_apps",
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("last_step", WHOLE_NUMBER, nullable=True),
        sa.Column("last_used_at_ns", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("user_id", name="pk_authenticator_apps"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_authenticator_apps_user_id_users"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_recovery_codes"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_recovery_codes_user_id_users"),
    )
    op.create_index("ix_recovery_codes_user_id", "recovery_codes", ["user_id"])
    op.create_table(
        "unfinished_sign_ins",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("needs", sa.String(), nullable=False),
        sa.Column("expires_at_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_unfinished_sign_ins"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_unfinished_sign_ins_user_id_users"),
    )
    op.create_index("ix_unfinished_sign_ins_user_id", "unfinished_sign_ins", ["user_id"])
    op.add_column("sessions", sa.Column("confirmed_at_ns", sa.BigInteger(), nullable=True))
