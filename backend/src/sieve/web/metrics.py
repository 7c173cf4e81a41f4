"""Metrics for Prometheus: requests by route and status, and their durations. Never a path: it may name a document.

Each application has a separate registry, so that two in one process do not mix.
"""

from collections.abc import Mapping
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest


class Metrics:
    """Counters of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "sieve_http_requests", "Answered requests", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "sieve_http_request_seconds",
            "From the head of a request until the head of its answer",
            ["method", "route"],
            registry=self._registry,
        )
        self._transfers = Gauge("sieve_transfers", "Outgoing transfers, by state", ["state"], registry=self._registry)
        Info("sieve_gateway", "This program", registry=self._registry).info({"version": version("security-sieve")})

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered. `route` is the template of its path below /api/v1, "" if no route matched."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self, transfers_by_state: Mapping[str, int]) -> bytes:
        """The exposition format of everything."""
        self._transfers.clear()
        for state, count in transfers_by_state.items():
            self._transfers.labels(state).set(count)
        return generate_latest(self._registry)
