"""A slower processor for one gateway: it is stopped for a part of every few milliseconds, as cpulimit does it."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

PERIOD_S = 0.005


@contextmanager
def slowed(pids: Iterable[int], part: float) -> Iterator[None]:
    """Inside the block these processes have `part` (0 to 1) less time to run in."""
    if not part:
        yield
        return
    stopping, over = list(pids), threading.Event()

    def tell(number: signal.Signals) -> None:
        for pid in stopping:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def work() -> None:
        while not over.wait((1 - part) * PERIOD_S):
            tell(signal.SIGSTOP)
            over.wait(part * PERIOD_S)
            tell(signal.SIGCONT)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        tell(signal.SIGCONT)
