"""The pure core alone, in memory: what the thesis calls sieve and integrate, and reading a marked text."""

import gc
import time
from collections.abc import Callable
from functools import partial
from typing import get_args

from sieve.channel.attempt_split import of_documents
from sieve.core import markup
from sieve.core.document import Document
from sieve.core.integrate import integrate, runs
from sieve.core.separate import Separator, separate
from sieve.core.split import Split, segment_bounds
from sieve.demo import documents

X_MB, P = 10, 0.5


def parts() -> dict[str, Callable[[], float]]:
    """Each gives the milliseconds of one go over 10MB-50.

    separate, integrate: by known spans and by reference, as the gateways do it: views of the bytes, in order. The same
    `joined`: with every byte copied into one piece, as `sieve separate` and `sieve integrate` need it. Much of that
    time is for memory that is touched for the first time. parse: marked text to a document.
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
        **{
            f"split_and_combine_{split}_ms": partial(_split_and_combine, document, streams, split)
            for split in get_args(Split)
        },
    }


def _split_and_combine(document: Document, streams: tuple[memoryview, memoryview], split: Split) -> float:
    """Both streams over two channels by reference, and their pieces back at their places, as the thesis counts it."""

    def work() -> None:
        bounds = (
            segment_bounds.of_plain(document.spans, document.size),
            segment_bounds.of_classified(document.spans),
        )
        for stream, of in zip(streams, bounds, strict=True):
            cut = [
                [stream[start:end] for start, end in part.ranges(0, part.size)] for part in of_documents(split, [of], 2)
            ]
            placed: dict[int, memoryview] = {}
            for part, pieces in zip(of_documents(split, [of], 2), cut, strict=True):
                placed |= {start: piece for (start, _), piece in zip(part.ranges(0, part.size), pieces, strict=True)}

    return _ms(work)


def _ms(work: Callable[[], object]) -> float:
    gc.collect()
    began = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - began) / 1e6
