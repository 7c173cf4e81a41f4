"""Covers at rest: sealed in the rows of transfers, sent and received.

Invariant: a cover is treated as classified. No part of it is logged, audited or shown in a notification.
"""

import json

from sieve.channel import canonical
from sieve.channel.cover import Cover
from sieve.store import sealed_value, sealing_context
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Transfer


def seal_sent(keys: MasterKeys, cover: Cover, transfer_id: str) -> bytes:
    """The cover of a transfer from here, as its row keeps it."""
    return sealed_value.seal(keys, canonical.dumps(cover.head), sealing_context.sent_cover(transfer_id))


def unseal_sent(keys: MasterKeys, sealed: bytes, transfer_id: str) -> Cover:
    """The same again.

    Raises:
        BlobDamaged, MasterKeyMissing: see `sealed_value`.
    """
    return _cover(sealed_value.unseal(keys, sealed, sealing_context.sent_cover(transfer_id)))


def seal_received(keys: MasterKeys, cover: Cover, peer_id: str, transfer_id: str) -> bytes:
    """The cover of a received transfer, as its row keeps it."""
    return sealed_value.seal(keys, canonical.dumps(cover.head), sealing_context.received_cover(peer_id, transfer_id))


def unseal_received(keys: MasterKeys, sealed: bytes, peer_id: str, transfer_id: str) -> Cover:
    """The same again.

    Raises:
        BlobDamaged, MasterKeyMissing: see `sealed_value`.
    """
    return _cover(sealed_value.unseal(keys, sealed, sealing_context.received_cover(peer_id, transfer_id)))


def note_of(keys: MasterKeys, transfer: Transfer) -> str | None:
    """The note of a transfer from here; None if it has none, or none any more.

    Raises:
        BlobDamaged, MasterKeyMissing: see `sealed_value`.
    """
    return None if transfer.cover is None else unseal_sent(keys, transfer.cover, transfer.id).note or None


def _cover(text: bytes) -> Cover:
    return Cover.from_head(json.loads(text))
