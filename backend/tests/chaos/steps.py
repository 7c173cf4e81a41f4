"""The named steps of a transfer at which a gateway can be killed.

A step is a timing mark with its channel ("first-byte plain-0"), or a call: "before MODULE:NAME" or "after MODULE:NAME".
"After" a query means inside its transaction, before the commit.
"""

from typing import Final

from sieve.gateway.telemetry.timing_marks import PLAIN, SECURE

CALLS: Final = (
    "sieve.store.blobs:BlobStore.sync_names",
    "sieve.store.queries.claiming:claim",
    "sieve.store.queries.documents:add",
    "sieve.store.queries.inbox:deliver",
    "sieve.store.queries.outbox:enqueue",
    "sieve.store.queries.attempt_outcomes:record",
    "sieve.gateway.documents.retention:Retention.remove",
    "sieve.gateway.inbound.received_files:ReceivedFiles.reserve",
    "sieve.gateway.outbound.sending:read_durations",
)
"""What the gateway under trial reports before and after each call."""

RETAINED: Final = "after sieve.gateway.documents.retention:Retention.remove"
"""Retention has run, as it does at each start."""

SENDER: Final = (
    "before sieve.store.blobs:BlobStore.sync_names",
    "after sieve.store.blobs:BlobStore.sync_names",
    "before sieve.store.queries.documents:add",
    "after sieve.store.queries.documents:add",
    "before sieve.store.queries.outbox:enqueue",
    "after sieve.store.queries.outbox:enqueue",
    "before sieve.store.queries.claiming:claim",
    "after sieve.store.queries.claiming:claim",
    "claimed",
    "splitting",
    "split",
    f"first-byte {SECURE}",
    f"first-byte {PLAIN}",
    f"last-byte {SECURE}",
    f"last-byte {PLAIN}",
    f"acknowledged {SECURE}",
    "verified-heard",
    "before sieve.gateway.outbound.sending:read_durations",  # the receipt has arrived
    "before sieve.store.queries.attempt_outcomes:record",
    "after sieve.store.queries.attempt_outcomes:record",
)

RECEIVER: Final = (
    "before sieve.gateway.inbound.received_files:ReceivedFiles.reserve",
    "after sieve.gateway.inbound.received_files:ReceivedFiles.reserve",
    "announced",
    f"first-byte {SECURE}",
    f"first-byte {PLAIN}",
    f"last-byte {SECURE}",
    f"last-byte {PLAIN}",
    "combining",
    "combined",
    "verified",
    "fenced",
    "integrating",
    "integrated",
    "digests-fit",
    "before sieve.store.blobs:BlobStore.sync_names",
    "synced",
    "before sieve.store.queries.inbox:deliver",
    "after sieve.store.queries.inbox:deliver",
    "committed",
    "receipted",
)
