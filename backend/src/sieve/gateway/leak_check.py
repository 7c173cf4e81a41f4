"""The server's own look before a document is sent: the leak guard over what is stored, with the policies that guard.

The law: what an author must decide about is found here again, whatever their editor showed. Sending with open findings
needs a confirmation that names them by their digest, and says why; it is an entry of the audit log, in the transaction
that queues the transfer. Of what was found, nothing is kept but counts and the digest.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from sqlalchemy.ext.asyncio import AsyncSession

from sieve.gateway.audit import Audit
from sieve.gateway.errors import Conflict, NotFound
from sieve.gateway.looking import MAX_EARLIER, Look, Looking
from sieve.gateway.policies import Policies, ReadyPolicy
from sieve.marking.leaks.finding import LIMIT
from sieve.marking.leaks.report import Tally
from sieve.store.blobs import BlobDamaged
from sieve.store.database import Database
from sieve.store.models import Document, Transfer, User
from sieve.store.queries import documents as document_queries
from sieve.store.queries import drafts as draft_queries

OpenFindingsRule: TypeAlias = Literal["confirm", "forbid", "off"]

_KEPT: Final = 1_000


class OpenFindings(Conflict):
    """The document has findings that nobody has decided about. `tally`: how many, and which; `may_confirm`: whether a
    confirmation would let it go.
    """

    def __init__(self, tally: Tally, *, may_confirm: bool, changed: bool = False) -> None:
        count = f"{tally.count:,} finding{'' if tally.count == 1 else 's'}"
        if not may_confirm:
            advice = "this gateway sends no document with open findings: mark what they name"
        elif changed:
            advice = "these are others than you confirmed: look at them again"
        else:
            advice = "look at them, mark what must not travel plain, or confirm them with a reason"
        super().__init__(f"the leak guard has {count} in this document; {advice}")
        self.tally, self.may_confirm = tally, may_confirm


@dataclass(frozen=True, slots=True)
class Confirmation:
    """That somebody saw the findings of that digest, and why the document may go all the same."""

    findings_digest: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cleared:
    """A document that may be sent. `confirmed`: what was found and confirmed, if anything was."""

    confirmed: Tally | None = None
    confirmation: Confirmation | None = None
    policies: Sequence[str] = ()


@dataclass(slots=True)
class LeakCheck:
    """Looks at stored documents of authors. Who may ask is the caller's to check."""

    database: Database
    policies: Policies
    looking: Looking
    audit: Audit
    rule: OpenFindingsRule
    _tallies: OrderedDict[tuple[str, ...], Tally] = field(default_factory=OrderedDict)

    async def look(self, owner_id: str, document_id: str) -> Look:
        """All findings in a document of that person.

        Raises:
            NotFound: there is none of that id.
        """
        row, earlier = await self._rows(owner_id, document_id)
        return await self._look(row, earlier, await self.policies.guards())

    async def clear(self, author: User, document_id: str, confirmation: Confirmation | None) -> Cleared:
        """Whether a document may be sent as it is.

        Raises:
            NotFound: there is no such document of this author.
            OpenFindings: something was found, and it is not confirmed or may not be.
        """
        if self.rule == "off":
            return Cleared()
        row, earlier = await self._rows(author.id, document_id)
        guards = await self.policies.guards()
        names = [guard.id for guard in guards]
        # A document never changes: what was found in it is found again, unless policies or earlier transfers are new.
        key = (row.id, *names, "", *(before.id for before in earlier))
        tally = self._tallies.get(key)
        if tally is None:
            tally = (await self._look(row, earlier, guards)).tally
            if LIMIT not in tally.kinds:  # what could not be looked through may be another time
                self._tallies[key] = tally
            while len(self._tallies) > _KEPT:
                self._tallies.popitem(last=False)
        if not tally.count:
            return Cleared()
        if self.rule == "forbid":
            raise OpenFindings(tally, may_confirm=False)
        if confirmation is None or confirmation.findings_digest != tally.digest:
            raise OpenFindings(tally, may_confirm=True, changed=confirmation is not None)
        return Cleared(tally, confirmation, names)

    async def witness(
        self, session: AsyncSession, author: User, transfer: Transfer, peer: str, cleared: Cleared
    ) -> None:
        """Notes that findings were confirmed: part of the transaction that queues the transfer."""
        if cleared.confirmed is None or cleared.confirmation is None:
            return
        details = {
            "document": transfer.document_id,
            "peer": peer,
            "findings": cleared.confirmed.count,
            "kinds": dict(cleared.confirmed.kinds),
            "rules": dict(cleared.confirmed.rules),
            "policies": list(cleared.policies),
        }
        reason = cleared.confirmation.reason
        await self.audit.note(session, author.name, "findings-confirmed", transfer.id, details, reason=reason)

    async def _rows(self, owner_id: str, document_id: str) -> tuple[Document, Sequence[Document]]:
        """The document, and those saves of its draft that a transfer may have carried plain before."""
        async with self.database.read() as session:
            row = await document_queries.owned(session, document_id, owner_id)
            if row is None:
                raise NotFound("there is no such document of yours")
            # Two more than are looked through: one may be this save, and that there are others must show.
            most = MAX_EARLIER + 2
            earlier = await draft_queries.sent_plain(session, row.draft_id, limit=most) if row.draft_id else ()
        # What is sent as it was sent before gives nothing away that was not.
        return row, [before for before in earlier if before.id != row.id]

    async def _look(self, row: Document, earlier: Sequence[Document], guards: Sequence[ReadyPolicy]) -> Look:
        try:
            return await self.looking.look(row, earlier, guards)
        except BlobDamaged:
            # No damage, if the document went, or was superseded as a save of a draft, since it was looked up.
            async with self.database.read() as session:
                for one in (row, *earlier):
                    if row.owner_id is None or await document_queries.owned(session, one.id, row.owner_id) is None:
                        raise Conflict("the document was deleted or saved anew meanwhile; look at it again") from None
            raise
