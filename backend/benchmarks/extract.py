"""Step two: raw samples to rows, one for each point, with means and intervals. Warm-up samples are left out, except
that memory was watched in them. A point without samples is not a row: it is among `not_run`, with its reason."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from typing import Any

from benchmarks import samples
from benchmarks.cases import Case
from benchmarks.intervals import Figure, figure, trimmed
from benchmarks.samples import Sample

MIB = 1024**2
SIDES = ("sender", "receiver")
REFERENCES = (
    "tcp_copy_ms",
    "tls_copy_ms",
    "nginx_tls_put_ms",
    "nginx_plain_put_ms",
    "plain_way_ms",
    "plain_way_held_ms",
    "bare_exchange_cpu_ms",
)
CORE = ("separate_ms", "integrate_ms", "separate_joined_ms", "integrate_joined_ms", "parse_ms")
PLAN = ("mode", "secure_channels", "plain_channels", "split")
FIGURES = ("response", "total", "stored")
SPLITTING, BOTH = ("split", "combine"), "split_and_combine"
STEPS = ("sieve", "integrate", "split", "combine", "data_transfer", "establishment")

Row = dict[str, Any]


def extract(raw: Path, cases: Iterable[Case] = ()) -> dict[str, Any]:
    """A summary of the raw file. `cases`: also those whose times are calculated from measured ones. `early_rows`: the
    rows as they were each time that the run looked which claims are decided."""
    found = list(samples.read(raw))
    missing = {name: sample["reason"] for sample in _of(found, "missing") for name in sample["names"]}
    machine = next(iter(_of(found, "machine")), {})
    calibrated = {sample["name"]: sample["ms_per_mb"] for sample in _of(found, "calibration")}
    rows = _rows(_of(found, "transfer"), calibrated)
    looked = [place for place, sample in enumerate(found) if sample["is"] == "look"]
    early = [_rows(_of(found[:place], "transfer"), calibrated) for place in looked]
    # A deployment that broke down says so for all its cases; those that have figures all the same are rows.
    measured = by_case(rows)
    not_run = [one for one in _of(found, "not-run") if Case.of(one["case"]) not in measured]
    return {
        "raw": raw.name,
        "machine": {key: value for key, value in machine.items() if key not in ("is", "at_s")},
        "references": _figures(_of(found, "reference"), REFERENCES) | ({"missing": missing} if missing else {}),
        "core": _figures(_of(found, "core"), CORE),
        "calibration": calibrated,
        "throughput": _throughput(_of(found, "throughput"), _of(found, "throughput-not-run")),
        "large": _large(_of(found, "large")),
        "broke": {one["name"]: one["reason"] for one in _of(found, "section-broke")},
        "rows": rows + added(measured, cases),
        "early_rows": [each + added(by_case(each), cases) for each in early],
        "not_run": [{"case": one["case"], "reason": one["reason"]} for one in not_run],
    }


def looks(extracted: Mapping[str, Any]) -> list[dict[Case, Row]]:
    """The rows by their cases: those of each early look, and at last those of the whole run."""
    return [by_case(rows) for rows in (*extracted["early_rows"], extracted["rows"])]


def by_case(rows: Iterable[Row]) -> dict[Case, Row]:
    """Rows by their cases."""
    return {Case.of(row["case"]): row for row in rows}


def added(rows: Mapping[Case, Row], cases: Iterable[Case]) -> list[Row]:
    """Rows of cases whose additional processing is counted on top of another's times."""
    worked_out = []
    for case in cases:
        source = rows.get(replace(case, emulated=None, ap_ms_per_mb=0.0))
        if case.is_measured or source is None:
            continue
        more_ms = case.ap_ms_per_mb * case.secure_mb
        row = source | {"case": case.to_json(), "ap_ms_per_mb": case.ap_ms_per_mb}
        for name in FIGURES:
            times = source[f"{name}_ms"]
            row[f"{name}_ms"] = times | {key: round(times[key] + more_ms, 3) for key in ("mean", "median")}
        row["trimmed_ms"] = source["trimmed_ms"] | {
            name: found | {"mean": round(found["mean"] + more_ms, 4)}
            for name, found in source["trimmed_ms"].items()
            if name in FIGURES
        }
        worked_out.append(row)
    return worked_out


def write(extracted: Mapping[str, Any], results: Path) -> Path:
    """Writes rows.json, which the later steps read."""
    path = results / "rows.json"
    path.write_text(json.dumps(extracted, indent=1) + "\n")
    return path


def _of(found: Iterable[Sample], kind: str) -> list[Sample]:
    return [sample for sample in found if sample["is"] == kind]


def _figures(found: Sequence[Sample], names: Sequence[str]) -> dict[str, Any]:
    """A figure for each name; None where there is no sample."""
    taken: dict[str, list[float]] = defaultdict(list)
    for sample in found:
        if not sample["warm_up"]:
            taken[sample["name"]].append(sample["ms"])
    return {name: _with_n(figure(taken[name])) if taken[name] else None for name in names}


def _with_n(found: Figure) -> dict[str, float | None]:
    return found.to_json() | {"n": found.n}


def _rows(found: Sequence[Sample], calibrated: Mapping[str, float]) -> list[Row]:
    grouped: dict[Case, list[Sample]] = defaultdict(list)
    for sample in found:
        grouped[Case.of(sample["case"])].append(sample)
    return [row for case, taken in grouped.items() if (row := _row(case, taken, calibrated)) is not None]


def _row(case: Case, taken: Sequence[Sample], calibrated: Mapping[str, float]) -> Row | None:
    # One that needed a second attempt is no sample of this point: its times are those of the last attempt alone.
    counted = [sample for sample in taken if not sample["warm_up"] and sample["attempts"] == 1]
    if not counted:
        return None
    ap_ms_per_mb = calibrated.get(case.emulated or "", 0.0)
    burnt_s = ap_ms_per_mb * case.secure_mb / 1e3
    timings = [sample["timings"] for sample in counted]
    row: Row = {
        "case": case.to_json(),
        "transfers": len(counted),
        "again": sum(sample["attempts"] > 1 for sample in taken),
        "ap_ms_per_mb": ap_ms_per_mb,
        "plan": _commonest([sample["plan"] for sample in counted]),
    }
    # The sieve's time is measured when a document is taken in, once for all transfers of that upload.
    sieved = [sample["timings"]["sieve"] if _counts_the_sieve(case, sample) else 0.0 for sample in counted]
    row["uploads"] = len(set(sieved) - {0.0})
    for name in FIGURES:
        row[f"{name}_ms"] = figure([timing[name] for timing in timings], sieved).to_json()
    times = {name: [timing[name] for timing in timings] for name in (*FIGURES, *SPLITTING)}
    times[BOTH] = [timing["split"] + timing["combine"] for timing in timings]
    row[f"{BOTH}_ms"] = figure(times[BOTH]).to_json()
    # What the thesis's figures and claims are read from.
    row["trimmed_ms"] = {
        name: trimmed(values, sieved if name in FIGURES else None).to_json() for name, values in times.items()
    }
    for name in STEPS:
        row[f"{name}_ms"] = _mean([timing[name] for timing in timings])
    # What is burnt for a cipher is burnt in the relays, on behalf of the gateways.
    # Each document of a batch is a transfer.
    each = len(case.documents)
    row["cpu_s"] = {side: _mean([(sample["cpu_s"][side] + burnt_s) / each for sample in counted], 5) for side in SIDES}
    # Both together, as one figure with an interval: what the two modes are compared by.
    both = figure([1e3 * (sum(sample["cpu_s"].values()) + 2 * burnt_s) / each for sample in counted])
    row["cpu_both_ms"] = both.to_json()
    peaks = [sample["peak_bytes"] for sample in taken if "peak_bytes" in sample]
    row["peak_mib"] = {side: round(max(peak[side] for peak in peaks) / MIB, 1) for side in SIDES} if peaks else None
    return row


def _counts_the_sieve(case: Case, sample: Sample) -> bool:
    return ((sample["plan"] or {}).get("mode") or case.mode) != "secure-only"


def _commonest(plans: Sequence[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    """The plan that was chosen most often; its predicted time differs each time."""
    known = Counter(json.dumps({name: plan.get(name) for name in PLAN}) for plan in plans if plan is not None)
    return json.loads(known.most_common(1)[0][0]) if known else None


def _mean(values: Sequence[float], digits: int = 3) -> float:
    return round(sum(values) / len(values), digits)


def _throughput(found: Sequence[Sample], not_run: Sequence[Sample]) -> dict[str, Any]:
    """For each mode, and for batches, the most that was delivered in a second, and each rate with its latencies."""
    by_name: dict[str, Any] = {_name(sample): {"not_run": sample["reason"]} for sample in not_run}
    for name in dict.fromkeys(_name(sample) for sample in found):
        steps = [sample for sample in found if _name(sample) == name]
        kept_up = [step["delivered_per_s"] for step in steps if step["kept_up"]]
        by_name[name] = {
            "documents_per_s": max(step["delivered_per_s"] for step in steps),
            "kept_up_per_s": max(kept_up, default=None),
            "document_bytes": steps[0]["bytes"],
            "p": steps[0]["p"],
            "batch": steps[0]["batch"],
            "rates": [_step(step) for step in steps],
        }
    return by_name


def _name(sample: Sample) -> str:
    return sample["mode"] if sample["batch"] == 1 else f"{sample['mode']} in batches"


def _step(step: Sample) -> dict[str, Any]:
    latencies = step["latency_ms"]
    hundredths = quantiles(latencies, n=100) if len(latencies) > 1 else None
    return {key: step[key] for key in ("offered_per_s", "delivered_per_s", "kept_up", "not_accepted")} | {
        "p50_ms": round(hundredths[49], 1) if hundredths else None,
        "p99_ms": round(hundredths[98], 1) if hundredths else None,
    }


def _large(found: Sequence[Sample]) -> dict[str, Any]:
    """By mode."""
    return {sample["mode"]: _one_large(sample) for sample in found}


def _one_large(sample: Sample) -> dict[str, Any]:
    idle, peak = sample["idle_bytes"], sample["peak_bytes"]
    return {
        "size_mb": sample["size_mb"],
        "p": sample["p"],
        "idle_mib": {side: round(idle[side] / MIB, 1) for side in SIDES},
        "above_idle_mib": {side: round((peak[side] - idle[side]) / MIB, 1) for side in SIDES},
        "response_ms": round(sample["timings"]["response"], 1),
        "stored_ms": sample["timings"]["stored"],
        "cpu_s": {side: round(sample["cpu_s"][side], 3) for side in SIDES},
    }
