"""Runs the leak scanner and policies on documents, never on the event loop.

A small text is checked in a thread, if that is sure to be quick. Everything else is checked where files are read: in a
separate process, under limits, so that neither a slow pattern nor a hostile file blocks the gateway.

Invariant: a document's bytes decide what it is. A media type is a claim of the uploader and exempts nothing from the
check; only if the bytes are ambiguous, the claimed format is tried.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from sieve.core.document import Document as MarkedText
from sieve.core.document import Spans
from sieve.core.sentence import Sentence, sentence_of
from sieve.core.units import Mark, Unit
from sieve.formats.archive.unpacked import is_archive
from sieve.formats.recognition import container_of, decoded_as
from sieve.formats.text.encoding import encoding_of
from sieve.gateway.reading.errors import ReadingFailed, Unreadable
from sieve.gateway.reading.file import BYTES, UNKNOWN, File
from sieve.gateway.reading.service import Found, PolicySource, ReadingService
from sieve.gateway.screening.policies import ReadyPolicy
from sieve.gateway.stored_document import StoredDocument
from sieve.marking import apply_policy
from sieve.marking.leaks import Finding, check
from sieve.marking.leaks.finding import LIMIT, SUGGESTION
from sieve.marking.leaks.report import Excerpts, Tally, tally
from sieve.marking.marked_text import ADDRESS, marked_text
from sieve.store.blobs import BlobStore
from sieve.store.models import Document

SMALL: Final = 32 * 1024
"""Bytes that are checked in a thread: a few milliseconds, less than a request to a process takes."""

QUICK_RULES: Final = 16
"""Lists of keywords that a thread may search a small text for."""

MAX_EARLIER: Final = 50
"""Earlier saves that a document is compared with."""


@dataclass(frozen=True, slots=True, repr=False)
class LeakReport:
    """What the leak scanner found, for the author alone. `tally` does not count `suggestions`, since sending needs no
    confirmation of them.
    """

    findings: Sequence[Found]
    suggestions: Sequence[Found]
    tally: Tally


class _Findings(Protocol):
    """Asks a reading process for the findings in a document."""

    def __call__(self, *, policies: Sequence[PolicySource], earlier: Sequence[File]) -> Awaitable[list[Found]]: ...


@dataclass(slots=True)
class LeakScanner:
    """Checks documents."""

    blobs: BlobStore
    reading: ReadingService

    async def hits_in_text(self, owner: str, policy: ReadyPolicy, text: str, limit: int) -> tuple[list[Mark], bool]:
        """The first `limit` hits of a policy in a text of `owner`, and whether there are more.

        Raises:
            TooManyHits, ReadingError: it cannot be searched.
        """
        if len(text) <= SMALL and _are_quick([policy]):
            return await asyncio.to_thread(
                apply_policy.first_marks, policy.policy.rules, [Unit(ADDRESS, text, "text")], limit
            )
        encoded = await asyncio.to_thread(text.encode)
        found = await self.reading.hits_in_text(owner, encoded, [policy.source], limit=limit)
        return [mark for mark, _ in found.hits], found.more

    async def scan(self, row: Document, earlier: Sequence[Document], guards: Sequence[ReadyPolicy]) -> LeakReport:
        """All findings in a stored document. `earlier`: those that were sent before it, as saves of one draft.

        A file is checked in the format that it was read as; for anything else the bytes decide. Content that cannot be
        checked, since it is no text and of no supported format, is itself a finding.

        Raises:
            Unreadable, ReadingBusy: it cannot be checked now, or not with these policies.
        """
        file = File.of(self.blobs, row)
        if row.format is None or row.format == BYTES:
            file = file.as_unknown()
        return await self._scan(
            file.document,
            file.name,
            row.media_type,
            lambda: b"".join(file.content()),
            partial(self.reading.findings, file, name=file.name),
            earlier,
            guards,
            is_known=file.format != UNKNOWN,
        )

    async def scan_unsaved(
        self, row: Document, text: MarkedText, earlier: Sequence[Document], guards: Sequence[ReadyPolicy]
    ) -> LeakReport:
        """All findings in `text`, which may be the next save of the draft that `row` is the latest save of.

        The result is that of `scan` after it is saved. Nothing of the text is stored. Raises what `scan` does.
        """
        findings = partial(
            self.reading.findings_in_text, row.owner_id or "", text, name=row.name, media_type=row.media_type
        )
        return await self._scan(text, row.name, row.media_type, lambda: text.content, findings, earlier, guards)

    async def _scan(
        self,
        document: StoredDocument | MarkedText,
        name: str,
        media_type: str | None,
        content: Callable[[], bytes],
        findings: _Findings,
        earlier: Sequence[Document],
        guards: Sequence[ReadyPolicy],
        *,
        is_known: bool = False,
    ) -> LeakReport:
        """All findings in a document and, if there are more earlier saves than it can be compared with, a finding that
        says so. `content`: its bytes, blocking. `is_known`: its format is known.
        """
        before = self._comparable([File.of(self.blobs, one) for one in earlier])
        report = None
        if not is_known and _are_quick(guards) and document.size + sum(one.size for one in before) <= SMALL:
            report = await asyncio.to_thread(
                lambda: _scan_here(content(), document.spans, name, media_type, before, guards)
            )
        if report is None:
            read = partial(findings, policies=[policy.source for policy in guards], earlier=before)
            report = await self._read(read, document, name, guards, is_known=is_known)
        if len(before) == len(earlier):
            return report
        sentence = Sentence(
            "leak-many-versions",
            "This draft was sent more often than the check covers; only the latest versions were compared",
        )
        return await asyncio.to_thread(_report, [*report.findings, _limit(sentence)])

    async def _read(
        self,
        findings: Callable[[], Awaitable[list[Found]]],
        document: StoredDocument | MarkedText,
        name: str,
        guards: Sequence[ReadyPolicy],
        *,
        is_known: bool,
    ) -> LeakReport:
        """The findings of a reading process, or one that says that the document could not be read."""
        is_secret = not is_known and document.classified_size == document.size
        if document.size > self.reading.max_bytes:
            if is_secret:
                return await asyncio.to_thread(_scan_name, name, guards)
            limit = Sentence(
                "leak-too-large",
                "The document has more than {limit} bytes, so it was not checked",
                limit=self.reading.max_bytes,
            )
            return _report([_limit(limit)])
        try:
            found = await findings()
        except (ReadingFailed, Unreadable) as error:
            if is_known and isinstance(error, Unreadable):
                raise
            # A fully classified document leaks nothing, even if reading it takes too long or too much memory.
            if is_secret:
                return await asyncio.to_thread(_scan_name, name, guards)
            # It may only begin like a file of some format, or have such a name, without being one.
            limit = Sentence("leak-unreadable", "The document could not be checked: {why}", why=sentence_of(error))
            return _report([_limit(limit)])
        return await asyncio.to_thread(_report, found)

    def _comparable(self, earlier: Sequence[File]) -> Sequence[File]:
        """The first ones, as many as a reading process can hold at once."""
        left = self.reading.max_bytes
        for number, one in enumerate(earlier[:MAX_EARLIER]):
            left -= one.size
            if left < 0:
                return earlier[:number]
        return earlier[:MAX_EARLIER]


def _are_quick(policies: Sequence[ReadyPolicy]) -> bool:
    """Whether searching a small text for these policies is sure to be quick: the time for keywords depends on the text
    and not on their number; the time for a pattern cannot be predicted.
    """
    rules = [rule for one in policies for rule in one.policy.rules]
    return len(rules) <= QUICK_RULES and all(rule.kind == "keywords" for rule in rules)


def _scan_here(
    content: bytes,
    spans: Spans,
    name: str,
    media_type: str | None,
    earlier: Sequence[File],
    guards: Sequence[ReadyPolicy],
) -> LeakReport | None:
    """All findings in a small document; None if it needs a reading process."""
    if container_of(content) is not None or is_archive(content):
        return None
    encoding = encoding_of(content)
    if encoding is None or decoded_as(content, name, media_type):
        return None
    unit, marks = marked_text(content, spans, encoding)
    before = (b"".join(one.document.held(one.document.plain_stream())).decode(encoding, "replace") for one in earlier)
    return _scan_units([unit], marks, name, before, guards)


def _scan_name(name: str, guards: Sequence[ReadyPolicy]) -> LeakReport:
    """All findings in a document of which only the name can be checked."""
    return _scan_units([], [], name, (), guards)


def _scan_units(
    units: Sequence[Unit], marks: Sequence[Mark], name: str, earlier: Iterable[str], guards: Sequence[ReadyPolicy]
) -> LeakReport:
    rules = [rule for guard in guards for rule in guard.policy.rules]
    findings = check(units, marks, name=name, rules=rules, earlier=earlier)
    excerpts = Excerpts(units, name)
    return _report([Found(finding, excerpts.of(finding)) for finding in findings])


def _limit(sentence: Sentence) -> Found:
    """A finding about something that was not checked."""
    return Found(Finding(LIMIT, "", None, None, sentence), "")


def _report(found: Sequence[Found]) -> LeakReport:
    findings = [one for one in found if one.finding.kind != SUGGESTION]
    suggestions = [one for one in found if one.finding.kind == SUGGESTION]
    return LeakReport(findings, suggestions, tally([one.finding for one in findings]))
