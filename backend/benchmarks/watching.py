"""What a gateway uses: processor time and memory of its process and its children (its plain listener is one)."""

import contextlib
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

KIB = 1024


def processes(pid: int) -> list[psutil.Process]:
    """The process and its children, as they are now."""
    main = psutil.Process(pid)
    return [main, *main.children(recursive=True)]


def cpu_s(watched: list[psutil.Process]) -> float:
    """Seconds of processor time, user and system, taken so far."""
    return sum(_cpu_s(process) for process in watched)


def _cpu_s(process: psutil.Process) -> float:
    # /proc counts in ticks of 10 ms, and a transfer takes a few. The process's clock counts nanoseconds; its id is what
    # glibc's clock_getcpuclockid(3) makes of a pid: the complement of the pid, and 2 (CPUCLOCK_SCHED) in the low bits.
    try:
        return time.clock_gettime((~process.pid << 3) | 2)
    except OSError:
        times = process.cpu_times()
        return float(times.user + times.system)


def memory(watched: list[psutil.Process]) -> int:
    """Bytes that only memory holds: RssAnon + RssShmem. Mapped files are left out: the kernel may drop them."""
    total = 0
    for process in watched:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) * KIB
    return total


@dataclass
class PeakMemory:
    """Looks at each gateway every `period_s` in a thread of its own, inside a `with` block; then `peaks` holds the
    most that each took. It takes some processor time itself: not for transfers whose time is measured."""

    watched: dict[str, list[psutil.Process]]
    period_s: float = 0.002
    peaks: dict[str, int] = field(default_factory=dict)

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            for name, watched in self.watched.items():
                self.peaks[name] = max(self.peaks.get(name, 0), memory(watched))
            if self._over.wait(self.period_s):
                return
