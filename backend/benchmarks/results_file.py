"""results/latest.json: what was measured, in one form that other programs rely on.

Invariant: every row has every field of `ROW_FIELDS`, and only points that were measured are rows. `not_run` has the
others, each with its reason.
"""

from collections.abc import Mapping
from typing import Any

from benchmarks.cases import Case
from benchmarks.targets import TARGETS

REFERENCES = ("tcp_copy_ms", "tls_copy_ms", "nginx_tls_put_ms", "nginx_plain_put_ms")
PARTS = ("plain_way_ms", "plain_way_held_ms", "bare_exchange_cpu_ms")
"""What was measured between the points of parts of the product, and of what it is built on."""
ROW_FIELDS = (
    "experiment",
    "x_mb",
    "p",
    "mode",
    "cipher",
    "secure",
    "plain",
    "split",
    "batch",
    "documents",
    "link",
    "ap_ms_per_mb",
    "warm",
    "response_ms",
    "total_ms",
    "stored_ms",
    "sieve_ms",
    "integrate_ms",
    "split_ms",
    "combine_ms",
    "cpu_s",
    "peak_mib",
)


def results_of(extracted: Mapping[str, Any]) -> dict[str, Any]:
    """Of what was extracted. References are medians for 10 MB."""
    references: dict[str, Any] = {
        name: found["median"] if (found := extracted["references"].get(name)) else None for name in REFERENCES
    }
    missing = extracted["references"].get("missing")
    rows = sorted((row(found) for found in extracted["rows"]), key=_order)
    return {
        "machine": extracted["machine"],
        "references": references | ({"missing": missing} if missing else {}),
        "throughput": extracted["throughput"],
        "large": extracted["large"],
        "rows": rows,
        "not_run": [one["case"] | {"reason": one["reason"]} for one in extracted["not_run"]],
        "core": extracted["core"] | {name: extracted["references"].get(name) for name in PARTS},
        "calibration": extracted["calibration"],
        "targets": [target.judge(extracted) for target in TARGETS],
        "raw": extracted["raw"],
    }


def row(found: Mapping[str, Any]) -> dict[str, Any]:
    """One row. `batch`: how many documents went in one attempt. For `auto`, the channels are what it chose most
    often."""
    case = Case.of(found["case"])
    plan = found["plan"] or {}
    chosen = case.mode == "auto"
    made = {
        "experiment": case.experiment,
        "x_mb": case.x_mb,
        "p": case.p,
        "mode": case.mode,
        "cipher": case.cipher,
        "secure": plan.get("secure_channels", case.secure) if chosen else case.secure,
        "plain": _plain(plan, case) if chosen else case.plain,
        "split": case.split,
        "batch": len(case.documents) if case.files else None,
        "documents": len(case.documents),
        "link": found["case"]["link"],
        "ap_ms_per_mb": found["ap_ms_per_mb"],
        "warm": case.warm,
    }
    made |= {name: found[name] for name in ROW_FIELDS if name not in made}
    # Beyond the fixed fields: what else tells two rows apart, and how sure they are.
    more = {"files": case.files, "emulated": case.emulated, "slowed": case.slowed or None}
    counts = {name: found[name] for name in ("transfers", "again", "uploads")}
    return made | more | {"plan": plan if chosen else None} | counts


def _plain(plan: Mapping[str, Any], case: Case) -> int:
    return 0 if plan.get("mode") == "secure-only" else int(plan.get("plain_channels", case.plain))


def _order(made: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("experiment", "cipher", "files", "x_mb", "p", "mode", "secure", "split", "emulated")
    values = (made[name] for name in names)
    return tuple(f"{value:09.3f}" if isinstance(value, int | float) else str(value or "") for value in values)
