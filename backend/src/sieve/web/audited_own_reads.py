"""Authors' reads of their own documents in the audit log.

The log names everybody who opened a classified document, also with an account that was taken over. It has one entry an
hour for each person and document, because the editor reads drafts all the time. All saves of a draft count as one
document, and documents without classified content do not count.
"""

import logging

from sieve.gateway.clock import now_ns
from sieve.store.errors import StoreError
from sieve.store.models import Document, User
from sieve.web.downloads import Download
from sieve.web.services import Services

log = logging.getLogger(__name__)


async def note_own_read(services: Services, author: User, document: Document, edition: Download = "full") -> None:
    """Records that an author gets this edition of a document of theirs. Call it before the first byte is sent.

    Documents can be read even while the database cannot be written: then only the gateway's own log has it.
    """
    if not document.classified_size or edition not in ("full", "marked", "classified"):
        return
    at_ns, subject = now_ns(), document.draft_id or document.id
    read = (author.id, subject, "own")
    if not services.recent_reads.add(read, at_ns):
        return
    try:
        async with services.database.write() as session:
            details = {"draft": document.draft_id is not None}
            await services.audit.note(session, author.name, "own-document-read", subject, details)
    except StoreError as error:
        services.recent_reads.forget(read)
        log.error("%s read document %s, which the audit log could not record: %s", author.name, subject, error)
