"""Which superseded saves of a draft are kept, at any time."""

from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.documents.versions import (
    DAY_NS,
    HOUR_NS,
    KEPT_DAYS,
    MINUTE_NS,
    MOST_BYTES,
    minute_start_ns,
    not_kept,
)
from sieve.store.queries.versions import SupersededSave

CREATED_NS = 1_700_000_000 * 1_000_000_000 + 12_345


def saved(*offsets_ns: int, size: int = 10) -> list[SupersededSave]:
    """Saves so long after the draft's creation, the latest first; their ids are their positions in time."""
    saves = [SupersededSave(str(n), CREATED_NS + at, size, False) for n, at in enumerate(sorted(offsets_ns))]
    return saves[::-1]


def kept(saves: list[SupersededSave], after_ns: int) -> list[str]:
    gone = not_kept(saves, CREATED_NS, CREATED_NS + after_ns)
    return [save.id for save in saves if save.id not in gone]


def test_of_each_minute_the_last_is_kept_for_an_hour() -> None:
    saves = saved(0, 10, MINUTE_NS - 1, MINUTE_NS, 2 * MINUTE_NS)
    assert kept(saves, 3 * MINUTE_NS) == ["4", "3", "2"]


def test_then_of_each_hour_for_a_day_and_of_each_day_for_thirty() -> None:
    saves = saved(0, 5 * MINUTE_NS, HOUR_NS, 2 * HOUR_NS, DAY_NS + 1)
    assert kept(saves, 3 * HOUR_NS + MINUTE_NS) == ["4", "3", "2", "1"]
    assert kept(saves, 3 * DAY_NS) == ["4", "3"]
    assert kept(saves, KEPT_DAYS * DAY_NS + 3 * HOUR_NS) == ["4"]
    assert kept(saves, (KEPT_DAYS + 1) * DAY_NS + 1) == []


def test_what_a_restore_replaced_is_kept_beside_the_last_of_its_minute() -> None:
    late, replaced, early = saved(0, 1, 2)
    saves = [late, replaced._replace(before_restore=True), early]
    assert kept(saves, 5) == ["2", "1"]
    assert kept(saves, KEPT_DAYS * DAY_NS + 1) == ["2"]


def test_one_draft_keeps_no_more_than_so_many_bytes() -> None:
    saves = saved(*(n * MINUTE_NS for n in range(5)), size=MOST_BYTES // 3)
    assert kept(saves, 6 * MINUTE_NS) == ["4", "3", "2"]


@given(
    st.lists(st.integers(0, 40 * DAY_NS), max_size=60, unique=True),
    st.lists(st.integers(0, 50 * DAY_NS), min_size=1, max_size=5),
)
def test_it_does_not_matter_when_the_others_were_removed(offsets: list[int], looks: list[int]) -> None:
    """Removing saves in several steps leaves what one step at the end leaves, and few."""
    end = max([*looks, *offsets])
    saves = saved(*offsets)
    left = list(saves)
    for at in sorted(looks):
        there = [save for save in left if save.created_at_ns <= CREATED_NS + at]
        gone = not_kept(there, CREATED_NS, CREATED_NS + at)
        left = [save for save in left if save.id not in gone]
    stepwise = set(kept(left, end))
    assert stepwise <= set(kept(saves, end)) or not stepwise
    assert len(stepwise) <= 61 + 25 + 31


@given(st.integers(0, DAY_NS))
def test_a_minute_is_the_same_for_saves_and_for_retention(after_ns: int) -> None:
    start = minute_start_ns(CREATED_NS, CREATED_NS + after_ns)
    assert start <= CREATED_NS + after_ns < start + MINUTE_NS
    assert (start - CREATED_NS) % MINUTE_NS == 0
