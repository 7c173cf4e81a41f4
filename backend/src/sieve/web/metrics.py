"""Metrics for Prometheus: requests and their durations, attempts and the times of transfers, the queue.

No label is a path, which may name a document, or names a document, a person or a peer.

Each application has a separate registry, so that two in one process do not mix.
"""

from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version
from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest

from sieve.gateway.auditing.forwarding import AuditForwarding
from sieve.gateway.clock import NS_PER_S
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.store.models import TransferState
from sieve.store.models.timings import TimingOutcome
from sieve.store.queries.queue_state import QueueAge
from sieve.store.queries.timing_records import TimingValues

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 300, 900, 3600)
_FIGURES: Final = {
    "response": "From the first byte until every byte was verified, with sieving, splitting and combining",
    "stored": "From the first byte until the receiver had stored the document",
    "waiting": "From accepting a transfer until an attempt began",
}
_CAUSES: Final[Mapping[TimingOutcome, Collection[str]]] = {
    "delivered": ["", TimingCause.PLAIN_CHANNEL],
    "retry": [*TimingCause],
    "failed": [*TimingCause],
    "cancelled": [TimingCause.CANCELLED],
}
_US_PER_S: Final = 1_000_000


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
        self._attempts = Counter(
            "sieve_attempts",
            "Attempts to send that ended, and transfers that ended in the queue",
            ["outcome", "cause"],
            registry=self._registry,
        )
        # From 0: in a series that begins with 1, Prometheus sees no increase, and no alert would name a first failure.
        for outcome, causes in _CAUSES.items():
            for cause in causes:
                self._attempts.labels(outcome, cause)
        self._timings = {
            figure: Histogram(
                f"sieve_transfer_{figure}_seconds",
                meaning,
                ["direction", "mode", "outcome"],
                buckets=_SECONDS,
                registry=self._registry,
            )
            for figure, meaning in _FIGURES.items()
        }
        self._depth = Gauge("sieve_queue_depth", "Queued transfers", registry=self._registry)
        self._oldest = Gauge(
            "sieve_queue_oldest_age_seconds",
            "Since the oldest queued transfer was accepted, 0 if there is none",
            registry=self._registry,
        )
        self._audit_waiting = Gauge(
            "sieve_audit_waiting", "Audit entries that wait to be forwarded", ["receiver"], registry=self._registry
        )
        self._audit_failing = Gauge(
            "sieve_audit_failing", "1 while the audit log cannot be forwarded", ["receiver"], registry=self._registry
        )
        Info("sieve_gateway", "This program", registry=self._registry).info({"version": version("security-sieve")})

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered. `route` is the template of its path below /api/v1, "" if no route matched."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def timings_ended(self, records: Sequence[TimingValues]) -> None:
        """These timing records were committed."""
        for record in records:
            if record["direction"] == "sent":
                self._attempts.labels(record["outcome"], record["cause"]).inc()
            for figure, histogram in self._timings.items():
                if (time_us := record[f"{figure}_us"]) is not None:
                    labels = record["direction"], record["mode"], record["outcome"]
                    histogram.labels(*labels).observe(time_us / _US_PER_S)

    def text(
        self, transfers_by_state: Mapping[str, int], queue: QueueAge, forwarding: Sequence[AuditForwarding] = ()
    ) -> bytes:
        """The exposition format of everything."""
        for each in forwarding:
            self._audit_waiting.labels(each.kind).set(each.waiting)
            self._audit_failing.labels(each.kind).set(each.problem is not None)
        self._depth.set(queue.depth)
        self._oldest.set(queue.oldest_age_ns / NS_PER_S)
        for state in get_args(TransferState):
            self._transfers.labels(state).set(transfers_by_state.get(state, 0))
        return generate_latest(self._registry)
