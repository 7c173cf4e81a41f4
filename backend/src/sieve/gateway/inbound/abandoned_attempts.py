"""Attempts that their senders gave up at another replica than the one that has them.

The sender then hears that the attempt is unknown there, asks for a receipt, finds none, and calls the transfer
cancelled. Invariant: from that moment no replica commits a document of that attempt. The rows say so in the transaction
that commits; before it, the receipt is there when the sender asks.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.queries import used_once

GIVEN_UP: Final = "the sender gave it up"
"""Why such a document ends."""
KEPT_NS: Final = 600 * 1_000_000_000
"""How long after that a commit can come: storing in an S3 store, which tries again, takes minutes."""

MOST: Final = 1000
"""Such attempts of one peer at a time. Nobody has as many under way; a peer that names more of them harms itself."""


async def note(session: AsyncSession, peer_id: str, handle: str, transfer_id: str | None, now_ns: int) -> bool:
    """The sender gave up the attempt, or that transfer of it; False if it is not noted, as the peer has too many.
    `session`: a unit that writes.
    """
    await used_once.sweep(session, now_ns)
    if await used_once.count(session, _of_peer(peer_id)) >= MOST:
        return False
    await used_once.use(session, _key(peer_id, handle, transfer_id), now_ns + KEPT_NS, now_ns)
    return True


async def among(session: AsyncSession, peer_id: str, handle: str, transfer_ids: Sequence[str]) -> set[str]:
    """Those of the attempt's transfers that were given up."""
    whole = _key(peer_id, handle, None)
    keys = {transfer_id: _key(peer_id, handle, transfer_id) for transfer_id in transfer_ids}
    used = await used_once.used(session, [whole, *keys.values()])
    return set(transfer_ids) if whole in used else {each for each, key in keys.items() if key in used}


def _key(peer_id: str, handle: str, transfer_id: str | None) -> str:
    # Peers choose handle and transfer: of any length, until somebody looks.
    named = " ".join((handle, "" if transfer_id is None else transfer_id))
    return f"{_of_peer(peer_id)}{sha256(named.encode()).hexdigest()}"


def _of_peer(peer_id: str) -> str:
    return f"given up {peer_id} "
