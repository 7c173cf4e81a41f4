"""The tables of timings: a record of each attempt that ended, and roll-ups of these records.

A record is written in the transaction that ends the attempt (or makes a received document visible), and never changed.
Roll-ups are sums and histograms of records by period and by group. They are derived: they can be computed again from
the records that are still kept, and they outlive both records and transfers. Nothing here says where classified text
was or how long a single span is: sizes are totals of a transfer.
"""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from sqlalchemy import BigInteger, Float, ForeignKey, Index, Integer, LargeBinary, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from sieve.store.models.base import Base, Size, TimeNs

Direction: TypeAlias = Literal["sent", "received"]
TimingOutcome: TypeAlias = Literal["delivered", "retry", "failed", "cancelled"]
"""How an attempt ended. `retry`: it failed, and another one follows. Each outcome counts once."""

Figure: TypeAlias = Literal[
    "waiting",
    "sieve",
    "split",
    "establishment",
    "data_transfer",
    "combine",
    "integrate",
    "storing",
    "response",
    "total",
    "stored",
]
"""A duration of a delivered transfer; `gateway.telemetry.timing` defines each."""
FIGURES: Final[tuple[Figure, ...]] = get_args(Figure)

HistogramFigure: TypeAlias = Literal["response", "total", "stored", "waiting"]
"""The figures that have percentiles."""
HISTOGRAM_FIGURES: Final[tuple[HistogramFigure, ...]] = get_args(HistogramFigure)

Grain: TypeAlias = Literal["base", "peer", "size", "link", "peer-size", "peer-link", "size-link", "full"]
"""By what a group divides records, besides direction, outcome, cause and mode: by nothing (base), by peer, by size and
share classified (size), by channels, cipher suite and batch (link), by two of these, or by everything (full). There are
no minutes by two: they would hardly be fewer than minutes by everything."""
ANY: Final = "*"
"""The value of a dimension by which a group does not divide; `ANY_CLASS` where the dimension is a number."""
ANY_CLASS: Final = -1
OWN: Final = "own"
"""The direction of groups of documents that this gateway received from itself. It also sent them, so they count only
where received documents are asked for."""

Microseconds: TypeAlias = Annotated[int, mapped_column(BigInteger)]
Counts: TypeAlias = Annotated[bytes, mapped_column(LargeBinary)]


SAMPLED_FROM: Final = 4
"""An index has the records of this `sample` or a higher one, a sixteenth of all, with `SAMPLED_COLUMNS`."""
SAMPLED_COLUMNS: Final = (
    "direction",
    "outcome",
    "mode",
    "peer_id",
    "size",
    "classified_size",
    "secure_channels",
    "plain_channels",
    "suite",
    "batch",
    "transfer_id",
    "attempt",
    *(f"{figure}_us" for figure in FIGURES),
)
"""What samples of records are filtered by and show."""

INDEXED_FROM_S: Final = 3600
"""An index has roll-ups of this width and wider ones by group, with `INDEXED_SUMS`."""
INDEXED_SUMS: Final = ("count", "timed", "total_us")

PHASES: Final[tuple[Figure, ...]] = FIGURES[: FIGURES.index("response")]
"""The figures that are parts of a transfer, in their order."""
INDEXED_PHASES_FROM_S: Final = 86_400
"""Another index has those of this width by group, with `PHASE_SUMS`."""
PHASE_SUMS: Final = ("timed", *(f"{phase}_us" for phase in PHASES))


class TimingRecord(Base):
    """One attempt that ended, or one document that was received. Times are microseconds, None if not measured.

    `at_ns`: when it ended. `peer_id`: the other gateway. `cause`: why it was not delivered, one of `TimingCause`, else
    empty; but `plain-channel` if it was delivered although the plain channel failed. `mode`: the mode that was used, or
    the one asked for if the attempt ended before it was chosen. `secure_bytes`, `plain_bytes`: the bytes of the
    document by the channel that they were planned for. `suite`: the secure channel's cipher suite, empty if none was
    used; `key_exchange`: the group in which it agreed on its keys, None if that is not known. `batch`: how many
    documents went together, at least 1. `predicted_us`, `other_us`: the planner's estimates of the response in this
    mode and in the other one. `turnaround_us`: from accepting a transfer that was delivered until its receipt;
    `expected_us`: the estimate of that, as its author was shown it. `clock_moved`: the clock was set back during the
    transfer, so a time that would be negative is 0. `sample`: a random number, k with probability 2^-(k+1): the rows of
    `sample` >= k are a random 2^-k of all.
    """

    __tablename__ = "timing_records"
    __table_args__ = (
        Index("ix_timing_records_at_ns", "at_ns"),
        Index("ix_timing_records_sample_at_ns", "sample", "at_ns"),
        # A sample of many records is read from this index alone: in the table, each would be on a page of its own.
        Index(
            "ix_timing_records_sampled",
            "sample",
            "at_ns",
            *SAMPLED_COLUMNS,
            sqlite_where=text(f"sample >= {SAMPLED_FROM}"),
            postgresql_where=text(f"sample >= {SAMPLED_FROM}"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at_ns: Mapped[TimeNs]
    direction: Mapped[str]
    transfer_id: Mapped[str] = mapped_column(index=True)
    attempt: Mapped[int] = mapped_column(BigInteger)
    peer_id: Mapped[str]
    outcome: Mapped[str]
    cause: Mapped[str]
    mode: Mapped[str]
    size: Mapped[Size]
    classified_size: Mapped[Size]
    secure_bytes: Mapped[Size]
    plain_bytes: Mapped[Size]
    secure_channels: Mapped[int]
    plain_channels: Mapped[int]
    suite: Mapped[str]
    key_exchange: Mapped[str | None]
    batch: Mapped[int]
    waiting_us: Mapped[Microseconds | None]
    sieve_us: Mapped[Microseconds | None]
    split_us: Mapped[Microseconds | None]
    establishment_us: Mapped[Microseconds | None]
    data_transfer_us: Mapped[Microseconds | None]
    combine_us: Mapped[Microseconds | None]
    integrate_us: Mapped[Microseconds | None]
    storing_us: Mapped[Microseconds | None]
    response_us: Mapped[Microseconds | None]
    total_us: Mapped[Microseconds | None]
    stored_us: Mapped[Microseconds | None]
    predicted_us: Mapped[Microseconds | None]
    other_us: Mapped[Microseconds | None]
    turnaround_us: Mapped[Microseconds | None]
    expected_us: Mapped[Microseconds | None]
    clock_moved: Mapped[bool]
    sample: Mapped[int]


class TimingGroup(Base):
    """What the records that are summed together have in common. `ANY` or `ANY_CLASS`: the group does not divide by it.

    `direction`: that of the records, but `OWN` for documents that this gateway received from itself. `channels`: such
    as `1+2`, secure and plain. `size_class`, `share_class`, `batch_class`: see
    `gateway.telemetry.timing_classes`.
    """

    __tablename__ = "timing_groups"
    __table_args__ = (
        UniqueConstraint(
            "grain",
            "direction",
            "outcome",
            "cause",
            "mode",
            "peer_id",
            "size_class",
            "share_class",
            "channels",
            "suite",
            "batch_class",
            name="uq_timing_groups",
        ),
        # There may be a million groups, with hundreds of peers.
        Index(
            "ix_timing_groups_peer",
            "grain",
            "peer_id",
            "size_class",
            "share_class",
            "channels",
            "suite",
            "batch_class",
            "direction",
            "outcome",
            "mode",
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    grain: Mapped[str]
    direction: Mapped[str]
    outcome: Mapped[str]
    cause: Mapped[str]
    mode: Mapped[str]
    peer_id: Mapped[str]
    size_class: Mapped[int]
    share_class: Mapped[int]
    channels: Mapped[str]
    suite: Mapped[str]
    batch_class: Mapped[int]


class TimingRollup(Base):
    """Sums and histograms over the records of a group that ended in a period. `width_s`: a minute, an hour or a day;
    `start_s`: the period's start, in seconds since the epoch, a multiple of `width_s`.

    `count`: records. `timed`: those with a response; only they count in the sums of times. `response_square_ms2`: the
    sum of the squares of the responses. `predicted`: timed records with an estimate; `within_two`: those whose response
    was at least half and at most twice the estimate; `other_faster`: those whose response was longer than the estimate
    for the other mode.

    `expected`: records of which the turnaround is known and was estimated; only they count in `expected_us` and
    `turnaround_us`. `expected_within_two`: those whose turnaround was at least half and at most twice the estimate,
    where less than a second counts as one.

    `response_counts` and so on: the histogram of each of `HISTOGRAM_FIGURES`; empty if none was timed. Pairs of
    little-endian unsigned integers, bucket (2 bytes) and records (4 bytes), in the order of buckets: see
    `gateway.telemetry.histograms`.
    """

    __tablename__ = "timing_rollups"
    __table_args__ = (
        # What is asked of many groups over many periods: all periods of a group are beside each other, and have no
        # histograms between them. Minutes are few, and most of what is written.
        Index(
            "ix_timing_rollups_group",
            "width_s",
            "grain",
            "group_id",
            "start_s",
            *INDEXED_SUMS,
            sqlite_where=text(f"width_s >= {INDEXED_FROM_S}"),
            postgresql_where=text(f"width_s >= {INDEXED_FROM_S}"),
        ),
        Index(
            "ix_timing_rollups_phases",
            "width_s",
            "grain",
            "group_id",
            "start_s",
            *PHASE_SUMS,
            sqlite_where=text(f"width_s >= {INDEXED_PHASES_FROM_S}"),
            postgresql_where=text(f"width_s >= {INDEXED_PHASES_FROM_S}"),
        ),
        {"sqlite_with_rowid": False},
    )

    width_s: Mapped[int] = mapped_column(primary_key=True)
    grain: Mapped[str] = mapped_column(primary_key=True)
    start_s: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    group_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("timing_groups.id"), primary_key=True)
    count: Mapped[int] = mapped_column(BigInteger)
    timed: Mapped[int] = mapped_column(BigInteger)
    clock_moved: Mapped[int] = mapped_column(BigInteger)
    size: Mapped[Size]
    secure_bytes: Mapped[Size]
    plain_bytes: Mapped[Size]
    waiting_us: Mapped[Microseconds]
    sieve_us: Mapped[Microseconds]
    split_us: Mapped[Microseconds]
    establishment_us: Mapped[Microseconds]
    data_transfer_us: Mapped[Microseconds]
    combine_us: Mapped[Microseconds]
    integrate_us: Mapped[Microseconds]
    storing_us: Mapped[Microseconds]
    response_us: Mapped[Microseconds]
    total_us: Mapped[Microseconds]
    stored_us: Mapped[Microseconds]
    response_square_ms2: Mapped[float] = mapped_column(Float)
    predicted: Mapped[int] = mapped_column(BigInteger)
    within_two: Mapped[int] = mapped_column(BigInteger)
    other_faster: Mapped[int] = mapped_column(BigInteger)
    expected: Mapped[int] = mapped_column(BigInteger)
    expected_within_two: Mapped[int] = mapped_column(BigInteger)
    expected_us: Mapped[Microseconds]
    turnaround_us: Mapped[Microseconds]
    # Last, so that SQLite reads the sums without them.
    response_counts: Mapped[Counts]
    total_counts: Mapped[Counts]
    stored_counts: Mapped[Counts]
    waiting_counts: Mapped[Counts]


class TimingAcceptedHour(Base):
    """How many transfers authors sent in an hour that is over; no row if none. `start_s`: its start, in seconds since
    the epoch."""

    __tablename__ = "timing_accepted_hours"

    start_s: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    count: Mapped[int] = mapped_column(BigInteger)


class TimingAcceptedMinute(Base):
    """The same of a minute. They are kept as long as the minutes of roll-ups."""

    __tablename__ = "timing_accepted_minutes"

    start_s: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    count: Mapped[int] = mapped_column(BigInteger)


class TimingState(Base):
    """How far timings are; one row. `rolled_up_id`: every record up to this id is in the roll-ups. `kept_from_s`: older
    records were removed; roll-ups of earlier periods cannot be computed again. `imported_to`: transfers up to this id
    have records, of those that ended before there were any; `import_done`: all have. `rebuild_from_s`: all roll-ups
    from this day on are being computed again; None if none are.
    """

    __tablename__ = "timing_state"

    id: Mapped[int] = mapped_column(primary_key=True)
    rolled_up_id: Mapped[int] = mapped_column(BigInteger)
    kept_from_s: Mapped[int] = mapped_column(BigInteger)
    imported_to: Mapped[str]
    import_done: Mapped[bool]
    rebuild_from_s: Mapped[int | None] = mapped_column(BigInteger)
