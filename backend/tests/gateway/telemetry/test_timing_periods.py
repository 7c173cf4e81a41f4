"""Periods: a range is covered once, by the widest that fit, as finely as they are kept."""

from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.telemetry.timing_periods import before, covering, finest_width_s, removed_before_s
from sieve.store.models.timings import Grain
from sieve.store.queries.timing_rollups import GRAINS, WIDTHS
from timing_rows import DAY, NOW_S

MINUTES = st.integers((NOW_S - 390 * DAY) // 60, NOW_S // 60 + 10)


@given(st.sampled_from(list(GRAINS)), MINUTES, MINUTES, st.sampled_from(WIDTHS))
def test_periods_cover_each_minute_of_a_range_once(grain: Grain, one: int, other: int, widest: int) -> None:
    since_s, until_s = 60 * min(one, other), 60 * max(one, other)
    found = covering(grain, since_s, until_s, NOW_S, widest_s=max(widest, finest_width_s(grain, since_s, NOW_S)))
    at_s = found[0].since_s if found else since_s
    for periods in found:
        assert periods.since_s == at_s < periods.until_s
        assert at_s % periods.width_s == periods.until_s % periods.width_s == 0
        # None of them was removed.
        assert periods.since_s >= removed_before_s(grain, periods.width_s, NOW_S)
        at_s = periods.until_s
    if since_s < until_s:
        # It grows only to what is kept.
        assert since_s - finest_width_s(grain, since_s, NOW_S) < found[0].since_s <= since_s
        assert until_s <= at_s < until_s + finest_width_s(grain, until_s, NOW_S)


def test_days_come_between_hours_and_hours_between_minutes() -> None:
    day = NOW_S - NOW_S % DAY - DAY
    found = covering("base", day - 3660, day + DAY + 7320, NOW_S)
    assert [(each.width_s, each.until_s - each.since_s) for each in found] == [
        (60, 60),
        (3600, 3600),
        (86_400, DAY),
        (3600, 7200),
        (60, 120),
    ]


def test_an_old_range_grows_to_whole_hours_and_days() -> None:
    day = NOW_S - NOW_S % DAY
    assert covering("base", day - 50 * DAY + 60, day - 50 * DAY + 120, NOW_S) == [
        (3600, day - 50 * DAY, day - 50 * DAY + 3600)
    ]
    assert covering("base", day - 200 * DAY + 60, day - 200 * DAY + 120, NOW_S) == [
        (DAY, day - 200 * DAY, day - 199 * DAY)
    ]


@given(st.sampled_from(list(GRAINS)), MINUTES, MINUTES)
def test_the_range_before_ends_where_the_range_begins_and_is_about_as_long(grain: Grain, one: int, other: int) -> None:
    since_s, until_s = 60 * min(one, other), 60 * max(one, other) + 60
    found = before(grain, since_s, until_s, NOW_S)
    periods = covering(grain, since_s, until_s, NOW_S)
    earlier = covering(grain, *found, NOW_S)
    # Neither grows: no record counts in both.
    assert found == (earlier[0].since_s, earlier[-1].until_s) and found[1] == periods[0].since_s
    width_s = finest_width_s(grain, found[0], NOW_S)
    assert abs((found[1] - found[0]) - (periods[-1].until_s - periods[0].since_s)) <= max(width_s, width_s // 2)
