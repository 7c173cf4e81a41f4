"""The page of arrivals, from measurements that are made up."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import arrivals_page

TURNAROUND = {"mean_ms": 40.0, "p50_ms": 30.0, "p95_ms": 90.0, "p99_ms": 95.0}


def step(mode: str, batching: str, batch: int, rate: float, mean_ms: float, **more: Any) -> dict[str, Any]:
    return {
        "mode": mode,
        "batching": batching,
        "batch": batch,
        "rate_per_s": rate,
        "requests": 40,
        "not_delivered": 0,
        "documents_per_attempt": 1.6 if batching == "planner" else float(batch),
        "measured": TURNAROUND | {"mean_ms": mean_ms},
        "simulated": TURNAROUND,
        "simulated_one_server": TURNAROUND,
        **more,
    }


FOUND = {
    "at": "23 November 2026",
    "machine": {"cores": 2, "cpu": "a processor", "system": "Linux", "python": "3.11", "commit": "abc"},
    "load_at_start": 0.4,
    "size_bytes": 1_000_000,
    "classified_share": 0.5,
    "seconds": 10.0,
    "services": [{"mode": "sieve", "batch": 1, "mean_ms": 20.0, "ci95_ms": 1.0, "n": 12}],
    "fitted": [{"mode": "sieve", "servers": 2, "error_percent": 8.0, "error_percent_one_server": 60.0}],
    "steps": [
        step("sieve", "full", 1, 10.0, 25.0),
        step("sieve", "full", 5, 10.0, 250.0, not_delivered=3),
        step("sieve", "planner", 1, 10.0, 24.0, simulated=None),
        step("sieve", "full", 1, 20.0, 25.0),
        step("sieve", "planner", 1, 20.0, 30.0),
    ],
}


def test_the_page_says_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals_page, "REPLICATIONS", 3)
    monkeypatch.setattr(arrivals_page, "SEARCHED", 2)
    monkeypatch.setattr(arrivals_page, "REQUESTS", 100)
    page = arrivals_page.write(FOUND, tmp_path).read_text()
    assert "2 cores of a processor" in page
    assert "Its load was 0.4 before" in page
    assert "| 10 | sieve | full, 1 | 40 | 25 | 90 | 40 | 90 | 40 |" in page
    assert "| 10 | sieve | full, 5 | 40 (3 not delivered) | 250 |" in page
    assert "| 10 | sieve | planner, 1.6 | 40 | **24** | 90 | - | - | 40 |" in page
    assert "The planner's batching had the shortest mean turnaround at 1 of 2 rates and modes." in page
    assert "hardly any groups" not in page
    assert "| 21.56 | " in page
    for figure in ("simulated", "measured"):
        assert f"](arrivals/{figure}.svg)" in page
        assert (tmp_path / "arrivals" / f"{figure}.svg").read_text().startswith("<?xml")
