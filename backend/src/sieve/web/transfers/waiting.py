"""Why a transfer waits, and until when."""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.core.sentence import Sentence
from sieve.store.models import Transfer
from sieve.store.queries import queue_state


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
    reason = row.reason or Sentence(
        "peer-not-reached-often",
        "{peer} could not be reached {count} times in a row",
        one="{peer} could not be reached once",
        peer=row.peer.name,
        count=breaker.failures,
    )
    return Waiting(reason, max(row.next_try_at_ns, breaker.open_until_ns), row.unreachable_since_ns)


class Turn(NamedTuple):
    """What a transfer without a failed attempt waits for. `ahead`: documents to the same peer that go first.
    `collecting`: whether it waits for others to be sent with it.
    """

    ahead: int
    collecting: bool


async def turn(session: AsyncSession, row: Transfer, *, batch_wait_ns: int, now_ns: int) -> Turn | None:
    """What it waits for; None if it does not wait for its turn. `batch_wait_ns`: how long one may wait for others."""
    if row.state != "queued" or row.next_try_at_ns is None or waiting(row).reason is not None:
        return None
    may_join = row.attempt == 0 and row.batch_id is None and row.split == "range"
    collecting = may_join and 0 <= now_ns - row.next_try_at_ns < batch_wait_ns
    return Turn(await queue_state.ahead_of(session, row), collecting)
