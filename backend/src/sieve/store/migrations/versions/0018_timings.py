"""Timings: a record of each attempt that ended, and roll-ups of the records."""

import sqlalchemy as sa
from alembic import op

from sieve.store.dialect import WHOLE_NUMBER

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels = None
depends_on = None

_COUNTED = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TIMES = (
    "waiting_us",
    "sieve_us",
    "split_us",
    "establishment_us",
    "data_transfer_us",
    "combine_us",
    "integrate_us",
    "storing_us",
    "response_us",
    "total_us",
    "stored_us",
)


def upgrade() -> None:
    op.create_table(
        "timing_records",
        sa.Column("id", _COUNTED, nullable=False),
        _number("at_ns"),
        _text("direction"),
        _text("transfer_id"),
        _number("attempt"),
        *map(_text, ("peer_id", "outcome", "cause", "mode")),
        *map(_number, ("size", "classified_size", "secure_bytes", "plain_bytes")),
        sa.Column("secure_channels", WHOLE_NUMBER, nullable=False),
        sa.Column("plain_channels", WHOLE_NUMBER, nullable=False),
        _text("suite"),
        sa.Column("batch", WHOLE_NUMBER, nullable=False),
        *(sa.Column(name, sa.BigInteger()) for name in (*_TIMES, "predicted_us", "other_us")),
        sa.Column("clock_moved", sa.Boolean(), nullable=False),
        sa.Column("sample", WHOLE_NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_timing_records"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_timing_records_transfer_id", "timing_records", ["transfer_id"])
    op.create_index("ix_timing_records_at_ns", "timing_records", ["at_ns"])
    op.create_index("ix_timing_records_sample_at_ns", "timing_records", ["sample", "at_ns"])
    dimensions: list[sa.Column[str] | sa.Column[int]] = [
        *map(_text, ("grain", "direction", "outcome", "cause", "mode", "peer_id")),
        sa.Column("size_class", WHOLE_NUMBER, nullable=False),
        sa.Column("share_class", WHOLE_NUMBER, nullable=False),
        *map(_text, ("channels", "suite")),
        sa.Column("batch_class", WHOLE_NUMBER, nullable=False),
    ]
    op.create_table(
        "timing_groups",
        sa.Column("id", _COUNTED, nullable=False),
        *dimensions,
        sa.PrimaryKeyConstraint("id", name="pk_timing_groups"),
        sa.UniqueConstraint(*(column.name for column in dimensions), name="uq_timing_groups"),
    )
    op.create_table(
        "timing_rollups",
        *_period(),
        *map(_number, ("count", "timed", "clock_moved", "size", "secure_bytes", "plain_bytes", *_TIMES)),
        sa.Column("response_square_ms2", sa.Float(), nullable=False),
        *map(_number, ("predicted", "within_two", "other_faster")),
        _of_group("timing_rollups"),
        sa.PrimaryKeyConstraint("width_s", "grain", "start_s", "group_id", name="pk_timing_rollups"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "timing_histograms",
        _text("figure"),
        *_period(),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        _of_group("timing_histograms"),
        sa.PrimaryKeyConstraint("figure", "width_s", "grain", "start_s", "group_id", name="pk_timing_histograms"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "timing_state",
        sa.Column("id", WHOLE_NUMBER, nullable=False),
        *map(_number, ("rolled_up_id", "kept_from_s")),
        _text("imported_to"),
        sa.Column("import_done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_timing_state"),
    )
    op.execute(
        "INSERT INTO timing_state (id, rolled_up_id, kept_from_s, imported_to, import_done) VALUES (1, 0, 0, '', FALSE)"
    )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _period() -> tuple[sa.Column[int] | sa.Column[str], ...]:
    return (
        sa.Column("width_s", WHOLE_NUMBER, nullable=False),
        _text("grain"),
        _number("start_s"),
        _number("group_id"),
    )


def _of_group(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["group_id"], ["timing_groups.id"], name=f"fk_{table}_group_id")
