"""Our simulation reproduces table 5.3 of the thesis."""

import pytest

from sieve.lab.errors import LabError
from sieve.lab.thesis_table import PRINTED, compare


def test_each_printed_figure_is_in_its_interval_or_follows_from_the_rate_that_its_line_implies() -> None:
    cells = list(compare(replications=40))
    assert len(cells) == 54
    outside = [cell for cell in cells if not cell.is_inside]
    assert {(cell.row.system, cell.row.rate_per_s) for cell in outside} == {("batching", 0.3)}
    # By Little's law 0.306 requests arrived a second in that line, not 0.3.
    assert outside[0].row.own_rate_per_s == pytest.approx(0.3057, abs=1e-4)
    assert all(cell.is_explained for cell in outside)


def test_five_runs_differ_by_more_than_the_printed_interval() -> None:
    near_saturation = [row for row in PRINTED if (row.system, row.rate_per_s) == ("no batching", 0.9)]
    for cell in compare(20, rows=near_saturation):
        if cell.figure == "turnaround":
            assert cell.five_runs > 0.05 * cell.ours.value


def test_an_interval_needs_two_replications() -> None:
    with pytest.raises(LabError):
        list(compare(1))
