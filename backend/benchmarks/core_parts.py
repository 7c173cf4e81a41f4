"""The pure core alone, in memory: what the thesis calls sieve and integrate, and reading a marked text."""

import gc
import time
from collections.abc import Callable

from benchmarks import documents
from sieve.core import markup
from sieve.core.integrate import integrate
from sieve.core.separate import separate

X_MB, P = 10, 0.5


def parts() -> dict[str, Callable[[], float]]:
    """Each gives the milliseconds of one go over 10MB-50.

    separate, integrate: the whole streams and the whole document, by known spans. parse: marked text to a document.
    """
    marked = documents.x_mb(X_MB, P)
    document = markup.parse(marked)
    separated = separate(document)
    return {
        "separate_ms": lambda: _ms(lambda: separate(document)),
        "integrate_ms": lambda: _ms(
            lambda: integrate(document.spans, document.size, separated.secure, separated.plain)
        ),
        "parse_ms": lambda: _ms(lambda: markup.parse(marked)),
    }


def _ms(work: Callable[[], object]) -> float:
    gc.collect()
    began = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - began) / 1e6
