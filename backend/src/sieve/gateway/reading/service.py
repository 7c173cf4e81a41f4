"""The reading service: reads files of any format in a few processes, each of which answers one request at a time.

    file = File.of(blobs, whole_draft.save)          a save of a draft, or a document; see `file`
    await reading.units(file, after=None, limit=200)   JSON for the web interface
    await reading.hits(file, [PolicySource(table)], limit=1000)
    await reading.findings(file, name=..., policies=[...], earlier=[File, ...])

Invariant: a process reads one document, or what one person types: code that a file brings in gets no other file, but
for comparison the plain parts of sent saves of its draft, and the person's policies (`findings`). A process that
already holds the file answers, if it is free. A process that fails is ended, and the next request gets another.
Nobody's requests block those of other people: see `fair_queue`. Nothing of a file is logged.

All methods raise, besides the errors that they list:
    Unreadable: the file, the marks or a policy have a fault; `kind` names it, the message is for people.
    ReadingFailed: reading took too long or too much memory, or the process ended.
    ReadingBusy: too many requests wait, or too many of one person; or no process starts, or the gateway stops.
    BlobDamaged: the document is gone or damaged.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar

from sieve.core.document import Document, Spans
from sieve.core.errors import SpanError
from sieve.core.units import Mark
from sieve.formats.recognition import may_be
from sieve.gateway.reading.child import Child, IdleEnded, Template
from sieve.gateway.reading.errors import ReadingBusy, ReadingFailed, Unreadable
from sieve.gateway.reading.excerpts import Excerpt
from sieve.gateway.reading.fair_queue import FairQueue
from sieve.gateway.reading.file import BYTES, TEXT, UNKNOWN, File
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.wire import Message, Part, Sink
from sieve.gateway.runtime.confinement import Confinement
from sieve.marking.leaks.finding import Finding

T = TypeVar("T")

log = logging.getLogger(__name__)

MAX_WAITING: Final = 64
"""Requests that wait for a process or have one; beyond that, one of each person."""
MAX_OF_ONE: Final = 24
"""Those of one person."""
_STOPPING: Final = "the gateway is about to stop; try again when it is back"


@dataclass(frozen=True, slots=True)
class PolicySource:
    """A policy as it is sent to a reading process: its table, which must be a valid policy, and a version that replaces
    the one in the table.
    """

    table: Mapping[str, Any]
    version: int | None = None


class Marked(NamedTuple):
    """The number of marks, the bytes that must travel classified, and the marks as they are stored."""

    number: int
    spans: Spans
    kept: bytes


class Hits(NamedTuple):
    """The marks that policies would make, each with its text. `more`: whether there are more. `missing`: sentences,
    each about a rule and the tables that have no column for it.
    """

    hits: list[tuple[Mark, Excerpt]]
    more: bool
    missing: list[str]


class Found(NamedTuple):
    """A finding of the leak scanner and its text.

    `travels_plain`: whether an eavesdropper could read it. If not, only recipients of the redacted edition could.
    """

    finding: Finding
    excerpt: str
    travels_plain: bool = True


class ReadingService:
    """`processes`: the most that run. `max_bytes`: larger files are not read, and count as bytes."""

    def __init__(self, limits: ReadingLimits, *, processes: int, max_bytes: int) -> None:
        self.max_bytes: Final = max_bytes
        self.confinement: Confinement | None = None
        """What the kernel enforces on the latest process; None before the first."""
        self._template, self._processes = Template(limits), processes
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="reading")
        self._idle: list[Child] = []
        self._all: set[Child] = set()
        self._starting = 0
        """Processes that are about to be in `_all`."""
        self._lock = Lock()
        self._closed = False
        self._queue = FairQueue(processes, most=MAX_WAITING, most_of_one=MAX_OF_ONE)

    async def format_of(self, file: File) -> str:
        """The format of a file, whatever `file.format` is; too large a file is bytes."""
        if file.size > self.max_bytes:
            return BYTES

        def ask(child: Child) -> str:
            content = Part(file.size, file.content())
            found = _read(child, content, name=file.name, media_type=file.media_type).head.get("format")
            if not may_be(str(found), file.name, next(file.content(), b""), file.media_type):
                raise child.invalid_answer()
            return str(found)

        return await self._run(file.owner, None, ask, reads=file.document_key)

    async def units(self, file: File, *, after: str | None = None, limit: int = 200) -> bytes:
        """A page of units, as JSON: {"format", "units": [{"address", "text", "kind", "hidden", "cells"}], "next"}."""
        return await self._shown(file, "units", after=int(after or 0), limit=limit)

    async def outline(self, file: File) -> bytes:
        """Its parts: {"format", "pages", "page_sizes", "columns", "rows", "sheets", "note"}, see the API."""
        return await self._shown(file, "outline")

    async def rows(self, file: File, *, first: int, count: int, sheet: str | None = None) -> bytes:
        """Rows of a table or sheet from row `first` on: {"columns", "from", "rows": [[text or null, ...]]}."""
        return await self._shown(file, "rows", first=first, count=count, sheet=sheet)

    async def picture(self, file: File, *, page: int, width: int) -> bytes:
        """A page of a PDF as PNG, `width` pixels wide."""
        return await self._shown(file, "picture", page=page, width=width)

    async def words(self, file: File, *, page: int) -> bytes:
        """{"text", "words": [{"start", "end", "x", "y", "w", "h"}]} of a page of a PDF."""
        return await self._shown(file, "words", page=page)

    async def initial_marks(self, file: File) -> bytes:
        """The marks that a new draft of the file begins with, as the JSON {"marks": [...]}."""
        return await self._shown(file, "initial_marks")

    async def why_classified(self, file: File) -> bytes:
        """What of the file travels classified with its marks, by kind, largest first: {"classified": [{"why", "bytes",
        "largest"}]}. For its author only.
        """
        answer = await self._ask(file, {"do": "why_classified"}, lambda child: [Part.of(_marks_of(child, file))])
        return answer.parts[0]

    async def mark(self, file: File, given: bytes) -> Marked:
        """The marks `given`, the JSON {"marks": [...]}, applied to the file."""

        def ask(child: Child) -> Marked:
            answer = child.ask({"do": "mark"}, [Part.of(given)])
            number = answer.head.get("marks")
            if type(number) is not int or not 0 <= number <= len(answer.parts[1]):
                raise child.invalid_answer()
            return Marked(number, Spans.from_bytes(answer.parts[0]), answer.parts[1])

        try:
            return await self._run(file.owner, file, ask)
        except SpanError as error:
            raise Unreadable("SpanError", str(error)) from error

    async def marks(self, file: File) -> bytes:
        """The marks of the file, as a JSON list; made from its spans if it has no other marks."""
        kept = await asyncio.to_thread(file.kept_marks)
        if kept is not None:
            return kept
        return await self._run(file.owner, file, lambda child: _marks_of(child, file))

    async def received_marks(self, file: File) -> bytes:
        """What of a received document is classified, as JSON: {"marks": [...], "basis"}; see `received_marks`."""

        return await self._run(file.owner, file, lambda child: _received_marks(child, file))

    async def withheld_marks(self, file: File) -> bytes:
        """The places of a redacted edition at which something is withheld, as a JSON list of marks."""
        return await self._run(file.owner, file, lambda child: child.ask({"do": "withheld_marks"}).parts[0])

    async def highlighted(self, file: File, into: Sink) -> None:
        """Passes a received document with its classified content highlighted to `into`, as `redacted` does.

        Raises:
            NotAvailable: this file, or its format, cannot be highlighted.
        """

        def ask(child: Child) -> None:
            marks = json.dumps(json.loads(_received_marks(child, file))["marks"]).encode()
            child.ask({"do": "highlighted"}, [Part.of(marks)], into)

        await self._run(file.owner, file, ask)

    async def redacted(self, file: File, into: Sink) -> None:
        """Passes the redacted edition of the file with its marks to `into`, piece by piece, in a thread. After an
        error, it is incomplete.

        Raises:
            NotAvailable: there cannot be one; the message says why, and what to do.
        """
        await self._run(
            file.owner,
            file,
            lambda child: child.ask({"do": "redacted"}, [Part.of(_marks_of(child, file))], into),
        )

    async def hits(self, file: File, policies: Sequence[PolicySource], *, limit: int) -> Hits:
        """At most `limit` hits of policies in the file, also where it is marked already."""
        return await self._run(file.owner, file, lambda child: _hits(child, policies, limit))

    async def hits_in_text(self, owner: str, text: bytes, policies: Sequence[PolicySource], *, limit: int) -> Hits:
        """The same in a text of `owner`, in UTF-8. It is not stored."""

        def ask(child: Child) -> Hits:
            _read(child, Part.of(text), name="", media_type=None, format_name=TEXT)
            return _hits(child, policies, limit)

        return await self._run(owner, None, ask, reads=_typed_by(owner))

    async def findings(
        self, file: File, *, name: str, policies: Sequence[PolicySource] = (), earlier: Sequence[File] = ()
    ) -> list[Found]:
        """The findings of the leak scanner in the file with its marks. `name`: the document's, which travels plain.

        `policies`: unmarked hits of these are findings, too. `earlier`: documents that were sent; text that they sent
        plain and that is marked now is a finding.
        """
        same = [sent.key == file.key for sent in earlier]

        def parts(child: Child) -> list[Part]:
            before = (
                Part.of(_marks_of(child, sent)) if is_same else _plain_part(sent)
                for sent, is_same in zip(earlier, same, strict=True)
            )
            return [Part.of(_marks_of(child, file)), Part.of(_written(policies)), *before]

        answer = await self._ask(file, {"do": "findings", "name": name, "same": same}, parts)
        return await asyncio.to_thread(_found, answer.parts[0])

    async def findings_in_text(
        self,
        owner: str,
        text: Document,
        *,
        name: str,
        media_type: str,
        policies: Sequence[PolicySource] = (),
        earlier: Sequence[File] = (),
    ) -> list[Found]:
        """The same in a marked text that `owner` has not saved. It is not stored."""

        def ask(child: Child) -> bytes:
            _read(child, Part.of(text.content), name=name, media_type=media_type, format_name=UNKNOWN)
            marks = child.ask({"do": "marks_of"}, [Part.of(text.spans.to_bytes())]).parts[0]
            parts = [Part.of(marks), Part.of(_written(policies)), *map(_plain_part, earlier)]
            return child.ask({"do": "findings", "name": name, "same": [False] * len(earlier)}, parts).parts[0]

        return await asyncio.to_thread(_found, await self._run(owner, None, ask, reads=_typed_by(owner)))

    @property
    def pids(self) -> list[int]:
        """The processes that it holds now."""
        with self._lock:
            return [child.pid for child in self._all]

    async def close(self) -> None:
        """Ends all processes. Requests that still wait fail."""
        self._closed = True
        await asyncio.to_thread(self._end_all)

    def _end_all(self) -> None:
        self._template.close()
        self._threads.shutdown(cancel_futures=True)
        for child in self._idle:
            child.kill()

    # --- asking ------------------------------------------------------------------------------------------------------

    async def _shown(self, file: File, what: str, **asked: Any) -> bytes:
        question = {"do": what, **asked}
        if file.redacted:
            in_redacted = {"do": "in_redacted", "question": question}
            return (await self._ask(file, in_redacted, lambda child: [Part.of(_marks_of(child, file))])).parts[0]
        return (await self._ask(file, question)).parts[0]

    async def _ask(
        self, file: File, question: dict[str, Any], parts: Callable[[Child], Sequence[Part]] = lambda child: ()
    ) -> Message:
        """The answer to a question about the file; `parts` may ask the process first."""
        return await self._run(file.owner, file, lambda child: child.ask(question, parts(child)))

    async def _run(self, owner: str, file: File | None, ask: Callable[[Child], T], *, reads: str | None = None) -> T:
        """The result of `ask` for a process that holds `file`, when it is the turn of `owner`. `reads`: without a file,
        what the process may read; None: it ends after this request.
        """
        if file is not None:
            reads = file.document_key
        async with self._queue.turn(owner):
            if self._closed:
                raise ReadingBusy(_STOPPING)
            asking = asyncio.get_running_loop().run_in_executor(self._threads, self._in_thread, file, reads, ask)
            try:
                return await asyncio.shield(asking)
            except ReadingFailed:
                if self._closed:  # then the file is not at fault
                    raise ReadingBusy(_STOPPING) from None
                raise
            finally:
                # Even if the caller is gone, the process is not free before it has answered or ended.
                if not asking.done():
                    await asyncio.wait([asking])

    def _in_thread(self, file: File | None, reads: str | None, ask: Callable[[Child], T]) -> T:
        try:
            return self._once(file, reads, ask)
        except IdleEnded:
            return self._once(file, reads, ask)

    def _once(self, file: File | None, reads: str | None, ask: Callable[[Child], T]) -> T:
        child = self._taken(reads, file.key if file is not None else None)
        try:
            child.begin()
            if file is not None and child.key != file.key:
                self._give(child, file)
            return ask(child)
        finally:
            self._put_back(child)

    def _give(self, child: Child, file: File) -> None:
        """Makes the process read the file."""
        if file.format != BYTES and file.size > self.max_bytes:
            raise Unreadable("TooLarge", f"this gateway reads no files of more than {self.max_bytes} bytes")
        content = Part(file.size, () if file.format == BYTES else file.content())
        _read(child, content, name=file.name, media_type=file.media_type, format_name=file.format)
        child.key = file.key

    def _taken(self, reads: str | None, key: str | None) -> Child:
        """An idle process that may read this, if possible one that holds the file; else a new one. If there are enough,
        the one that was idle longest ends.
        """
        with self._lock:
            ended = [child for child in self._idle if not child.alive]
            self._idle = [child for child in self._idle if child not in ended]
            may = [child for child in self._idle if reads is not None and child.reads == reads]
            chosen = next((child for child in may if child.key == key), may[0] if may else None)
            if chosen is not None:
                self._idle.remove(chosen)
            else:
                while self._idle and len(self._all) - len(ended) + self._starting >= self._processes:
                    ended.append(self._idle.pop(0))
                self._starting += 1
            self._all.difference_update(ended)
        # Without the lock, and before another one starts: it may take seconds.
        for child in ended:
            child.kill()
        return chosen or self._started(reads)

    def _started(self, reads: str | None) -> Child:
        """A new process, which `_starting` counts."""
        try:
            child = Child(self._template, reads)
        except BaseException:
            with self._lock:
                self._starting -= 1
            raise
        with self._lock:
            self._starting -= 1
            self._all.add(child)
            if child.confinement != self.confinement:
                self.confinement = child.confinement
                log.info("reading processes are confined by: %s", child.confinement)
        return child

    def _put_back(self, child: Child) -> None:
        with self._lock:
            if child.alive and child.reads is not None:
                self._idle.append(child)
                return
        child.kill()
        with self._lock:
            self._all.discard(child)


def _typed_by(owner: str) -> str:
    """What a process may read that reads unsaved texts of a person."""
    return f"typed by {owner}"


def _read(child: Child, content: Part, *, name: str, media_type: str | None, format_name: str | None = None) -> Message:
    """Makes the process read a file; see `opening.open_file`. Of bytes, only the size is sent."""
    child.key = None
    question = {"do": "read", "name": name, "media_type": media_type, "format_name": format_name, "size": content.size}
    return child.ask(question, [] if format_name == BYTES else [content])


def _marks_of(child: Child, file: File) -> bytes:
    """The marks of a file whose bytes the process holds."""
    kept = file.kept_marks()
    if kept is not None:
        return kept
    return child.ask({"do": "marks_of"}, [Part.of(file.document.spans.to_bytes())]).parts[0]


def _received_marks(child: Child, file: File) -> bytes:
    """What of a received document that the process holds is classified."""
    document = file.document
    edition = Part(document.redacted_size, document.held(document.redacted_edition()))
    parts = [Part.of(document.spans.to_bytes()), edition, Part.of(document.marks())]
    return child.ask({"do": "received_marks"}, parts).parts[0]


def _plain_part(file: File) -> Part:
    """The plain stream of a document."""
    document = file.document
    return Part(document.plain_size, document.held(document.plain_stream()))


def _hits(child: Child, policies: Sequence[PolicySource], limit: int) -> Hits:
    """The hits of policies in the file that the process holds. Blocking: there may be many."""
    found = json.loads(child.ask({"do": "hits", "limit": limit}, [Part.of(_written(policies))]).parts[0])
    return Hits([(Mark(**hit), Excerpt(*text)) for hit, text in found["hits"]], bool(found["more"]), found["missing"])


def _found(answer: bytes) -> list[Found]:
    """Blocking: there may be many."""
    return [Found(Finding.from_json(one), excerpt, plain) for one, excerpt, plain in json.loads(answer)["findings"]]


def _written(policies: Sequence[PolicySource]) -> bytes:
    return json.dumps([{"table": policy.table, "version": policy.version} for policy in policies]).encode()
