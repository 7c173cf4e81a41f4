"""Marks: in order, by channel, and by a clock that never runs backwards."""

import time
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.gateway.telemetry.timing_marks import PLAIN, SECURE, TimingMark, TimingMarkName, TimingMarks

names: st.SearchStrategy[TimingMarkName] = st.sampled_from(("connecting", "connected", "first-byte", "last-byte"))
channels = st.sampled_from(("", SECURE, PLAIN))


def counting() -> TimingMarks:
    return TimingMarks(clock=count(1).__next__)


def test_marks_of_an_attempt_do_not_run_backwards_when_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = TimingMarks()
    marks.at("claimed")
    set_back = time.time_ns() - 3600 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: set_back)
    marks.at("receipt-heard")
    first, last = (mark.at_ns for mark in marks.taken)
    assert set_back + 3000 * 10**9 < first <= last


@given(st.lists(st.tuples(names, channels)))
def test_first_and_last_are_of_the_channel_asked_for(happened: list[tuple[TimingMarkName, str]]) -> None:
    marks = counting()
    for name, channel in happened:
        marks.at(name, channel)
    for name, channel in happened:
        times = [i for i, what in enumerate(happened, 1) if what == (name, channel)]
        assert (marks.first(name, channel), marks.last(name, channel)) == (times[0], times[-1])
        anywhere = [i for i, what in enumerate(happened, 1) if what[0] == name]
        assert (marks.first(name), marks.last(name)) == (anywhere[0], anywhere[-1])


def test_what_never_happened_has_no_time() -> None:
    assert counting().first("verified") is None
    assert counting().last("verified", PLAIN) is None


def test_of_what_happens_again_and_again_the_last_time_is_kept() -> None:
    marks = counting()
    for _ in range(1000):
        marks.move("last-byte", PLAIN)
    marks.at("last-byte", SECURE)
    marks.move("last-byte", PLAIN)
    assert marks.taken == [TimingMark("last-byte", SECURE, 1001), TimingMark("last-byte", PLAIN, 1002)]


def test_a_mark_may_be_given_its_time() -> None:
    marks = counting()
    marks.at("verified", at_ns=77)
    assert marks.taken == [TimingMark("verified", "", 77)]
