"""Versions of the program that follow this one: their databases have further steps."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

from sieve.store import migrate

_HEAD: Final = """
import sqlalchemy as sa
from alembic import op

revision: str = "{number}"
down_revision: str | None = "{before}"
branch_labels = None
depends_on = None
"""
EXPANSION: Final = """is_expansion = True


def upgrade() -> None:
    op.create_table(
        "notes_{number}",
        sa.Column("document_id", sa.String(), sa.ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    )
    op.add_column("documents", sa.Column("note_{number}", sa.String()))
    op.add_column("transfers", sa.Column("weight_{number}", sa.Integer(), nullable=False, server_default="1"))
    op.create_index("ix_transfers_weight_{number}", "transfers", ["weight_{number}"])
"""
CONTRACTION: Final = """

def upgrade() -> None:
    op.drop_index("ix_timing_groups_peer", "timing_groups")
"""
TABLES_MADE_AGAIN: Final = """

def upgrade() -> None:
    for table in ("documents", "transfers", "received"):
        with op.batch_alter_table(table, recreate="always") as batch:
            batch.add_column(sa.Column("note_{number}", sa.String()))
"""
COLUMN_DROPPED: Final = """

def upgrade() -> None:
    op.execute("ALTER TABLE documents ADD COLUMN note")
    op.execute("ALTER TABLE documents DROP COLUMN note")
"""


def written(step: str, number: str, before: str) -> str:
    """The module of a step that comes after the step `before`."""
    return (_HEAD + step).format(number=number, before=before)


def following(folder: Path, *steps: str) -> Path:
    """Makes `folder` the migrations of a version with these further steps, 9001 and on."""
    shutil.copytree(migrate.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = migrate.newest()
    for number, step in enumerate(steps, 9001):
        (folder / "versions" / f"{number}_next.py").write_text(written(step, str(number), before))
        before = str(number)
    return folder


@contextmanager
def version(folder: Path) -> Iterator[None]:
    """This process is of the version with these migrations."""
    with patch.object(migrate, "FOLDER", folder):
        yield
