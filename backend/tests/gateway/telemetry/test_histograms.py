"""Histograms: percentiles within 2 %, and sums of histograms are histograms of all."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.telemetry.histograms import (
    BASE,
    EMPTY,
    Histogram,
    buckets_of,
    representative_us,
    upper_edge_us,
)
from sieve.store import bucket_counts

TIMES = st.lists(st.integers(0, 100) | st.integers(0, 10**7) | st.integers(0, 2**53), max_size=60)


@given(TIMES.filter(bool), st.sampled_from([0.1, 25, 50, 90, 95, 99, 100]))
def test_a_percentile_is_within_2_percent_of_the_exact_one(times: list[int], percent: float) -> None:
    exact = sorted(times)[max(0, math.ceil(percent / 100 * len(times)) - 1)]
    found = Histogram.of(times).percentile_us(percent)
    assert found is not None
    # Nobody needs fractions of a microsecond.
    assert abs(found - max(exact, 1)) <= 0.02 * max(exact, 1)


@given(TIMES, TIMES)
def test_joined_bytes_and_sums_are_the_histogram_of_all(some: list[int], others: list[int]) -> None:
    one, other, both = Histogram.of(some), Histogram.of(others), Histogram.of(some + others)
    assert one + other == both
    assert Histogram.from_bytes(one.to_bytes() + other.to_bytes()) == both
    assert Histogram.from_bytes(bucket_counts.added(one.to_bytes(), other.to_bytes())) == both
    assert bucket_counts.added(one.to_bytes(), other.to_bytes()) == both.to_bytes()
    assert both.count == len(some) + len(others)


def test_nothing_has_no_percentile() -> None:
    assert EMPTY.percentile_us(50) is None
    assert EMPTY == Histogram.of([]) == Histogram.from_bytes(b"") == EMPTY + EMPTY


def test_counts_add_up_beyond_those_of_one_row() -> None:
    one = Histogram(np.array([7]), np.array([2**32 - 1]))
    assert Histogram.from_bytes(one.to_bytes() * 3).count == 3 * (2**32 - 1)


def test_each_bucket_has_its_edges() -> None:
    edges = [upper_edge_us(bucket) for bucket in range(601)]
    assert all(math.isclose(high / low, BASE) for low, high in pairwise(edges))
    inside = np.array([int(edge) for edge in edges[200:]])
    assert (buckets_of(inside) == np.arange(200, 601)).all()
    assert all(low < representative_us(bucket + 1) < high for bucket, (low, high) in enumerate(pairwise(edges)))
