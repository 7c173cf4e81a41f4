"""Asks for receipts: of an earlier attempt whose answer was lost, or of a transfer that was cancelled too late."""

import asyncio
from contextlib import suppress

from sieve.channel.errors import ReceiptInvalid
from sieve.channel.held_ranges import Held
from sieve.channel.manifest import Manifest
from sieve.channel.receipt import verify
from sieve.channel.sender import Trust
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.outbound.outcomes import Cancelled, Delivered, Outcome
from sieve.gateway.peering.links import Link


async def receipt_or_held(link: Link, manifest: Manifest, attempt: int, trust: Trust) -> tuple[str | None, Held]:
    """The receipt of an earlier attempt, if the peer delivered it; else what the peer holds for the next one.

    Raises:
        PeerRefused: see `peer_errors`; or the receipt is invalid.
        PeerUnreachable, WrongPeer: see `peer_errors`.
    """
    text, held = await link.receipt_or_held(manifest, attempt)
    return _checked(text, link, manifest, trust), held


async def outcome_after_cancel(link: Link, manifest: Manifest, trust: Trust, path: str, patience_s: float) -> Outcome:
    """Asks the peer to delete what it has of a transfer, by the path of its attempt; it may have delivered it."""
    try:
        async with asyncio.timeout(patience_s):
            with suppress(PeerRefused):  # the peer does not know the attempt yet, or no longer
                await link.ask("DELETE", path)
            receipt = _checked(await link.receipt(manifest.transfer_id), link, manifest, trust)
    except (TimeoutError, PeerRefused, PeerUnreachable, WrongPeer):
        return Cancelled()
    return Cancelled() if receipt is None else Delivered(receipt, None)


def _checked(text: str | None, link: Link, manifest: Manifest, trust: Trust) -> str | None:
    if text is None:
        return None
    try:
        receipt = verify(text, trust.receipt_key)
        receipt.check(manifest, sender_pin=receipt.sender_pin, receiver_pin=receipt.receiver_pin)
    except ReceiptInvalid as error:
        raise PeerRefused(f"{link.peer.name} has a receipt that does not count: {error}", permanent=False) from error
    return text
