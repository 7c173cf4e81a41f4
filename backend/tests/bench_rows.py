"""Rows made up for tests: every case that is measured, with times of a simple model."""

from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.samples import RawFile

MS_PER_MB_3DES = 30.0


def timings(case: Case, noise: float = 0.0) -> dict[str, float]:
    """1.2 ms for a secure MB (3DES: 30 more), 0.6 for a plain one, both at once, 1 ms beside, 4 to set up channels."""
    size_mb = sum(x for x, _ in case.documents)
    secure_ms = case.secure_mb * (1.2 + (MS_PER_MB_3DES if case.emulated == "3des" else 0.0)) / case.secure
    transfer = 1.0 + max(secure_ms, (size_mb - case.secure_mb) * 0.6) + noise
    establishment = 0.0 if case.warm else 4.0
    return {
        # Of an upload of its own.
        "sieve": 0.2 + noise / 100,
        "split": 0.01,
        "establishment": establishment,
        "data_transfer": transfer,
        "combine": 0.02,
        "integrate": 0.1,
        "response": transfer + 0.3,
        "total": transfer + 0.3 + establishment,
        "stored": transfer + 10.3,
    }


def sample(case: Case, noise: float = 0.0, **more: Any) -> dict[str, Any]:
    """A raw sample of a case."""
    return {
        "case": case.to_json(),
        "warm_up": False,
        "timings": timings(case, noise),
        "attempts": 1,
        "plan": None,
        "lasted_s": 0.1,
        "cpu_s": {"sender": 0.01, "receiver": 0.02 if case.mode == "sieve" else 0.05},
        **more,
    }


def machine(raw: RawFile, form: str = "short") -> None:
    """The first line of a raw file."""
    raw.add(
        "machine",
        form=form,
        cpu="a processor",
        cores=2,
        memory_mib=1024,
        system="a system",
        python="3.11",
        openssl="OpenSSL 3",
        filesystem="ext4",
        load_at_start=[0.0, 0.0, 0.0],
        commit="abc",
    )


def whole(results: Path, cases: tuple[Case, ...]) -> None:
    """A raw file with four samples of each case that is measured."""
    with RawFile(results, "full") as raw:
        machine(raw, "full")
        raw.add("calibration", name="3des", ms_per_mb=MS_PER_MB_3DES)
        for case in cases:
            for noise in (-0.02, -0.01, 0.01, 0.02) if case.is_measured else ():
                raw.add("transfer", **sample(case, noise))
