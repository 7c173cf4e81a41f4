"""The form of latest.json, and the targets that are judged in it."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.analyse import analyse
from benchmarks.cases import case
from benchmarks.extract import extract
from benchmarks.results_file import ROW_FIELDS, results_of
from benchmarks.samples import RawFile, latest
from benchmarks.thesis.exhibits import cases

from bench_rows import machine, sample, whole


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    results = tmp_path_factory.mktemp("results")
    whole(results, cases())
    return results_of(extract(latest(results), cases()))


def test_every_row_has_every_field(everything: dict[str, Any]) -> None:
    assert len(everything["rows"]) == len(cases())
    for row in everything["rows"]:
        assert row.keys() >= set(ROW_FIELDS)
        for name in ("response_ms", "total_ms", "stored_ms"):
            assert row[name].keys() == {"mean", "ci95", "median"}
        for name in ("sieve_ms", "integrate_ms", "split_ms", "combine_ms", "ap_ms_per_mb"):
            assert isinstance(row[name], float)
        assert row["cpu_s"].keys() == {"sender", "receiver"}
        assert row["cipher"].startswith("TLS_")


def test_what_a_row_does_not_use_is_null(everything: dict[str, Any]) -> None:
    rows = everything["rows"]
    plain_ones = [row for row in rows if row["experiment"] == "channels"]
    assert all(row["split"] is row["batch"] is row["link"] is None for row in plain_ones)
    assert all((row["ap_ms_per_mb"], row["documents"]) == (0, 1) for row in plain_ones)
    assert all(row["plain"] == 0 for row in rows if row["mode"] == "secure-only")
    assert all((row["batch"], row["documents"]) == (3, 3) for row in rows if row["experiment"] == "batches")
    links = {json.dumps(row["link"], sort_keys=True) for row in rows if row["link"]}
    assert '{"plain_mbit": 100, "secure_mbit": 10}' in links


def test_one_row_for_a_point_of_both_modes_over_one_channel_of_each_kind(everything: dict[str, Any]) -> None:
    for x in (1, 3, 5, 7, 10):
        for p in (0.1, 0.25, 0.5, 0.75, 0.9, 1.0):
            for mode in ("sieve", "secure-only", "auto"):
                wanted = {"experiment": "channels", "x_mb": x, "p": p, "mode": mode, "warm": True}
                found = [row for row in everything["rows"] if wanted.items() <= row.items()]
                assert len(found) == 1


def test_the_channels_of_auto_are_what_it_chose(tmp_path: Path) -> None:
    chosen = {"mode": "secure-only", "secure_channels": 2, "plain_channels": 1, "split": "range"}
    with RawFile(tmp_path, "short") as raw:
        machine(raw)
        raw.add("transfer", **sample(case("channels", 1, 0.9, "auto"), plan=chosen))
    (row,) = results_of(extract(latest(tmp_path)))["rows"]
    assert (row["mode"], row["secure"], row["plain"]) == ("auto", 2, 0)


def test_references_are_medians_and_null_with_a_reason(tmp_path: Path) -> None:
    with RawFile(tmp_path, "short") as raw:
        machine(raw)
        for ms in (1.0, 2.0, 9.0):
            raw.add("reference", name="tcp_copy_ms", warm_up=False, ms=ms)
        raw.add("missing", names=["nginx_tls_put_ms"], reason="no nginx")
    references = results_of(extract(latest(tmp_path)))["references"]
    assert references["tcp_copy_ms"] == 2.0
    assert references["nginx_tls_put_ms"] is None
    assert references["missing"]["nginx_tls_put_ms"] == "no nginx"


def test_targets_are_judged_by_medians(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of = {mode: case("channels", 10, 0.1, mode) for mode in ("sieve", "secure-only", "auto")}
    with RawFile(tmp_path, "short") as raw:
        machine(raw)
        for mode, response in (("sieve", 20.0), ("secure-only", 40.0), ("auto", 21.0)):
            # One that is far off moves a mean, and no median.
            for noise, value in ((0.1, response), (0.2, response), (0.3, 10 * response)):
                taken = sample(of[mode], noise)
                raw.add("transfer", **taken | {"timings": taken["timings"] | {"response": value}})
        raw.add("not-run", case=case("channels", 10, 0.5, "auto").to_json(), reason="the planner is away")
        for name, ms in (("nginx_tls_put_ms", 40.0), ("tcp_copy_ms", 5.0), ("tls_copy_ms", 10.0)):
            raw.add("reference", name=name, warm_up=False, ms=ms)
        for batch, rate, kept_up in ((1, 20.0, True), (1, 40.0, False), (8, 160.0, False)):
            raw.add(
                "throughput",
                mode="sieve",
                batch=batch,
                bytes=10_000,
                p=0.5,
                offered_per_s=rate,
                delivered_per_s=rate * 0.9,
                kept_up=kept_up,
                not_accepted=0,
                latency_ms=[1.0, 2.0, 3.0],
            )
        raw.add("throughput-not-run", mode="secure-only", batch=1, reason="for the test")
        for mode, above in (("sieve", 50), ("secure-only", 100)):
            raw.add(
                "large",
                size_mb=1000,
                p=0.1,
                mode=mode,
                idle_bytes={"sender": 0, "receiver": 0},
                peak_bytes={"sender": above * 2**20, "receiver": 2**20},
                timings={"response": 1.0, "stored": 2.0},
                cpu_s={"sender": 1.0, "receiver": 1.0},
            )
    path = analyse(extract(latest(tmp_path)), tmp_path)
    judged = {target["name"]: target for target in json.loads(path.read_text())["targets"]}
    improvement = judged["improvement of sieve over secure-only, 10MB-10"]
    assert (improvement["measured"], improvement["holds"], improvement["aim_holds"]) == (50.0, True, False)
    # The plain bytes' raw copy, which takes longer than that of the classified tenth under TLS.
    assert improvement["floor_ms"] == 4.5
    # Three samples, one of them far off: another run may well say otherwise.
    assert (improvement["n"], improvement["is_decided"]) == (3, False)
    assert improvement["note"] == "28.1 % on what is stored, to the receipt"
    assert judged["secure-only 10MB-10 / nginx TLS PUT"]["measured"] == 1.0
    assert judged["auto 10MB-10 / nginx TLS PUT"]["measured"] == 0.525
    auto = judged["auto / the better mode, worst x and P"]
    assert (auto["measured"], auto["holds"]) == (1.05, None)
    assert "worst of 1 of 30 points" in auto["note"]
    assert judged["processor time of sieve / secure-only, 10MB-10"]["measured"] == 0.5
    assert judged["documents of 10 KB-50, accepted to receipted"]["measured"] == 18.0
    assert judged["the same in batches"]["measured"] == 0.0
    assert judged["memory above idle for 1 GB, each gateway"]["measured"] == 100.0
    assert judged["parse 10 MB of marked text"]["holds"] is None
    printed = capsys.readouterr().out
    assert "not measured" in printed
    assert "not run: the planner is away" in printed
    assert "throughput, secure-only: not run: for the test" in printed
