"""The time range that a request for timings asks for, and the columns that show it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.telemetry.timing_periods import DAY_S, HOUR_S, MINUTE_S, finest_width_s
from sieve.gateway.telemetry.timing_queries import Span
from sieve.web.errors import MalformedRequest
from sieve.web.timings.answers import columns_of
from sieve.web.timings.filters import MOST_COLUMNS, column_width, range_of

NOW_S = 1_790_000_012
NOW = datetime.fromtimestamp(NOW_S, UTC)


def test_by_default_the_last_24_hours() -> None:
    span = range_of(None, None, NOW_S)
    assert span.until_s - NOW_S < MINUTE_S
    assert span.until_s - span.since_s in (DAY_S, DAY_S + MINUTE_S)


def test_what_happens_in_the_first_second_of_a_minute_is_in_the_range_until_now() -> None:
    minute_s = NOW_S - NOW_S % 60
    assert range_of(None, None, minute_s).until_s == minute_s + 60


@given(
    st.timedeltas(timedelta(0), timedelta(days=3000)), st.timedeltas(timedelta(microseconds=1), timedelta(days=3000))
)
def test_a_span_covers_what_was_asked_for_and_little_more(ago: timedelta, lasts: timedelta) -> None:
    until = NOW - ago
    since = until - lasts
    span = range_of(since, until, NOW_S)
    assert span.since_s <= since.timestamp() and until.timestamp() <= span.until_s
    assert since.timestamp() - span.since_s <= finest_width_s("base", int(since.timestamp()), NOW_S)
    assert span.since_s < span.until_s


@pytest.mark.parametrize(
    ("since", "until"),
    [
        (NOW, NOW),
        (NOW, NOW - timedelta(hours=1)),
        (NOW + timedelta(days=1), None),
        (datetime(1, 1, 1, tzinfo=UTC), None),
        (datetime(1960, 1, 1, tzinfo=UTC), datetime(1970, 1, 2, tzinfo=UTC)),
        (NOW, datetime.max.replace(tzinfo=UTC)),
        # Times are stored as nanoseconds in 64 bits, up to 2262.
        (datetime(2262, 4, 11, tzinfo=UTC), datetime(2262, 4, 12, tzinfo=UTC)),
        (datetime(2300, 1, 1, tzinfo=UTC), datetime(2300, 1, 2, tzinfo=UTC)),
        (datetime(9990, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
        (None, datetime(1969, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_span_that_cannot_be_answered_for(since: datetime | None, until: datetime | None) -> None:
    with pytest.raises(MalformedRequest, match="^query.since: the time range must"):
        range_of(since, until, NOW_S)


def test_a_time_without_a_zone_is_utc() -> None:
    naive = NOW.replace(tzinfo=None)
    assert range_of(naive - timedelta(hours=1), naive, NOW_S) == range_of(NOW - timedelta(hours=1), NOW, NOW_S)


@pytest.mark.parametrize(
    ("lasts_s", "width_s"),
    [
        (HOUR_S, MINUTE_S),
        (DAY_S, 10 * MINUTE_S),
        (7 * DAY_S, HOUR_S),
        (30 * DAY_S, 4 * HOUR_S),
        (365 * DAY_S, 3 * DAY_S),
        (20 * 366 * DAY_S, 56 * DAY_S),
    ],
)
def test_the_width_of_columns(lasts_s: int, width_s: int) -> None:
    span = range_of(NOW - timedelta(seconds=lasts_s), NOW.replace(second=0), NOW_S)
    found = column_width(Span(span.until_s - lasts_s, span.until_s), finest_width_s("base", span.since_s, NOW_S))
    assert found == width_s


@given(
    st.integers(0, 10**9),
    st.integers(1, 20 * 366 * DAY_S),
    st.sampled_from([MINUTE_S, HOUR_S, DAY_S]),
    st.sampled_from([11, MOST_COLUMNS]),
)
def test_columns_cover_the_span(since_s: int, lasts_s: int, least_s: int, most: int) -> None:
    span = Span(since_s, since_s + lasts_s)
    width_s = column_width(span, least_s, most)
    starts = columns_of(span, width_s)
    assert width_s % least_s == 0
    assert 1 <= len(starts) <= most + 1 or width_s == 56 * DAY_S
    assert starts[0] <= since_s < starts[0] + width_s
    assert starts[-1] < span.until_s <= starts[-1] + width_s
