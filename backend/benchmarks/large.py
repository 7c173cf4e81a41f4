"""One large document, in and out: how much memory each gateway takes above what it takes when idle."""

import time
from pathlib import Path
from typing import Any

from benchmarks import documents
from benchmarks.gateways import two_gateways
from benchmarks.watching import PeakMemory, memory

P = 0.1
PERIOD_S = 0.01
SETTLE_S = 1.0


def large(folder: Path, size_mb: int, mode: str) -> dict[str, Any]:
    """Both gateways started anew; each has carried one small document before it counts as idle."""
    folder.mkdir(parents=True, exist_ok=True)
    with two_gateways(folder) as gateways:
        gateways.send(gateways.upload(documents.x_mb(1, P), "small.txt"), mode, "small")
        time.sleep(SETTLE_S)
        idle = {side: memory(watched) for side, watched in gateways.watched.items()}
        with PeakMemory(gateways.watched, PERIOD_S) as watching:
            document = gateways.upload(documents.pieces(documents.MB, P, size_mb), "large.txt")
        uploading = dict(watching.peaks)
        with PeakMemory(gateways.watched, PERIOD_S) as watching:
            sent = gateways.send(document, mode, "large")
    return {
        "size_mb": size_mb,
        "p": P,
        "mode": mode,
        "idle_bytes": idle,
        "peak_bytes": {side: max(uploading[side], watching.peaks[side]) for side in idle},
        "peak_sending_bytes": dict(watching.peaks),
        "timings": sent["timings"],
        "cpu_s": sent["cpu_s"],
    }
