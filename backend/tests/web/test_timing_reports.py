"""What reports say of sums and histograms, against plain arithmetic over the single values."""

import math
import random
import statistics
from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve.gateway.telemetry.histograms import Histogram
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_classes import BATCH_CLASSES, SHARE_CLASSES, SIZE_CLASSES
from sieve.gateway.telemetry.timing_queries import Totals
from sieve.web.timings import reports
from sieve.web.timings.schemas import BatchClass, PhaseMeans, ShareClass, SizeClass

durations = st.integers(0, 10**11)
MB = 1_000_000


def responses(values_us: Sequence[int], *, size: int = 0, secure_bytes: int = 0) -> Totals:
    return Totals(
        count=len(values_us),
        timed=len(values_us),
        size=size * len(values_us),
        secure_bytes=secure_bytes * len(values_us),
        response_us=sum(values_us),
        response_square_ms2=sum((us / 1000) ** 2 for us in values_us),
    )


def test_the_classes_in_addresses_are_those_of_roll_ups() -> None:
    for shown, kept in ((SizeClass, SIZE_CLASSES), (ShareClass, SHARE_CLASSES), (BatchClass, BATCH_CLASSES)):
        assert get_args(shown) == kept


@given(st.lists(st.lists(durations, max_size=20), max_size=6))
def test_a_heatmap_counts_each_value_in_the_cell_that_holds_it(columns: list[list[int]]) -> None:
    shown = reports.heatmap([Histogram.of(values) if values else None for values in columns])
    counted = {(column, bucket): count for column, bucket, count in shown.cells}
    assert len(counted) == len(shown.cells)
    for column, values in enumerate(columns):
        for bucket in range(len(shown.edges_ms) - 1):
            low_ms, high_ms = shown.edges_ms[bucket : bucket + 2]
            low_us = reports.whole_us(low_ms) if low_ms else -1
            inside = sum(low_us < value <= reports.whole_us(high_ms) for value in values)
            assert inside == counted.pop((column, bucket), 0)
    assert not counted
    used = {bucket for _, bucket, _ in shown.cells}
    assert not used or {0, len(shown.edges_ms) - 2} <= used


def test_edges_in_milliseconds_are_exact_to_the_microsecond() -> None:
    """Up to eleven days: an edge in an answer comes back as it was."""
    longest = math.ceil(math.log(10**12) / math.log(1.04))
    shown = reports.heatmap([Histogram.of([1, 10**12])])
    exact = [math.floor(Fraction(104, 100) ** bucket) for bucket in range(0, longest + 4, reports.DISPLAYED)]
    assert [reports.whole_us(edge) for edge in shown.edges_ms[1:]] == exact[: len(shown.edges_ms) - 1]


@given(st.lists(durations, min_size=1, max_size=200))
def test_percentiles_are_within_two_percent(values: list[int]) -> None:
    found = reports.percentiles(Histogram.of(values), sum(values))
    assert found.count == len(values)
    assert found.mean_ms == pytest.approx(statistics.fmean(values) / 1000, abs=0.001)
    for percent, shown in ((50, found.p50_ms), (95, found.p95_ms), (99, found.p99_ms)):
        exact = sorted(values)[math.ceil(percent / 100 * len(values)) - 1]
        # The answer is rounded to microseconds. Buckets hold at least 1 µs.
        assert shown == pytest.approx(exact / 1000, rel=0, abs=0.02 * exact / 1000 + 0.001)


def test_a_headline_of_nothing_has_no_figures() -> None:
    shown = reports.headline({}, {})
    assert (shown.transfers, shown.retries, shown.plain_share) == (0, 0, None)
    for each in (shown.response, shown.total, shown.stored, shown.waiting):
        assert (each.count, each.p50_ms, each.p99_ms, each.mean_ms) == (0, None, None, None)


def test_a_headline_counts_transfers_and_not_attempts() -> None:
    shown = reports.headline(
        {
            "delivered": Totals(count=3, secure_bytes=1 * MB, plain_bytes=3 * MB, clock_moved=1),
            "retry": Totals(count=5, secure_bytes=9 * MB, clock_moved=2),
            "failed": Totals(count=2, secure_bytes=9 * MB),
            "cancelled": Totals(count=1),
        },
        {},
    )
    assert (shown.transfers, shown.delivered, shown.failed, shown.cancelled, shown.retries) == (6, 3, 2, 1, 5)
    assert (shown.secure_bytes, shown.plain_bytes, shown.plain_share, shown.clock_moved) == (1 * MB, 3 * MB, 0.75, 3)


@given(st.integers(0, 20), st.lists(st.integers(0, 9), max_size=30))
def test_the_largest_groups_and_the_others_are_all(most: int, counts: list[int]) -> None:
    groups = {f"p{number}": Totals(count=count, timed=count) for number, count in enumerate(counts)}
    shown, others = reports.largest(groups, most)
    assert len(shown) <= most
    assert sum(t.timed for _, t in shown) + (others.timed if others else 0) == sum(counts)
    assert (others is not None) == (sum(count > 0 for count in counts) > most)
    if others is not None and shown:
        left = {key for key, _ in shown}
        assert min(t.timed for _, t in shown) >= max(t.timed for key, t in groups.items() if key not in left)


def test_the_mean_of_each_phase() -> None:
    totals = Totals(count=4, timed=4, waiting_us=4000, data_transfer_us=10_000, storing_us=1)
    shown = reports.phase_group("1MB", "up to 1 MB", totals)
    expected = {**dict.fromkeys(PhaseMeans.model_fields, 0.0), "waiting": 1.0, "data_transfer": 2.5}
    assert shown.mean_ms.model_dump() == expected | {"storing": 0.0}


def test_labels_are_for_people() -> None:
    assert [reports.size_label(n) for n in range(7)] == [
        "up to 10 KB", "up to 100 KB", "up to 1 MB", "up to 10 MB", "up to 100 MB", "up to 1 GB", "over 1 GB",
    ]  # fmt: skip
    assert [reports.share_label(n) for n in range(8)] == [
        "nothing", "up to 10 %", "up to 25 %", "up to 50 %", "up to 75 %", "up to 90 %", "over 90 %", "everything",
    ]  # fmt: skip


def test_every_cause_has_a_label_and_the_most_frequent_is_first() -> None:
    shown = reports.causes({"": 100, **{cause: number for number, cause in enumerate(TimingCause)}})
    assert [each.count for each in shown] == [*range(len(TimingCause) - 1, 0, -1)]
    assert len({each.label for each in shown}) == len(TimingCause) - 1


# --- modes compared ---------------------------------------------------------------------------------------------------


def test_an_improvement_needs_ten_transfers_of_each_mode() -> None:
    ten, nine = responses([1000] * 10), responses([2000] * 9)
    assert reports.improvement(ten, nine) is reports.improvement(nine, ten) is None
    assert reports.improvement(ten, responses([2000] * 10)) == reports.Improvement(50.0, 50.0, 50.0)


samples = st.lists(st.integers(1000, 10**7), min_size=10, max_size=40)


@given(samples, samples)
def test_an_improvement_is_within_its_interval(sieve: list[int], secure_only: list[int]) -> None:
    found = reports.improvement(responses(sieve), responses(secure_only))
    assert found is not None
    assert found.low <= found.percent <= found.high <= 100
    quotient = statistics.fmean(sieve) / statistics.fmean(secure_only)
    assert found.percent == pytest.approx(100 * (1 - quotient), abs=0.006)
    # The delta method, from the single values.
    relative = [statistics.stdev(each) / statistics.fmean(each) / math.sqrt(len(each)) for each in (sieve, secure_only)]
    # Student's t for 9 degrees of freedom, and for very many.
    for t, inside in ((2.27, True), (1.95, False)):
        ends = [100 * (1 - quotient * math.exp(sign * t * math.hypot(*relative))) for sign in (1, -1)]
        assert (
            (ends[0] <= found.low + 0.01 and found.high <= ends[1] + 0.01)
            if inside
            else (found.low <= ends[0] + 0.01 and ends[1] <= found.high + 0.01)
        )


def test_the_interval_holds_the_true_improvement_in_95_of_100_cases() -> None:
    chance = random.Random(20)
    held, runs = 0, 1000
    for _ in range(runs):
        sieve = [round(1000 * chance.lognormvariate(3, 0.4)) for _ in range(15)]
        secure_only = [round(2000 * chance.lognormvariate(3, 0.4)) for _ in range(25)]
        found = reports.improvement(responses(sieve), responses(secure_only))
        assert found is not None
        held += found.low <= 50 <= found.high
    assert 0.92 <= held / runs <= 0.98


def test_the_improvement_falls_to_0_at_the_break_even() -> None:
    line = [(share, 60 - 75 * share) for share in (0.05, 0.2, 0.4, 0.7, 0.95)]
    shown = reports.break_even(3, reversed(line))
    assert (shown.size, shown.reason) == ("10MB", "")
    assert shown.share == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([], "not enough transfers"),
        ([(0.5, 3.0)], "not enough transfers"),
        ([(0.1, 50.0), (0.9, 2.0)], "both channels are faster at the largest share that was measured"),
        ([(0.1, -5.0), (0.9, -20.0)], "the secure channel only is faster at every share that was measured"),
    ],
)
def test_a_break_even_that_was_not_measured_says_why(points: list[tuple[float, float]], reason: str) -> None:
    shown = reports.break_even(0, points)
    assert (shown.share, shown.reason) == (None, reason)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-100, 100)), max_size=8))
def test_a_break_even_is_between_two_measured_shares(points: list[tuple[float, float]]) -> None:
    shown = reports.break_even(2, points)
    assert (shown.share is None) == bool(shown.reason)
    if shown.share is not None:
        assert min(points)[0] - 1e-4 <= shown.share <= max(points)[0] + 1e-4


def test_a_matrix_compares_what_was_measured() -> None:
    def cell(mode: str, share: float, response_ms: int, count: int = 10) -> Totals:
        secure = round(MB * share) if mode == "sieve" else MB
        return responses([1000 * response_ms] * count, size=MB, secure_bytes=secure)

    cells, edges = reports.matrix(
        {
            ("sieve", 2, 1): cell("sieve", 0.1, 20),
            ("secure-only", 2, 1): cell("secure-only", 0.1, 40),
            ("sieve", 2, 5): cell("sieve", 0.9, 60),
            ("secure-only", 2, 5): cell("secure-only", 0.9, 40),
            ("sieve", 4, 0): cell("sieve", 0, 5, count=3),
            ("auto", 5, 0): Totals(count=7),
        }
    )
    assert [(each.size, each.share, each.improvement_percent, each.enough) for each in cells] == [
        ("1MB", "10", 50.0, True),
        ("1MB", "90", -50.0, True),
        ("100MB", "0", None, False),
    ]
    assert (cells[2].sieve.count, cells[2].sieve.mean_ms, cells[2].secure_only.mean_ms) == (3, 5.0, None)
    assert [(each.size, each.share) for each in edges] == [("1MB", 0.5), ("100MB", None)]


def test_a_matrix_without_a_clear_difference_has_no_break_even() -> None:
    def scattered(least_ms: int) -> Totals:
        return responses([1000 * (least_ms + 30 * (n % 5)) for n in range(20)], size=MB)

    both = {("sieve", 2, share): scattered(20 + share) for share in (1, 5)}
    cells, [edge] = reports.matrix(both | {("secure-only", 2, share): scattered(20) for share in (1, 5)})
    assert all(cell.enough and cell.low is not None and cell.low < 0 < (cell.high or 0) for cell in cells)
    assert (edge.share, edge.reason) == (None, "no clear difference at any share that was measured")


@given(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100))
@settings(max_examples=20)
def test_shares_of_the_planner(predicted: int, within: int, other: int) -> None:
    totals = Totals(predicted=predicted, within_two=min(predicted, within), other_faster=other)
    shown = reports.planner(totals, Totals())
    assert shown.expected_within_two_share is shown.mean_expected_ms is shown.mean_turnaround_ms is None
    if not predicted:
        assert shown.within_two_share is shown.other_faster_share is None
    else:
        assert shown.within_two_share == round(min(predicted, within) / predicted, 4)


def test_how_far_an_import_is() -> None:
    assert reports.imported_percent("", done=False) == 0
    assert reports.imported_percent("80" + "0" * 30, done=False) == 50
    assert reports.imported_percent("", done=True) == 100
