"""The benchmark's command: where results go."""

from argparse import Namespace

import pytest
from benchmarks.__main__ import RESULTS, results_of

WHOLE = dict.fromkeys(("only", "experiments", "x", "p", "transfers", "seconds", "large"))


def test_a_run_of_its_whole_form_is_the_result() -> None:
    assert results_of(Namespace(**WHOLE)) == RESULTS


@pytest.mark.parametrize("less", [{"only": ["throughput"]}, {"x": [1]}, {"seconds": 20.0}])
def test_a_run_of_less_takes_the_place_of_none(less: dict[str, object]) -> None:
    assert results_of(Namespace(**WHOLE | less)) == RESULTS / "partial"
