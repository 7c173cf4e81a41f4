"""Why a transfer waits, and until when."""

from typing import NamedTuple

from sieve.store.models import Transfer


class Waiting(NamedTuple):
    """`reason`: the last sentence about a transfer, for people. `next_try_at_ns`: None unless it waits. `since_ns`:
    since when its peer cannot be reached; None if that is not why it waits."""

    reason: str | None
    next_try_at_ns: int | None
    since_ns: int | None = None


def waiting(row: Transfer) -> Waiting:
    """The wait of a transfer that is loaded with its peer and the peer's breaker.

    A transfer without a failed attempt waits for its turn, without a reason, or for its peer's breaker.
    """
    if row.state != "queued":
        return Waiting(row.reason, None)
    breaker = row.peer.breaker
    if breaker is None or breaker.open_until_ns is None or row.next_try_at_ns is None:
        return Waiting(row.reason, row.next_try_at_ns, row.unreachable_since_ns)
    times = "once" if breaker.failures == 1 else f"{breaker.failures} times in a row"
    reason = row.reason or f"{row.peer.name} could not be reached {times}"
    return Waiting(reason, max(row.next_try_at_ns, breaker.open_until_ns), row.unreachable_since_ns)
