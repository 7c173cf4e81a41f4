"""The benchmark's command: where results go, and that the page is drawn from raw samples."""

import signal
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from benchmarks.__main__ import RESULTS, main, results_of
from benchmarks.cases import case

from bench_rows import sample
from benchmarks import page, samples

WHOLE = dict.fromkeys(("only", "experiments", "x", "p", "transfers", "seconds", "large"))


def test_a_run_of_its_whole_form_is_the_result() -> None:
    assert results_of(Namespace(**WHOLE)) == RESULTS


@pytest.mark.parametrize("less", [{"only": ["throughput"]}, {"x": [1]}, {"seconds": 20.0}])
def test_a_run_of_less_takes_the_place_of_none(less: dict[str, object]) -> None:
    assert results_of(Namespace(**WHOLE | less)) == RESULTS / "partial"


def test_the_page_is_drawn_from_raw_samples_whatever_rows_an_earlier_version_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows.json").write_text('{"rows": []}')
    with samples.RawFile(tmp_path, "full") as raw:
        raw.add("transfer", **sample(case("many", 1, 0.5, "sieve")))
    drawn: list[Mapping[str, Any]] = []
    monkeypatch.setattr(page, "write", lambda extracted, _into: drawn.append(extracted))
    assert _command(monkeypatch, "draw", "--results", str(tmp_path)) == 0
    assert [row["transfers"] for row in drawn[0]["rows"]] == [1]


def test_before_anything_was_measured_the_command_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _command(monkeypatch, "draw", "--results", str(tmp_path)) == 1
    assert "measure first: python -m benchmarks run" in capsys.readouterr().err


def _command(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Runs it in this process, whose signals stay as they are."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    return main()
