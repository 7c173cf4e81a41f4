"""What of the thesis's tables follows from its other tables."""

import pytest

from sieve.lab.tls_split.printed_tables import (
    HANDSHAKE,
    INCREASES,
    INITIATION,
    RESUMPTION,
    SIZES_KB,
    checks,
    increase_percent,
    seconds_times_100,
)


def test_only_the_percentages_that_are_seconds_do_not_follow() -> None:
    wrong = {check.table for check in checks() if not check.follows}
    names = ("A.1, % difference", "B.1, % difference", "C.1, % difference")
    assert wrong == {*names, "6.5, session initiation", "6.5, session resumption", "B.1 and C.1, 2 KB"}
    assert len(checks()) == 14
    assert all(check.because for check in checks() if not check.follows)


def test_the_wrong_percentages_are_seconds_times_100() -> None:
    for table in (HANDSHAKE, INITIATION, RESUMPTION):
        for printed, size in zip(table.differences, SIZES_KB, strict=True):
            assert seconds_times_100(*table.mean_s(size)) == pytest.approx(printed, abs=0.05)


def test_the_true_percentages() -> None:
    def true(table: object) -> list[float]:
        assert table in (INITIATION, RESUMPTION)
        return [
            round(increase_percent(*pair), 1) for pair in (INITIATION if table is INITIATION else RESUMPTION).averages
        ]

    assert true(INITIATION) == [7.8, 7.8, 7.7, 7.7, 42.9]
    assert true(RESUMPTION) == [7.5, 7.5, 7.8, 13.4, 120.7]
    assert [*map(round, INCREASES["B.1"])] == [8, 8, 8, 8, 51]
