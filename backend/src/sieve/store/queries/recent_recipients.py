"""To whom an author sent documents lately, from their transfers."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.models import Document, Peer, Transfer, TransferRecipient

LATEST: Final = 100
"""How many transfers are looked at."""
MOST: Final = 20


async def of_author(session: AsyncSession, author_id: str) -> Sequence[tuple[str, str]]:
    """The gateway and login of each, the last first; not those at gateways that are no peers any more, nor of locked
    documents.
    """
    latest = (
        select(Transfer.id, Transfer.peer_id, Transfer.created_at_ns)
        .join(Document, Document.id == Transfer.document_id)
        .where(Transfer.author_id == author_id, Document.locked.is_(False))
        .order_by(Transfer.created_at_ns.desc())
        .limit(LATEST)
        .subquery()
    )
    last = func.max(latest.c.created_at_ns)
    found = await session.execute(
        select(Peer.name, TransferRecipient.name)
        .join(latest, latest.c.id == TransferRecipient.transfer_id)
        .join(Peer, Peer.id == latest.c.peer_id)
        .where(Peer.state == "active")
        .group_by(Peer.name, TransferRecipient.name)
        .order_by(last.desc(), Peer.name, TransferRecipient.name)
        .limit(MOST)
    )
    return [(peer, name) for peer, name in found]
