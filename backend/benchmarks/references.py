"""What the points are compared with, measured between them: raw copies, nginx and the plain way alone, over 10 MB, and
the processor time of an exchange without the product.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from benchmarks.copies import FloorMissing, copies
from benchmarks.framework_baseline import framework_baseline
from benchmarks.nginx import NginxMissing, nginx
from benchmarks.plain_way import plain_way
from benchmarks.samples import RawFile
from sieve.demo import documents

X_MB, P = 10, 0.1


Go = Callable[[], Mapping[str, float]]
"""Measures once; milliseconds by name."""


def references(stack: ExitStack, raw: RawFile, identity: Path, folder: Path) -> dict[str, Go]:
    """What there is to measure. `identity`: the certificate that the servers show."""
    text = documents.content(documents.x_mb(X_MB, P))
    way = stack.enter_context(plain_way(folder / "plain-way", text))
    found: dict[str, Go] = {"plain_way_ms": way.ms}
    try:
        alone = stack.enter_context(framework_baseline(folder / "framework-baseline", identity))
    except FloorMissing as missing:
        raw.add("missing", names=["bare_exchange_cpu_ms"], reason=str(missing))
    else:
        found["bare_exchange_cpu_ms"] = lambda: {"bare_exchange_cpu_ms": alone.cpu_ms()}
    try:
        raw_copies = stack.enter_context(copies(identity))
    except FloorMissing as missing:
        raw.add("missing", names=["tcp_copy_ms", "tls_copy_ms"], reason=str(missing))
    else:
        found["tcp_copy_ms"] = lambda: {"tcp_copy_ms": raw_copies.tcp_ms(text)}
        found["tls_copy_ms"] = lambda: {"tls_copy_ms": raw_copies.tls_ms(text)}
    try:
        server = stack.enter_context(nginx(folder / "nginx", identity))
    except NginxMissing as missing:
        raw.add("missing", names=["nginx_tls_put_ms", "nginx_plain_put_ms"], reason=str(missing))
    else:
        found["nginx_tls_put_ms"] = lambda: {"nginx_tls_put_ms": server.tls_ms(text)}
        found["nginx_plain_put_ms"] = lambda: {"nginx_plain_put_ms": server.plain_ms(text)}
    return found
