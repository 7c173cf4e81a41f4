"""To whom an author sent documents lately."""

from fastapi import APIRouter

from sieve.store.queries import recent_recipients
from sieve.web.access import Author
from sieve.web.recipients.schemas import RecipientNamed
from sieve.web.services import Given

router = APIRouter(prefix="/recipients", tags=["recipients"])


@router.get("/recent")
async def recent(author: Author, services: Given) -> list[RecipientNamed]:
    """The people to whom I sent documents lately, the last first; at most 20."""
    async with services.database.browse() as session:
        found = await recent_recipients.of_author(session, author.id)
    return [RecipientNamed(peer=peer, name=name) for peer, name in found]
