"""Single timing records in a range of time: for charts of points, and for lists of the transfers behind a figure."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import TimingRecord
from sieve.store.models.timings import SAMPLED_FROM, HistogramFigure

LAST_SAMPLE: Final = 63
"""No record has a higher `sample`."""


async def timed(
    session: AsyncSession,
    columns: Sequence[str],
    since_ns: int,
    until_ns: int,
    sample: int,
    most: int,
    conditions: Sequence[ColumnElement[bool]],
) -> Sequence[Row[*tuple[Any, ...]]]:
    """These columns of the records with a response that ended from `since_ns` on and before `until_ns`. `sample`: only
    a random 2^-`sample` of all; fastest if the columns, and those of the conditions, are of `SAMPLED_COLUMNS`."""
    record = TimingRecord
    wanted = select(*(getattr(record, name) for name in columns)).where(
        record.at_ns >= since_ns, record.at_ns < until_ns, record.response_us.is_not(None), *conditions
    )
    if sample:
        # Single values, so that the index of sample and time finds the rows.
        wanted = wanted.where(record.sample.in_(range(sample, LAST_SAMPLE + 1)))
    if sample >= SAMPLED_FROM:
        # Word for word as in the index of samples, so that the database uses it.
        wanted = wanted.where(text(f"timing_records.sample >= {SAMPLED_FROM}"))
    # Past the session, which takes three times as long to hand over many rows.
    return await session.run_sync(lambda on: on.connection().execute(wanted.limit(most)).all())


async def between(
    session: AsyncSession,
    since_ns: int,
    until_ns: int,
    figure: HistogramFigure,
    low_us: int,
    high_us: int,
    most: int,
    conditions: Sequence[ColumnElement[bool]],
) -> Sequence[TimingRecord]:
    """Timed records whose `figure` is over `low_us` and up to `high_us`, latest first."""
    value = getattr(TimingRecord, f"{figure}_us")
    wanted = (
        select(TimingRecord)
        .where(TimingRecord.at_ns >= since_ns, TimingRecord.at_ns < until_ns, TimingRecord.response_us.is_not(None))
        .where(value > low_us, value <= high_us, *conditions)
        .order_by(TimingRecord.at_ns.desc(), TimingRecord.id.desc())
        .limit(most)
    )
    return (await session.scalars(wanted)).all()
