"""Where documents are looked through, by policies and by the leak guard: never on the event loop.

A small text is looked at in a thread, at once. Anything else is looked at where files are read: in a process of its
own, under limits, so that neither a long list of names nor a hostile file holds up the gateway.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from sieve.core.units import Mark, Unit
from sieve.gateway.policies import ReadyPolicy
from sieve.gateway.reading.errors import ReadingFailed
from sieve.gateway.reading.file import BYTES, TEXT, File
from sieve.gateway.reading.service import Found, ReadingService
from sieve.marking import apply
from sieve.marking.leaks import Finding, check
from sieve.marking.leaks.finding import LIMIT
from sieve.marking.leaks.report import Excerpts, Tally, tally
from sieve.marking.marked_text import ADDRESS, marked_text
from sieve.store.blobs import BlobStore
from sieve.store.models import Document

SMALL: Final = 32 * 1024
"""Bytes that are looked at in a thread: a few milliseconds, less than it takes to ask a process."""

MAX_EARLIER: Final = 50
"""Saves that were sent before and that are looked through."""


@dataclass(frozen=True, slots=True, repr=False)
class Look:
    """What the leak guard found, for the author alone."""

    NOTHING: ClassVar["Look"]

    findings: Sequence[Found]
    tally: Tally


Look.NOTHING = Look((), tally(()))


@dataclass(slots=True)
class Looking:
    """Looks through documents."""

    blobs: BlobStore
    reading: ReadingService

    async def hits_in_text(self, policy: ReadyPolicy, text: str, limit: int) -> tuple[list[Mark], bool]:
        """The first `limit` hits of a policy in a text, and whether there are more.

        Raises:
            TooManyHits, ReadingError: it cannot be looked through.
        """
        if len(text) <= SMALL:
            return await asyncio.to_thread(apply.first_marks, policy.policy.rules, [Unit(ADDRESS, text, "text")], limit)
        encoded = await asyncio.to_thread(text.encode)
        found = await self.reading.hits_in_text(encoded, [policy.source], limit=limit)
        return [mark for mark, _ in found.hits], found.more

    async def look(self, row: Document, earlier: Sequence[Document], guards: Sequence[ReadyPolicy]) -> Look:
        """All findings in a stored document. `earlier`: those that were sent before it, as saves of one draft.

        Mere bytes hold nothing that could be looked for. What cannot be looked through is a finding of its own.

        Raises:
            Unreadable, ReadingBusy: it cannot be looked through now, or not with these policies.
        """
        file = File.of(self.blobs, row)
        if file.format == BYTES:
            return Look.NOTHING
        before = self._lookable([File.of(self.blobs, one) for one in earlier])
        look = await self._look(file, before, guards)
        if len(before) == len(earlier):
            return look
        sentence = "More was sent of this draft than is looked through; of what was sent, only the latest was"
        return await asyncio.to_thread(_counted, [*look.findings, _limit(sentence)])

    async def _look(self, file: File, before: Sequence[File], guards: Sequence[ReadyPolicy]) -> Look:
        if file.format == TEXT and file.marks is None and sum(one.size for one in (file, *before)) <= SMALL:
            return await asyncio.to_thread(_look_at_text, file, before, guards)
        if file.size > self.reading.max_bytes:
            limit = f"The document has more than {self.reading.max_bytes:,} bytes, and nobody looked through it"
            return _counted([_limit(limit)])
        try:
            sources = [policy.source for policy in guards]
            found = await self.reading.findings(file, name=file.name, policies=sources, earlier=before)
        except ReadingFailed as error:
            return _counted([_limit(f"The document could not be looked through: {error}")])
        return await asyncio.to_thread(_counted, found)

    def _lookable(self, earlier: Sequence[File]) -> Sequence[File]:
        """The first of them, as many as can be held at once."""
        left = self.reading.max_bytes
        for number, one in enumerate(earlier[:MAX_EARLIER]):
            left -= one.size
            if left < 0:
                return earlier[:number]
        return earlier[:MAX_EARLIER]


def _look_at_text(file: File, earlier: Sequence[File], guards: Sequence[ReadyPolicy]) -> Look:
    unit, marks = marked_text(b"".join(file.content()), file.document.spans)
    rules = [rule for guard in guards for rule in guard.policy.rules]
    findings = check(
        [unit],
        marks,
        name=file.name,
        policy=apply.marks(rules, [unit]) if rules else (),
        earlier=(
            b"".join(one.document.held(one.document.plain_stream())).decode("utf-8", "replace") for one in earlier
        ),
    )
    excerpts = Excerpts([unit], file.name)
    return _counted([Found(finding, excerpts.of(finding)) for finding in findings])


def _limit(sentence: str) -> Found:
    """That something was too much to be looked through."""
    return Found(Finding(LIMIT, "", None, None, sentence), "")


def _counted(found: Sequence[Found]) -> Look:
    return Look(found, tally([one.finding for one in found]))
