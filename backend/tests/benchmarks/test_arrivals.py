"""The rates that are tried, and when documents are due."""

import pytest
from benchmarks.arrivals import climb, due


def test_arrivals_are_the_same_each_time_and_as_many_as_come() -> None:
    found = due([b"a", b"b"], 400.0, 0.5)
    assert found == due([b"a", b"b"], 400.0, 0.5)
    assert 150 < len(found) < 250
    assert [each.request for each in found[:3]] == [b"a", b"b", b"a"]
    assert [each.at_s for each in found] == sorted(each.at_s for each in found)
    assert found[0].at_s > 0 and found[-1].at_s < 0.5


@pytest.mark.parametrize(
    ("most", "tried"),
    [
        (1000.0, [80.0, 160.0, 320.0]),
        (200.0, [80.0, 160.0, 320.0]),
        (25.0, [80.0, 40.0, 20.0]),
        (0.0, [80.0, 40.0, 20.0, 10.0]),
    ],
)
def test_rates_rise_to_the_first_that_is_too_much_or_fall_to_one_that_is_not(most: float, tried: list[float]) -> None:
    rates: list[float] = []

    def keeps_up(rate: float) -> bool:
        rates.append(rate)
        return rate <= most

    climb((80.0, 160.0, 320.0), keeps_up)
    assert rates == tried
