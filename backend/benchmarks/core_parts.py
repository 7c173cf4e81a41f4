"""The pure core alone, in memory: what the thesis calls sieve and integrate, and reading a marked text."""

import gc
import time
from collections.abc import Callable

from benchmarks import documents
from sieve.core import markup
from sieve.core.integrate import integrate, runs
from sieve.core.separate import Separator, separate

X_MB, P = 10, 0.5


def parts() -> dict[str, Callable[[], float]]:
    """Each gives the milliseconds of one go over 10MB-50.

    separate, integrate: by known spans and by reference, as the gateways do it: views of the bytes, in order. The same
    `joined`: with every byte copied into one piece, as `sieve separate` and `sieve integrate` want it; much of that is
    the first touch of fresh memory. parse: marked text to a document.
    """
    marked = documents.x_mb(X_MB, P)
    document = markup.parse(marked)
    spans, size = document.spans, document.size
    secure, plain = separate(document)
    streams = memoryview(plain), memoryview(secure)
    return {
        "separate_ms": lambda: _ms(lambda: Separator(spans).feed(document.content)),
        "integrate_ms": lambda: _ms(
            lambda: [streams[run.classified][run.start : run.end] for run in runs(spans, size)]
        ),
        "separate_joined_ms": lambda: _ms(lambda: separate(document)),
        "integrate_joined_ms": lambda: _ms(lambda: integrate(spans, size, secure, plain)),
        "parse_ms": lambda: _ms(lambda: markup.parse(marked)),
    }


def _ms(work: Callable[[], object]) -> float:
    gc.collect()
    began = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - began) / 1e6
