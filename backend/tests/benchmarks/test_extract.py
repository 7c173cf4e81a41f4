"""From raw samples to rows, with samples made up so that the figures can be computed in the head."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.cases import Link, case
from benchmarks.extract import by_case, extract
from benchmarks.samples import RawFile, latest, read

from bench_rows import machine, sample, timings

SIEVE = case("channels", 10, 0.1, "sieve")
SECURE_ONLY = case("channels", 10, 0.1, "secure-only")
EMULATED = case("3des", 10, 0.1, "sieve", emulated="3des")
WIFI = case("wireless", 1, 0.5, "sieve", link=Link(54, 54))
WITH_AP = replace(WIFI, emulated="added", ap_ms_per_mb=500.0)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    with RawFile(tmp_path, "short") as raw:
        machine(raw)
        raw.add("calibration", name="3des", ms_per_mb=30.0)
        raw.add("transfer", **sample(SIEVE, 900, warm_up=True, peak_bytes={"sender": 2**20, "receiver": 2**21}))
        raw.add("transfer", **sample(SIEVE, 900, attempts=2))
        for noise in (-1.0, 1.0):
            for one in (SIEVE, SECURE_ONLY, EMULATED, WIFI):
                raw.add("transfer", **sample(one, noise))
        raw.add("not-run", case=case("channels", 10, 0.1, "auto").to_json(), reason="for the test")
        raw.add("reference", name="nginx_tls_put_ms", warm_up=True, ms=900.0)
        raw.add("reference", name="nginx_tls_put_ms", warm_up=False, ms=40.0)
        raw.add("missing", names=["nginx_plain_put_ms"], reason="for the test")
    return tmp_path


def test_rows_leave_out_warm_up_and_second_attempts(results: Path) -> None:
    sieve = by_case(extract(latest(results))["rows"])[SIEVE]
    assert (sieve["transfers"], sieve["again"]) == (2, 1)
    assert sieve["response_ms"]["mean"] == pytest.approx(timings(SIEVE)["response"])
    assert sieve["stored_ms"]["median"] == pytest.approx(timings(SIEVE)["stored"])
    assert sieve["peak_mib"] == {"sender": 1.0, "receiver": 2.0}
    assert sieve["cpu_both_ms"]["mean"] == pytest.approx(30.0)


def test_cpu_time_is_that_of_a_transfer_and_a_batch_is_three(tmp_path: Path) -> None:
    batch = case("batches", 10, 0.5, "sieve", files="UFS")
    with RawFile(tmp_path, "short") as raw:
        raw.add("transfer", **sample(batch))
    row = by_case(extract(latest(tmp_path))["rows"])[batch]
    assert row["cpu_s"] == pytest.approx({"sender": 0.01 / 3, "receiver": 0.02 / 3}, abs=1e-5)
    assert row["split_and_combine_ms"]["median"] == pytest.approx(0.03)


def test_what_was_not_run_is_no_row_and_says_why(results: Path) -> None:
    extracted = extract(latest(results))
    (missing,) = extracted["not_run"]
    assert (missing["case"]["mode"], missing["reason"]) == ("auto", "for the test")
    assert all(row["case"]["mode"] != "auto" for row in extracted["rows"])


def test_a_case_that_has_figures_is_not_said_to_be_not_run(results: Path) -> None:
    with latest(results).open("a") as more:
        broke_down = {"is": "not-run", "case": SIEVE.to_json(), "reason": "alpha left"}
        more.write(json.dumps(broke_down) + "\n")
    extracted = extract(latest(results))
    assert SIEVE in by_case(extracted["rows"])
    assert [one["reason"] for one in extracted["not_run"]] == ["for the test"]


def test_what_relays_burn_is_the_gateways_processor_time(results: Path) -> None:
    row = by_case(extract(latest(results))["rows"])[EMULATED]
    assert row["ap_ms_per_mb"] == 30.0
    # 1 MB of 10 is classified: 30 ms on each side.
    assert row["cpu_s"] == pytest.approx({"sender": 0.04, "receiver": 0.05})


def test_additional_processing_is_counted_on_top_for_secure_bytes_alone(results: Path) -> None:
    rows = by_case(extract(latest(results), [WITH_AP, case("wireless", 3, 0.5, "sieve")])["rows"])
    more = rows[WITH_AP]["response_ms"]["mean"] - rows[WIFI]["response_ms"]["mean"]
    assert more == pytest.approx(250.0)
    assert rows[WITH_AP]["response_ms"]["ci95"] == rows[WIFI]["response_ms"]["ci95"]


def test_what_is_missing_is_null_with_a_reason(results: Path) -> None:
    references = extract(latest(results))["references"]
    assert references["nginx_tls_put_ms"]["mean"] == 40.0
    assert references["nginx_plain_put_ms"] is None
    assert references["missing"] == {"nginx_plain_put_ms": "for the test"}


def test_without_samples_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="measure first"):
        latest(tmp_path)


def test_raw_lines_come_back_in_order(results: Path) -> None:
    assert [sample["is"] for sample in read(latest(results))][:3] == ["machine", "calibration", "transfer"]
