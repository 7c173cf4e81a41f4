"""Plain blobs have tags of their segments, so that changed bytes are noticed when they are read. Those of blobs from
before follow while the gateway runs.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("blobs", sa.Column("tags", sa.LargeBinary(), nullable=True))
