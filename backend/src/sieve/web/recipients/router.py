"""Where an author can send documents, and to whom they sent some lately."""

from sieve.store.queries import recent_recipients
from sieve.web.access import Author
from sieve.web.api_router import api_router
from sieve.web.recipients.schemas import GatewayNamed, RecipientNamed
from sieve.web.services import Given

router = api_router("/recipients", tag="recipients")


@router.get("/gateways")
async def gateways(author: Author, services: Given) -> list[GatewayNamed]:
    """The gateways to which I can send: this one first, then the active peers by name."""
    own = [] if services.peers.own is None else [services.peers.own]
    active = [peer for peer in services.peers.all() if peer.active]
    return [GatewayNamed(name=peer.name, is_own=peer.is_own) for peer in (*own, *active)]


@router.get("/recent")
async def recent(author: Author, services: Given) -> list[RecipientNamed]:
    """The people to whom I sent documents lately, the last first; at most 20."""
    async with services.database.browse() as session:
        found = await recent_recipients.of_author(session, author.id)
    return [RecipientNamed(peer=peer, name=name) for peer, name in found]
