"""Sending as it is asked for over the API: one document, or several together."""

from collections.abc import Sequence

from sieve.gateway.screening.leak_check import Confirmation
from sieve.store.models import Transfer, User
from sieve.web.services import Services
from sieve.web.transfers.schemas import SendAsked


async def send_all(
    document_ids: Sequence[str], asked: SendAsked, author: User, services: Services
) -> Sequence[Transfer]:
    """Queues a transfer of each document, all or none, if the leak check lets them go. Audits what was confirmed."""
    said = asked.confirm
    confirmation = None if said is None else Confirmation(said.findings_digest, said.reason)
    confirmed = await services.leak_check.require_confirmed(author, document_ids, confirmation)
    return await services.dispatch.send(
        author, document_ids, asked.peer, asked.recipients, asked.plan, asked.deadline_s, confirmed, asked.wish
    )
