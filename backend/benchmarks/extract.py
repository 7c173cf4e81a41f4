"""Step two: raw samples to rows, one for each point, with means and intervals. Warm-up samples are left out, except
that memory was watched in them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any

from benchmarks import samples
from benchmarks.cases import Case
from benchmarks.intervals import figure
from benchmarks.samples import Sample

MIB = 1024**2
SIDES = ("sender", "receiver")
REFERENCES = ("tcp_copy_ms", "tls_copy_ms", "nginx_tls_put_ms", "nginx_plain_put_ms", "plain_way_ms")
CORE = ("separate_ms", "integrate_ms", "separate_joined_ms", "integrate_joined_ms", "parse_ms")


def extract(raw: Path) -> dict[str, Any]:
    """What stands in the raw file, summed up: machine, references, core, throughput, large, rows."""
    found = list(samples.read(raw))
    missing = {name: sample["reason"] for sample in _of(found, "missing") for name in sample["names"]}
    machine = next(iter(_of(found, "machine")), {})
    return {
        "raw": raw.name,
        "machine": {key: value for key, value in machine.items() if key != "is"},
        "references": _means(_of(found, "reference"), REFERENCES) | ({"missing": missing} if missing else {}),
        "core": _means(_of(found, "core"), CORE),
        "throughput": _throughput(_of(found, "throughput")),
        "large": [_large(sample) for sample in _of(found, "large")],
        "rows": _rows(_of(found, "transfer")),
    }


def write(extracted: dict[str, Any], results: Path) -> Path:
    """Writes rows.json, which `analyse` reads."""
    path = results / "rows.json"
    path.write_text(json.dumps(extracted, indent=1) + "\n")
    return path


def _of(found: Iterable[Sample], kind: str) -> list[Sample]:
    return [sample for sample in found if sample["is"] == kind]


def _means(found: Sequence[Sample], names: Sequence[str]) -> dict[str, Any]:
    """A figure for each name; None where there is no sample."""
    taken: dict[str, list[float]] = defaultdict(list)
    for sample in found:
        if not sample["warm_up"]:
            taken[sample["name"]].append(sample["ms"])
    return {name: figure(taken[name]).to_json() if taken[name] else None for name in names}


def _rows(found: Sequence[Sample]) -> list[dict[str, Any]]:
    by_case: dict[Case, list[Sample]] = defaultdict(list)
    for sample in found:
        by_case[Case.of(sample["case"])].append(sample)
    rows = [_row(case, taken) for case, taken in by_case.items()]
    return sorted(rows, key=lambda row: (row["experiment"], row["x_mb"], row["p"], row["mode"]))


def _row(case: Case, taken: Sequence[Sample]) -> dict[str, Any]:
    # One that needed a second attempt is no sample of this point: its times are those of the last attempt alone.
    counted = [sample for sample in taken if not sample["warm_up"] and sample["attempts"] == 1]
    row: dict[str, Any] = case.to_json() | {
        "transfers": len(counted),
        "again": sum(sample["attempts"] > 1 for sample in taken),
    }
    if not counted:
        return row | {"response_ms": None}
    timings = [sample["timings"] for sample in counted]
    row["response_ms"] = figure([timing["response"] for timing in timings]).to_json()
    for step in ("total", "stored", "sieve", "integrate", "split", "combine", "data_transfer"):
        row[f"{step}_ms"] = _mean([timing[step] for timing in timings])
    row["cpu_s"] = {side: _mean([sample["cpu_s"][side] for sample in counted], 5) for side in SIDES}
    # Both together, as one figure with an interval: what the two modes are compared by.
    row["cpu_both_s"] = {
        key: None if value is None else value / 1e3
        for key, value in figure([1e3 * sum(sample["cpu_s"].values()) for sample in counted]).to_json().items()
    }
    peaks = [sample["peak_bytes"] for sample in taken if "peak_bytes" in sample]
    row["peak_mib"] = {side: round(max(peak[side] for peak in peaks) / MIB, 1) for side in SIDES} if peaks else None
    return row


def _mean(values: Sequence[float], digits: int = 3) -> float:
    return round(sum(values) / len(values), digits)


def _throughput(found: Sequence[Sample]) -> dict[str, Any]:
    """For each mode the most that was delivered in a second, and each rate with its latencies."""
    by_mode: dict[str, Any] = {}
    for mode in dict.fromkeys(sample["mode"] for sample in found):
        steps = [sample for sample in found if sample["mode"] == mode]
        kept_up = [step["delivered_per_s"] for step in steps if step["kept_up"]]
        by_mode[mode] = {
            "documents_per_s": max(step["delivered_per_s"] for step in steps),
            "kept_up_per_s": max(kept_up, default=None),
            "document_bytes": steps[0]["bytes"],
            "p": steps[0]["p"],
            "rates": [_step(step) for step in steps],
        }
    return by_mode


def _step(step: Sample) -> dict[str, Any]:
    latencies = step["latency_ms"]
    hundredths = quantiles(latencies, n=100) if len(latencies) > 1 else None
    return {key: step[key] for key in ("offered_per_s", "delivered_per_s", "kept_up", "not_accepted")} | {
        "p50_ms": round(hundredths[49], 1) if hundredths else None,
        "p99_ms": round(hundredths[98], 1) if hundredths else None,
    }


def _large(sample: Sample) -> dict[str, Any]:
    idle, peak = sample["idle_bytes"], sample["peak_bytes"]
    return {
        "size_mb": sample["size_mb"],
        "p": sample["p"],
        "mode": sample["mode"],
        "idle_mib": {side: round(idle[side] / MIB, 1) for side in SIDES},
        "above_idle_mib": {side: round((peak[side] - idle[side]) / MIB, 1) for side in SIDES},
        "response_ms": round(sample["timings"]["response"], 1),
        "stored_ms": sample["timings"]["stored"],
        "cpu_s": {side: round(sample["cpu_s"][side], 3) for side in SIDES},
    }
