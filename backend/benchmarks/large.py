"""One large document, in and out, in both modes: how much memory each gateway takes above what it takes when idle."""

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.cases import MODES, case
from benchmarks.gateways import Gateways
from benchmarks.watching import PeakMemory, memory
from sieve.demo import documents

P = 0.1
PERIOD_S = 0.01
SETTLE_S = 1.0


def large(gateways: Gateways, size_mb: int, patience_s: float) -> Iterator[dict[str, Any]]:
    """A sample for each mode. Idle is the memory of the gateways after one small document; memory that the first mode
    leaves behind counts against the second.

    Raises:
        NotTaken, TransferFailed: it was refused, or not delivered within `patience_s`.
    """
    small = gateways.upload(documents.x_mb(1, P), "small.txt")
    for mode in MODES:
        gateways.send(case("large", 1, P, mode), [small])
    # What the small ones left under way (late marks, buffers) is over by then; idle is what is measured next.
    time.sleep(SETTLE_S)
    idle = {side: memory(watched) for side, watched in gateways.watched.items()}
    with PeakMemory(gateways.watched, PERIOD_S) as watching:
        document = gateways.upload(documents.pieces(documents.MB, P, size_mb), "large.txt")
    uploading = dict(watching.peaks)
    for mode in MODES:
        with PeakMemory(gateways.watched, PERIOD_S) as watching:
            sent = gateways.send(case("large", size_mb, P, mode), [document], patience_s)
        yield {
            "size_mb": size_mb,
            "p": P,
            "mode": mode,
            "idle_bytes": idle,
            "peak_bytes": {side: max(uploading[side], watching.peaks[side]) for side in idle},
            "peak_sending_bytes": dict(watching.peaks),
            "timings": sent["timings"],
            "cpu_s": sent["cpu_s"],
        }
        gateways.empty_inbox()
