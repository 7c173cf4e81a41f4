"""The query parameters that all timings share: a time range, and filters.

An end of the range lies on a minute, hour or day, as finely as roll-ups are still kept for it; so an answer may begin a
little earlier and end a little later than asked.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Final, Literal, TypeAlias

from fastapi import Depends, Query
from pydantic import BeforeValidator
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve import cipher_suites
from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.telemetry.timing_classes import BATCH_CLASSES, SHARE_CLASSES, SIZE_CLASSES
from sieve.gateway.telemetry.timing_filters import Filters
from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S, MINUTE_S, finest_width_s
from sieve.gateway.telemetry.timing_queries import Span
from sieve.store.models import Peer
from sieve.store.models.timings import Direction, TimingOutcome
from sieve.web.errors import MalformedRequest
from sieve.web.times import kept
from sieve.web.timings.schemas import BatchClass, RecordedMode, ShareClass, SizeClass

AnswerFormat: TypeAlias = Literal["json", "csv"]

DEFAULT_S: Final = DAY_S
MOST_COLUMNS: Final = 180
_LONGEST_S: Final = 20 * 366 * DAY_S
_LATEST_S: Final = 106_651 * DAY_S
"""The start of 2262: in that year, nanoseconds since the epoch no longer fit into 64 bits."""
_SUITES: Final = frozenset({*cipher_suites.TLS_1_3, *cipher_suites.TLS_1_2, *cipher_suites.OLDER})
_WIDTHS: Final = (
    *(MINUTE_S * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR_S * n for n in (1, 2, 3, 4, 6, 12)),
    *(DAY_S * n for n in (1, 2, 3, 7, 14, 28, 56)),
)


def range_of(since: datetime | None, until: datetime | None, now_s: int) -> Span:
    """The range to answer for, which covers what was asked for; by default, the last 24 hours before `until`.

    Raises:
        MalformedRequest: it ends before it begins, lasts more than 20 years, begins before 1970, or ends in 2262 or
            later.
    """
    # Including the current second: a minute that has just begun counts.
    until_s = now_s + 1 if until is None else -(-kept(until) // NS_PER_S)
    since_s = until_s - DEFAULT_S if since is None else kept(since) // NS_PER_S
    if since_s >= until_s:
        raise MalformedRequest(
            "query.since: the time range must begin before its end, which is now if `until` is missing"
        )
    if since_s < 0 or until_s - since_s > _LONGEST_S or until_s > _LATEST_S:
        raise MalformedRequest(
            "query.since: the time range must be at most 20 years long, begin in 1970 or later, and end before 2262"
        )
    first, last = finest_width_s("base", since_s, now_s), finest_width_s("base", until_s, now_s)
    return Span(since_s - since_s % first, until_s + -until_s % last)


def column_width(span: Span, least_s: int, most: int = MOST_COLUMNS) -> int:
    """The width of columns, in seconds, at least `least_s`, so that `most` show the span; one more if it does not begin
    with a column. Of very long spans with few columns, there are more: no column is wider than 56 days.
    """
    lasts_s = span.until_s - span.since_s
    return next((width for width in _WIDTHS if width >= least_s and lasts_s <= most * width), _WIDTHS[-1])


@dataclass(frozen=True, slots=True)
class TimingsQuery:
    """What is asked for."""

    span: Span
    filters: Filters
    peer: str | None
    as_csv: bool

    async def resolved(self, session: AsyncSession) -> Filters:
        """The filters, with the ids of the peer: of each that has or had the name asked for.

        Raises:
            MalformedRequest: there never was a peer of that name.
        """
        if self.peer is None:
            return self.filters
        found = frozenset(await session.scalars(select(Peer.id).where(Peer.name == self.peer)))
        if not found:
            raise MalformedRequest("query.peer: this gateway never had a peer of this name; see `sieve peers list`")
        return replace(self.filters, peer_ids=found)


def _with_plus(value: str | None) -> str | None:
    # In an address, an unquoted + is a space.
    return None if value is None else value.replace(" ", "+")


async def _query(
    since: Annotated[
        datetime | None,
        Query(
            description="Start of the time range, in UTC unless it has an offset. By default 24 hours before its end."
        ),
    ] = None,
    until: Annotated[datetime | None, Query(description="The end of the time range; by default now.")] = None,
    direction: Direction | None = None,
    peer: Annotated[str | None, Query(min_length=1, max_length=63, description="Its name.")] = None,
    mode: RecordedMode | None = None,
    size: Annotated[
        SizeClass | None, Query(description="Documents of up to that size, and larger than the class before.")
    ] = None,
    share: Annotated[
        ShareClass | None,
        Query(description="Up to that percentage classified, and more than the class before; 99: not everything."),
    ] = None,
    channels: Annotated[
        str | None,
        BeforeValidator(_with_plus),
        Query(pattern=r"^[0-9]{1,2}\+[0-9]{1,2}$", description="Secure and plain ones, such as 1+2."),
    ] = None,
    suite: Annotated[str | None, Query(max_length=100, description="A cipher suite by its IANA name.")] = None,
    batch: Annotated[
        BatchClass | None, BeforeValidator(_with_plus), Query(description="How many documents were sent together.")
    ] = None,
    outcome: TimingOutcome | None = None,
    answer_format: Annotated[
        AnswerFormat, Query(alias="format", description="csv: text/csv with the same numbers as a table.")
    ] = "json",
) -> TimingsQuery:
    now_s = now_ns() // NS_PER_S
    if suite is not None and suite not in _SUITES:
        raise MalformedRequest("query.suite: this is no cipher suite of gateways; use its IANA name")
    filters = Filters(
        direction=direction,
        mode=mode,
        size_class=None if size is None else SIZE_CLASSES.index(size),
        share_class=None if share is None else SHARE_CLASSES.index(share),
        channels=channels,
        suite=suite,
        batch_class=None if batch is None else BATCH_CLASSES.index(batch),
        outcome=outcome,
    )
    return TimingsQuery(range_of(since, until, now_s), filters, peer, answer_format == "csv")


Asked = Annotated[TimingsQuery, Depends(_query)]
