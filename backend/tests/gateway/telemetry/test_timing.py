"""The thesis's figures, from marks made by hand."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from sieve.channel.attempt import MODES, Mode
from sieve.gateway.telemetry.timing import ReceiverDurations, receiver_durations, timings
from sieve.gateway.telemetry.timing_marks import PLAIN, SECURE, TimingMarkName, TimingMarks

MS = 1_000_000
THERE = ReceiverDurations(combine_ns=2 * MS, integrate_ns=3 * MS, verify_ns=MS, commit_ns=5 * MS)


def marks_of(*taken: tuple[TimingMarkName, str, int]) -> TimingMarks:
    marks = TimingMarks()
    for name, channel, at_ms in taken:
        marks.at(name, channel, at_ms * MS)
    return marks


DELIVERY: tuple[tuple[TimingMarkName, str, int], ...] = (
    ("splitting", "", 0),
    ("split", "", 1),
    ("connecting", SECURE, 2),
    ("connected", SECURE, 3),
    ("handshaken", SECURE, 12),
    ("connecting", PLAIN, 10),
    ("connected", PLAIN, 14),
    ("first-byte", PLAIN, 14),
    ("first-byte", SECURE, 15),
    ("last-byte", SECURE, 30),
    ("last-byte", PLAIN, 50),
    ("verified-heard", "", 64),
    ("receipt-heard", "", 80),
)


def test_a_delivery() -> None:
    figures = timings(marks_of(*DELIVERY), "sieve", 7 * MS, THERE)
    assert figures.to_json() == {
        "sieve": 7.0,
        "split": 1.0,
        "establishment": 10.0,  # the slower of the two channels
        "data_transfer": 50.0,
        "combine": 2.0,
        "integrate": 3.0,
        "response": 63.0,
        "total": 73.0,
        "stored": 74.0,  # 7 of the sieve, 1 of the split; integrating is over before the receipt is heard
    }


def test_the_sieves_own_steps_are_no_part_of_a_response_that_needs_none() -> None:
    figures = timings(marks_of(*DELIVERY), "secure-only", 7 * MS, THERE)
    assert (figures.sieve, figures.integrate) == (7, 3)
    assert figures.response == figures.data_transfer + figures.split + figures.combine == 53
    assert figures.total == 63
    assert figures.stored == 67


def test_a_connection_that_broke_and_was_made_again_is_no_establishment() -> None:
    again = (*DELIVERY, ("connecting", PLAIN, 40), ("connected", PLAIN, 41), ("handshaken", SECURE, 60))
    assert timings(marks_of(*again), "sieve", 0, THERE).establishment == 10


def test_kept_open_channels_cost_nothing_to_establish() -> None:
    kept = [mark for mark in DELIVERY if mark[0] not in ("connecting", "connected", "handshaken")]
    figures = timings(marks_of(*kept), "sieve", 0, THERE)
    assert (figures.establishment, figures.total) == (0, figures.response)


def test_the_receivers_steps() -> None:
    there = marks_of(
        ("combining", "", 1),
        ("combined", "", 3),
        ("integrating", "", 3),
        ("integrated", "", 10),
        ("digests-fit", "", 11),
        ("synced", "", 15),
        ("committed", "", 20),
    )
    assert receiver_durations(there) == ReceiverDurations(2 * MS, 7 * MS, 1 * MS, 9 * MS)
    assert receiver_durations(TimingMarks()) == ReceiverDurations(0, 0, 0, 0)


all_names: st.SearchStrategy[TimingMarkName] = st.sampled_from(get_args(TimingMarkName))


@given(
    st.lists(st.tuples(all_names, st.sampled_from(("", SECURE, PLAIN)), st.integers(0, 1000))), st.sampled_from(MODES)
)
def test_whatever_was_marked_no_figure_is_negative(taken: list[tuple[TimingMarkName, str, int]], mode: Mode) -> None:
    figures = timings(marks_of(*taken), mode, 0, ReceiverDurations(0, 0, 0, 0))
    assert all(value >= 0 for value in figures.to_json().values())
