"""The leak check of a stored document before it is sent, with the guarding policies.

Invariant: the check does not rely on what the editor showed to the author. To send with open findings, the author must
confirm them by their digest and give a reason, which is audited in the transaction that queues the transfer. Only the
counts and the digest of the findings are stored.
"""

import asyncio
import hashlib
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar

from blake3 import blake3

from sieve.core import markup
from sieve.core.document import Document as MarkedText
from sieve.core.sentence import Sentence
from sieve.core.separate import separate
from sieve.gateway.errors import Conflict, NotFound, no_such_documents
from sieve.gateway.reading.errors import ReadingBusy
from sieve.gateway.reading.fair_queue import FairQueue
from sieve.gateway.screening.leak_scanner import MAX_EARLIER, LeakReport, LeakScanner
from sieve.gateway.screening.policies import Policies, ReadyPolicy
from sieve.gateway.stored_document import StoredDocument
from sieve.marking.leaks.finding import LIMIT
from sieve.marking.leaks.report import Tally
from sieve.store.blobs import BlobDamaged
from sieve.store.database import Database
from sieve.store.models import Document, User
from sieve.store.queries import documents as document_queries
from sieve.store.queries import drafts as draft_queries

T = TypeVar("T")
OpenFindingsRule: TypeAlias = Literal["confirm", "forbid", "off"]

_KEPT: Final = 1_000
MAX_UNSAVED: Final = 16
"""Unsaved texts in memory, and beyond that one of each person who waits."""
MAX_UNSAVED_OF_ONE: Final = 4
"""People have several tabs open, each of which asks when it opens."""
_PARSED_AT_ONCE: Final = 2
"""Unsaved texts: parsing a large one takes a thread seconds."""

ENOUGH_S: Final = 60.0
"""For checking documents that are sent together: no further check starts after that."""


class OpenFindings(Conflict):
    """There are findings that the author has not confirmed. `tally`: their counts; `may_confirm`: whether the author
    may send after a confirmation; `document_ids`: of several documents, those with findings.
    """

    def __init__(
        self, tally: Tally, *, may_confirm: bool, changed: bool = False, document_ids: Sequence[str] = ()
    ) -> None:
        count = f"{tally.count:,} finding{'' if tally.count == 1 else 's'}"
        if not may_confirm:
            advice = "this gateway sends no document with open findings: mark what they name"
        elif changed:
            advice = "the findings have changed since you confirmed them: review them again"
        else:
            advice = "review them, then mark what must not be sent as plain, or confirm them with a reason"
        where = f"{len(document_ids)} of these documents" if document_ids else "this document"
        super().__init__(f"the leak check found {count} in {where}; {advice}")
        self.tally, self.may_confirm, self.document_ids = tally, may_confirm, document_ids


@dataclass(frozen=True, slots=True)
class Confirmation:
    """An author saw the findings with this digest; `reason` says why the document may be sent."""

    findings_digest: str
    reason: str


@dataclass(frozen=True, slots=True)
class ConfirmedFindings:
    """What a person confirmed in a document that is sent, for the audit log."""

    tally: Tally
    reason: str
    policies: Sequence[str]

    @property
    def details(self) -> Mapping[str, Any]:
        """Counts and ids only, which may be stored in clear."""
        return {
            "findings": self.tally.count,
            "kinds": dict(self.tally.kinds),
            "rules": dict(self.tally.rules),
            "policies": list(self.policies),
        }


@dataclass(frozen=True, slots=True, repr=False)
class UnsavedText:
    """An unsaved text of a draft. The digests are BLAKE3, of its two streams."""

    document: MarkedText
    plain_digest: bytes
    classified_digest: bytes

    @classmethod
    def of(cls, marked: bytes) -> "UnsavedText":
        """Raises MarkupError: `marked` is not well-formed."""
        document = markup.parse(marked)
        streams = separate(document)
        return cls(document, blake3(streams.plain).digest(), blake3(streams.secure).digest())

    def is_saved_in(self, saved: StoredDocument) -> bool:
        """Whether `saved` is the same document. Blocking."""
        return (
            saved.size == self.document.size
            and saved.spans == self.document.spans
            and saved.classified_digest == self.classified_digest
            and saved.read_plain_digest() == self.plain_digest
        )


def _unsaved_queue(places: int) -> FairQueue:
    return FairQueue(places, most=MAX_UNSAVED, most_of_one=MAX_UNSAVED_OF_ONE)


@dataclass(slots=True)
class LeakCheck:
    """Checks documents of authors. The caller checks that the person is an author."""

    database: Database
    policies: Policies
    scanner: LeakScanner
    rule: OpenFindingsRule
    _tallies: OrderedDict[tuple[str, ...], Tally] = field(default_factory=OrderedDict)
    _in_memory: FairQueue = field(default_factory=lambda: _unsaved_queue(MAX_UNSAVED))
    _parsing: FairQueue = field(default_factory=lambda: _unsaved_queue(_PARSED_AT_ONCE))

    async def check(self, owner_id: str, document_id: str) -> LeakReport:
        """All findings in a document of that person.

        Raises:
            NotFound: this person has no such document.
            Conflict: a document that was read was deleted meanwhile.
        """
        row, earlier = await self._rows(owner_id, document_id)
        return await self._scan(row, _others(earlier, row), await self.policies.guards())

    @asynccontextmanager
    async def unsaved(self, owner_id: str, marked: bytes) -> AsyncIterator[UnsavedText]:
        """The marked text of that person, parsed. It is in memory until the block ends, so each person has few.

        Raises:
            MarkupError: it is not well-formed.
            ReadingBusy: too many unsaved texts are being checked, or too many of this person's.
        """
        async with self._in_memory.turn(owner_id):
            async with self._parsing.turn(owner_id):
                parsing = asyncio.ensure_future(asyncio.to_thread(UnsavedText.of, marked))
                try:
                    text = await asyncio.shield(parsing)
                finally:
                    # Even if the caller is gone, the thread is busy until it has parsed the text.
                    if not parsing.done():
                        await asyncio.wait([parsing])
            yield text

    async def check_unsaved(self, owner_id: str, document_id: str, text: UnsavedText) -> LeakReport:
        """All findings in `text` as the next save of the draft that `document_id` is a save of. It is not stored.

        Raises:
            NotFound, Conflict: as `check` does.
        """
        row, earlier = await self._rows(owner_id, document_id)
        saved = StoredDocument.of(self.scanner.blobs, row)
        is_saved = await self._intact((row,), asyncio.to_thread(text.is_saved_in, saved))
        compared = _others(earlier, row) if is_saved else earlier
        guards = await self.policies.guards()
        report = self.scanner.scan_unsaved(row, text.document, compared, guards)
        return await self._intact((row, *compared), report)

    async def require_confirmed(
        self, author: User, document_ids: Sequence[str], confirmation: Confirmation | None
    ) -> Sequence[ConfirmedFindings | None]:
        """Checks that all of these documents may be sent; returns what the author confirmed in each, or None.

        One confirmation covers them all: for several, it has the digest of their digests (`joined`).

        Raises:
            NotFound: this author has no such document.
            OpenFindings: there are findings, and they are not confirmed or may not be.
            ReadingBusy: checking them all takes too long.
        """
        if self.rule == "off":
            return [None for _ in document_ids]
        guards = await self.policies.guards()
        tallies: list[Tally] = []
        missing = []
        until = time.monotonic() + ENOUGH_S
        for document_id in document_ids:
            if tallies and time.monotonic() >= until:
                raise ReadingBusy(
                    "checking these documents together takes too long; try again, because finished checks are kept, or "
                    "send fewer documents at once"
                )
            try:
                tallies.append(await self._tally(author, document_id, guards))
            except NotFound:
                missing.append(document_id)
        if missing:
            raise no_such_documents(missing, of=len(document_ids))
        both = joined(tallies)
        if not both.count:
            return [None for _ in document_ids]
        several = len(document_ids) > 1
        open_ids = [id_ for id_, tally in zip(document_ids, tallies, strict=True) if tally.count] if several else ()
        if self.rule == "forbid":
            raise OpenFindings(both, may_confirm=False, document_ids=open_ids)
        if confirmation is None or confirmation.findings_digest != both.digest:
            raise OpenFindings(both, may_confirm=True, changed=confirmation is not None, document_ids=open_ids)
        names = [guard.id for guard in guards]
        return [ConfirmedFindings(tally, confirmation.reason, names) if tally.count else None for tally in tallies]

    async def _tally(self, author: User, document_id: str, guards: Sequence[ReadyPolicy]) -> Tally:
        """The counts of findings in a document. They are kept, since a document never changes."""
        row, sent = await self._rows(author.id, document_id)
        earlier = _others(sent, row)
        # There may be new policies or earlier transfers.
        key = (row.id, *(guard.id for guard in guards), "", *(before.id for before in earlier))
        tally = self._tallies.get(key)
        if tally is None:
            tally = (await self._scan(row, earlier, guards)).tally
            if LIMIT not in tally.kinds:  # what could not be checked now may be checked later
                self._tallies[key] = tally
            while len(self._tallies) > _KEPT:
                self._tallies.popitem(last=False)
        return tally

    async def _rows(self, owner_id: str, document_id: str) -> tuple[Document, Sequence[Document]]:
        """The document, and those saves of its draft that a transfer may have sent plain. It may be one of them."""
        async with self.database.read() as session:
            row = await document_queries.owned(session, document_id, owner_id)
        if row is None:
            raise NotFound(Sentence("no-such-document", "you have no such document"))
        return row, await self._sent_plain(row.draft_id) if row.draft_id else ()

    async def _sent_plain(self, draft_id: str) -> Sequence[Document]:
        """Of each plain stream the latest of those saves, and of these the latest."""
        # Two more than are compared: one may be the save that is checked, and one shows that there are more.
        most = MAX_EARLIER + 2
        found: dict[bytes, Document] = {}
        before: int | None = None
        while len(found) < most:
            async with self.database.read() as session:
                saves = await draft_queries.sent_plain(session, draft_id, before=before, limit=most)
            for save in saves:
                digest = StoredDocument.of(self.scanner.blobs, save).load_plain_digest()
                found.setdefault(await self._intact((save,), digest), save)
            if len(saves) < most:
                break
            before = saves[-1].revision
        return list(found.values())[:most]

    async def _scan(self, row: Document, earlier: Sequence[Document], guards: Sequence[ReadyPolicy]) -> LeakReport:
        return await self._intact((row, *earlier), self.scanner.scan(row, earlier, guards))

    async def _intact(self, read: Sequence[Document], result: Awaitable[T]) -> T:
        """The `result`. Raises Conflict if one of the documents that were `read` for it was deleted meanwhile."""
        try:
            return await result
        except BlobDamaged:
            # It is not damaged if it was deleted, or superseded as a save of a draft, after we read its row.
            async with self.database.read() as session:
                for one in read:
                    if one.owner_id is None or await document_queries.owned(session, one.id, one.owner_id) is None:
                        raise Conflict(
                            Sentence(
                                "checked-document-changed",
                                "the document was deleted or saved again in the meantime; review it again",
                            )
                        ) from None
            raise


def _others(earlier: Sequence[Document], row: Document) -> Sequence[Document]:
    """`earlier` without `row`: to send the same save again reveals nothing new."""
    return [before for before in earlier if before.id != row.id]


def joined(tallies: Sequence[Tally]) -> Tally:
    """The counts of several documents. The digest is SHA-256 over the hexadecimal digests of all, in their order, also
    of those without findings; browsers compute the same. One document keeps its own.
    """
    if len(tallies) == 1:
        return tallies[0]
    kinds, rules = Counter[str](), Counter[str]()
    for tally in tallies:
        kinds.update(tally.kinds)
        rules.update(tally.rules)
    count = sum(tally.count for tally in tallies)
    digest = hashlib.sha256("".join(tally.digest for tally in tallies).encode()).hexdigest()
    return Tally(count, digest, dict(sorted(kinds.items())), dict(sorted(rules.items())))
