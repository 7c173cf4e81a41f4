"""From raw samples to rows and targets, with samples made up so that the figures can be told in the head."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.analyse import analyse
from benchmarks.cases import Case
from benchmarks.extract import extract
from benchmarks.samples import RawFile, latest, read

TIMINGS = {
    "sieve": 2.0,
    "split": 0.0,
    "establishment": 5.0,
    "data_transfer": 17.0,
    "combine": 0.0,
    "integrate": 1.0,
    "response": 20.0,
    "total": 25.0,
    "stored": 30.0,
}


def case(mode: str) -> dict[str, Any]:
    return Case("channels", 10, 0.1, mode, plain=0 if mode == "secure-only" else 1, cipher="A").to_json()


def sent(mode: str, response: float, **more: Any) -> dict[str, Any]:
    return {
        "case": case(mode),
        "warm_up": False,
        "timings": TIMINGS | {"response": response, "total": response + 5.0},
        "attempts": 1,
        "lasted_s": 0.1,
        "cpu_s": {"sender": 0.01, "receiver": 0.02 if mode == "sieve" else 0.05},
        **more,
    }


@pytest.fixture
def results(tmp_path: Path) -> Path:
    with RawFile(tmp_path, "short") as raw:
        raw.add("machine", form="short", cores=2)
        raw.add("transfer", **sent("sieve", 900.0, warm_up=True, peak_bytes={"sender": 2**20, "receiver": 2**21}))
        raw.add("transfer", **sent("sieve", 900.0, attempts=2))
        for response in (19.0, 21.0):
            raw.add("transfer", **sent("sieve", response))
        for response in (39.0, 41.0):
            raw.add("transfer", **sent("secure-only", response))
        raw.add("reference", name="nginx_tls_put_ms", warm_up=True, ms=900.0)
        raw.add("reference", name="nginx_tls_put_ms", warm_up=False, ms=40.0)
        raw.add("missing", names=["nginx_plain_put_ms"], reason="for the test")
        for rate, kept_up in ((20.0, True), (40.0, False)):
            raw.add(
                "throughput",
                mode="sieve",
                bytes=10_000,
                p=0.5,
                offered_per_s=rate,
                delivered_per_s=rate * 0.9,
                kept_up=kept_up,
                not_accepted=0,
                latency_ms=[1.0, 2.0, 3.0],
            )
    return tmp_path


def test_rows_leave_out_warm_up_and_second_attempts(results: Path) -> None:
    sieve = next(row for row in extract(latest(results))["rows"] if row["mode"] == "sieve")
    assert sieve["transfers"] == 2
    assert sieve["again"] == 1
    assert sieve["response_ms"]["mean"] == 20.0
    assert sieve["total_ms"] == 25.0
    assert sieve["peak_mib"] == {"sender": 1.0, "receiver": 2.0}
    assert sieve["split"] is sieve["batch"] is sieve["link"] is None


def test_what_is_missing_is_null_with_a_reason(results: Path) -> None:
    references = extract(latest(results))["references"]
    assert references["nginx_tls_put_ms"]["mean"] == 40.0
    assert references["nginx_plain_put_ms"] is None
    assert references["missing"] == {"nginx_plain_put_ms": "for the test"}


def test_targets_are_judged(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = analyse(extract(latest(results)), results)
    judged = {target["name"]: target for target in json.loads(path.read_text())["targets"]}
    improvement = judged["improvement of sieve over secure-only, 10MB-10"]
    assert (improvement["measured"], improvement["holds"], improvement["aim_holds"]) == (50.0, True, False)
    assert judged["secure-only 10MB-10 / nginx TLS PUT"]["measured"] == 1.0
    assert judged["processor time of sieve / secure-only, 10MB-10"]["measured"] == 0.5
    assert judged["documents of 10 KB-50, accepted to receipted"]["measured"] == 36.0
    assert judged["parse 10 MB of marked text"]["holds"] is None
    assert "not measured" in capsys.readouterr().out


def test_without_samples_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="measure first"):
        latest(tmp_path)


def test_raw_lines_come_back_in_order(results: Path) -> None:
    assert [sample["is"] for sample in read(latest(results))][:2] == ["machine", "transfer"]
