"""Where documents are looked through, by policies and by the leak guard: never on the event loop.

A small text is looked at in a thread, at once, where that is sure to take little. Anything else is looked at where
files are read: in a process of its own, under limits, so that neither a slow pattern nor a hostile file holds up the
gateway.

Invariant: a document's bytes decide what it is. A media type is a claim of the uploader, and nobody gets past the guard
by a word; only bytes that say nothing are tried as what they are called.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from sieve.core.document import Document as MarkedText
from sieve.core.document import Spans
from sieve.core.units import Mark, Unit
from sieve.formats.archive import is_archive
from sieve.formats.registry import container_of
from sieve.formats.text.encoding import encoding_of
from sieve.gateway.reading.errors import ReadingFailed, Unreadable
from sieve.gateway.reading.file import BYTES, UNKNOWN, File
from sieve.gateway.reading.service import Found, ReadingService
from sieve.gateway.screening.policies import ReadyPolicy
from sieve.gateway.stored_document import StoredDocument
from sieve.marking import apply
from sieve.marking.leaks import Finding, check
from sieve.marking.leaks.finding import LIMIT, unit_of_name
from sieve.marking.leaks.report import Excerpts, Tally, tally
from sieve.marking.marked_text import ADDRESS, marked_text
from sieve.store.blobs import BlobStore
from sieve.store.models import Document

SMALL: Final = 32 * 1024
"""Bytes that are looked at in a thread: a few milliseconds, less than it takes to ask a process."""

QUICK_RULES: Final = 16
"""Lists of keywords that a small text is looked through by in a thread."""

MAX_EARLIER: Final = 50
"""Saves that were sent before and that are looked through."""


@dataclass(frozen=True, slots=True, repr=False)
class Look:
    """What the leak guard found, for the author alone."""

    findings: Sequence[Found]
    tally: Tally


@dataclass(slots=True)
class LeakScanner:
    """Looks through documents."""

    blobs: BlobStore
    reading: ReadingService

    async def hits_in_text(self, owner: str, policy: ReadyPolicy, text: str, limit: int) -> tuple[list[Mark], bool]:
        """The first `limit` hits of a policy in a text of somebody's, and whether there are more.

        Raises:
            TooManyHits, ReadingError: it cannot be looked through.
        """
        if len(text) <= SMALL and _are_quick([policy]):
            return await asyncio.to_thread(apply.first_marks, policy.policy.rules, [Unit(ADDRESS, text, "text")], limit)
        encoded = await asyncio.to_thread(text.encode)
        found = await self.reading.hits_in_text(owner, encoded, [policy.source], limit=limit)
        return [mark for mark, _ in found.hits], found.more

    async def look(self, row: Document, earlier: Sequence[Document], guards: Sequence[ReadyPolicy]) -> Look:
        """All findings in a stored document. `earlier`: those that were sent before it, as saves of one draft.

        What came as a file and was read is what it was read as; of anything else the bytes say what it is. What cannot
        be looked through, for it is no text and of no format that is read here, is itself a finding.

        Raises:
            Unreadable, ReadingBusy: it cannot be looked through now, or not with these policies.
        """
        file = File.of(self.blobs, row)
        if row.format is None or row.format == BYTES:
            file = file.as_unknown()
        return await self._with_earlier(earlier, lambda before: self._look(file, before, guards))

    async def look_at_unsaved(
        self, row: Document, text: MarkedText, earlier: Sequence[Document], guards: Sequence[ReadyPolicy]
    ) -> Look:
        """All findings in `text`, which may be the next save of the draft that `row` is the latest save of.

        The result is what `look` would find once it is saved. Nothing of the text is stored. Raises what `look` does.
        """
        name = row.name

        async def look(before: Sequence[File]) -> Look:
            if _is_small(text.size, before, guards):
                found = await asyncio.to_thread(_look_here, text.content, text.spans, name, before, guards)
                if found is not None:
                    return found
            sources = [policy.source for policy in guards]
            reading = partial(
                self.reading.findings_in_text,
                row.owner_id or "",
                text,
                name=name,
                media_type=row.media_type,
                policies=sources,
                earlier=before,
            )
            return await self._read(reading, text, name, guards)

        return await self._with_earlier(earlier, look)

    async def _with_earlier(
        self, earlier: Sequence[Document], look: Callable[[Sequence[File]], Awaitable[Look]]
    ) -> Look:
        """What `look` finds beside as many earlier saves as can be held at once, and that there are more."""
        before = self._lookable([File.of(self.blobs, one) for one in earlier])
        found = await look(before)
        if len(before) == len(earlier):
            return found
        sentence = "This draft was sent more often than the check covers; only the latest versions were compared"
        return await asyncio.to_thread(_counted, [*found.findings, _limit(sentence)])

    async def _look(self, file: File, before: Sequence[File], guards: Sequence[ReadyPolicy]) -> Look:
        if file.format == UNKNOWN and _is_small(file.size, before, guards):
            look = await asyncio.to_thread(_look_at_file_here, file, before, guards)
            if look is not None:
                return look
        sources = [policy.source for policy in guards]
        reading = partial(self.reading.findings, file, name=file.name, policies=sources, earlier=before)
        return await self._read(reading, file.document, file.name, guards, is_known=file.format != UNKNOWN)

    async def _read(
        self,
        findings: Callable[[], Awaitable[list[Found]]],
        document: StoredDocument | MarkedText,
        name: str,
        guards: Sequence[ReadyPolicy],
        *,
        is_known: bool = False,
    ) -> Look:
        """What a reading process finds, or that the document could not be read. `is_known`: its format is known."""
        is_secret = not is_known and document.classified_size == document.size
        if document.size > self.reading.max_bytes:
            if is_secret:
                return await asyncio.to_thread(_look_at_name, name, guards)
            limit = f"The document has more than {self.reading.max_bytes:,} bytes, so it was not checked"
            return _counted([_limit(limit)])
        try:
            found = await findings()
        except (ReadingFailed, Unreadable) as error:
            if is_known and isinstance(error, Unreadable):
                raise
            # A fully classified document leaks nothing, even if reading it takes too long or too much memory.
            if is_secret:
                return await asyncio.to_thread(_look_at_name, name, guards)
            # Or it begins as a file of some format does, or is called one, and who brought it never said more of it.
            return _counted([_limit(f"The document could not be checked: {error}")])
        return await asyncio.to_thread(_counted, found)

    def _lookable(self, earlier: Sequence[File]) -> Sequence[File]:
        """The first of them, as many as can be held at once."""
        left = self.reading.max_bytes
        for number, one in enumerate(earlier[:MAX_EARLIER]):
            left -= one.size
            if left < 0:
                return earlier[:number]
        return earlier[:MAX_EARLIER]


def _are_quick(policies: Sequence[ReadyPolicy]) -> bool:
    """Whether to look through a small text by these policies takes little for sure: a list of keywords takes no longer
    than the text is, however long the list; what a pattern takes, nobody knows before.
    """
    rules = [rule for one in policies for rule in one.policy.rules]
    return len(rules) <= QUICK_RULES and all(rule.kind == "keywords" for rule in rules)


def _is_small(size: int, earlier: Sequence[File], guards: Sequence[ReadyPolicy]) -> bool:
    """Whether a document and what was sent of it before are looked at in a thread."""
    return _are_quick(guards) and size + sum(one.size for one in earlier) <= SMALL


def _look_at_file_here(file: File, earlier: Sequence[File], guards: Sequence[ReadyPolicy]) -> Look | None:
    return _look_here(b"".join(file.content()), file.document.spans, file.name, earlier, guards)


def _look_here(
    content: bytes, spans: Spans, name: str, earlier: Sequence[File], guards: Sequence[ReadyPolicy]
) -> Look | None:
    """All findings in a small document; None if it needs a reading process."""
    if container_of(content) is not None or is_archive(content):
        return None
    encoding = encoding_of(content)
    if encoding is None:
        return None
    unit, marks = marked_text(content, spans, encoding)
    before = (b"".join(one.document.held(one.document.plain_stream())).decode(encoding, "replace") for one in earlier)
    return _look_by([unit], marks, name, before, guards)


def _look_at_name(name: str, guards: Sequence[ReadyPolicy]) -> Look:
    """All findings in a document that has nothing to look through but its name."""
    return _look_by([], [], name, (), guards)


def _look_by(
    units: Sequence[Unit], marks: Sequence[Mark], name: str, earlier: Iterable[str], guards: Sequence[ReadyPolicy]
) -> Look:
    rules = [rule for guard in guards for rule in guard.policy.rules]
    findings = check(
        units,
        marks,
        name=name,
        policy=apply.marks(rules, units) if rules else (),
        policy_on_name=apply.marks(rules, [unit_of_name(name)]) if rules else (),
        earlier=earlier,
    )
    excerpts = Excerpts(units, name)
    return _counted([Found(finding, excerpts.of(finding)) for finding in findings])


def _limit(sentence: str) -> Found:
    """That something was too much to be looked through."""
    return Found(Finding(LIMIT, "", None, None, sentence), "")


def _counted(found: Sequence[Found]) -> Look:
    return Look(found, tally([one.finding for one in found]))
