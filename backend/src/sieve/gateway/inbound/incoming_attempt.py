"""The receiver's IO: one `IncomingAttempt` for each attempt under way, driven by the pure `channel.receiver`.

Invariant: nothing of a transfer is visible before its one transaction. A document that ends otherwise leaves no file
behind, except what another attempt can continue from (`partials`). The sender may disconnect at any time: a complete
document is stored all the same, and the sender asks for the receipt later. Documents of one attempt share its
channels; each ends by itself (`incoming_document`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from sieve.channel import receiver
from sieve.channel.opening import Opening
from sieve.channel.refusals import RefusalKind
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.dependencies import Dependencies
from sieve.gateway.inbound.finalizer import Finalizer, fail
from sieve.gateway.inbound.incoming_document import IncomingDocument, receipt_line, refusal_line, without_room
from sieve.gateway.inbound.partials import Key
from sieve.gateway.inbound.plain_intake import PlainIntake
from sieve.gateway.inbound.received_files import ReceivedFiles
from sieve.gateway.inbound.secure_intake import SecureIntake
from sieve.gateway.peering.peers import Peer
from sieve.gateway.peering.tls import Negotiated
from sieve.gateway.plain.listener import PlainListenerLost
from sieve.gateway.telemetry.timing import receiver_durations
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks
from sieve.store.blobs import StorageFull
from sieve.store.errors import StoreError

log = logging.getLogger(__name__)

# Progress is recorded from time to time, so that a crash loses little: at most this often, and for few bytes only after
# a longer time. A transfer that ends before costs nothing more.
RECORD_EVERY_S = 2.0
RECORD_AT = 32 * 1024 * 1024
RECORD_LATEST_S = 10.0
# Space for up to this many bytes is reserved on the event loop: their files are created there, too.
RESERVED_HERE = 256 * 1024


class IncomingAttempt:
    """One attempt, from its opening until each of its documents has its receipt or has failed."""

    def __init__(self, opening: Opening, peer: Peer, pin: str, deps: Dependencies, tls: Negotiated) -> None:
        """`pin`: the peer's key that opened this attempt; the receipts name it. `tls`: what the connection of
        the opening uses. Before `begin`, call `enter` or `leave_out` for each document.
        """
        self.load, self.attempt = opening.load, opening.attempt
        self.peer, self._deps = peer, deps
        self.timing_marks = TimingMarks()
        announced_at_ns = self.timing_marks.clock()
        self.timing_marks.at("announced", at_ns=announced_at_ns)
        # Combining means computing where each channel's pieces belong. They are written there as they come.
        self.timing_marks.at("combining")
        self.core = receiver.Receiver(opening.load, opening.attempt)
        self.timing_marks.at("combined")
        self._finalizer = Finalizer(
            deps.database,
            deps.blobs,
            deps.identity,
            deps.announcements,
            deps.name,
            peer,
            pin,
            self.attempt.handle,
            self.attempt.plan,
            tls,
            len(self.load.manifests),
            self.timing_marks,
            deps.timings_ended,
            audit_head=deps.audit_head,
            announced_at_ns=announced_at_ns,
            opened_at_ns=now_ns(),
        )
        self.begun = asyncio.Event()
        """Set once space is reserved, or the attempt is over."""
        self.over = asyncio.Event()
        self.documents: dict[int, IncomingDocument] = {}
        """The documents that were entered, by their places in the load."""
        self.uncleared: set[IncomingDocument] = set()
        """Those that are not cleared away yet."""
        self._intake = SecureIntake(
            self.core,
            self.timing_marks,
            self._check_going_on,
            self._do,
            lambda: sum(incoming.files.held for incoming in self.documents.values()),
        )
        self._plain = PlainIntake(
            listener=deps.plain,
            load=self.load,
            attempt=self.attempt,
            core=self.core,
            timing_marks=self.timing_marks,
            documents=self.documents,
            check=self._check_going_on,
            over=self.over,
            do=self._do,
            broke=lambda reason: self.fail(reason, kind=RefusalKind.PLAIN_LISTENER, may_resume=True),
        )
        # The lines to send, in order. For the last line of a document: its number; the line is in `_last_lines`.
        self._answers: asyncio.Queue[dict[str, Any] | int] = asyncio.Queue()
        self._last_lines: dict[int, dict[str, Any]] = {}
        self._finishing: asyncio.Task[None] | None = None
        self._recording: asyncio.Task[None] | None = None
        self._recorded_at = asyncio.get_running_loop().time()
        # Held while space is reserved, the plain stream is taken over, or files are discarded: one of these at a time.
        self._turn = asyncio.Lock()
        self.last_news_s = asyncio.get_running_loop().time()
        """When the sender last gave a sign of life, by the loop's clock."""
        self.one_chunk = asyncio.Lock()
        """Held while a plain chunk is read from the secure channel: one at a time, so that memory stays bounded."""

    @property
    def committing(self) -> bool:
        """Whether every byte is here and the commit has begun: the attempt cannot be dropped any more."""
        return self._finishing is not None

    @property
    def failure(self) -> PeerRefused | None:
        """Why the attempt is over, if all of its documents have failed."""
        failures = [incoming.failure for incoming in self.documents.values()]
        return failures[-1] if failures and all(failures) else None

    def enter(self, document: int) -> None:
        """Begins a document. If it resumes, this attempt takes its partial.

        Raises:
            StorageFull, OSError: its files cannot be made.
            BlobDamaged: its partial cannot be resumed.
        """
        manifest, partials = self.load.manifests[document], self._deps.partials
        others = next((incoming.files.id for incoming in self.documents.values()), "")
        kept = partials.take(self._key(document)) if self.load.held else None
        try:
            files = ReceivedFiles(manifest, self._deps.blobs, self._deps.writes, near=others, kept=kept)
        except BaseException:
            if kept is not None:
                partials.give_up(self._key(document))
            raise
        incoming = self.documents[document] = IncomingDocument(
            document,
            manifest,
            self.attempt.numbers[document],
            files,
            lambda line: self._answer(document, line),
            self._ended,
            self.load.cover(document),
        )
        incoming.recorded = kept.held.size if kept is not None else None
        self.uncleared.add(incoming)

    def _key(self, document: int) -> Key:
        return self.peer.id, self.load.transfer_ids[document]

    def leave_out(self, document: int, answer: str | PeerRefused) -> None:
        """Answers for a document that may not begin: with its receipt or the refusal. Its bytes are discarded."""
        self.core.handle(receiver.Dropped(document))
        self._answer(document, receipt_line(answer, None) if isinstance(answer, str) else refusal_line(answer))

    async def begin(self) -> None:
        """Reserves space, and announces the handle to the plain listener.

        Raises:
            PeerRefused: there is no room for any document, or the attempt ended meanwhile.
        """
        async with self._turn:
            self._check_going_on()
            # Concurrently, because all bytes wait for the slower of the two. `cleared` drops documents without room.
            announcing = asyncio.create_task(self._plain.announce())
            try:
                left = await self._without_room(list(self.documents.values()))
                while any(isinstance(error, StorageFull) for _, error in left):
                    # A new announcement matters more than a partial. The oldest partial goes first.
                    if not await self._deps.partials.drop_oldest():
                        break
                    left = await self._without_room([incoming for incoming, _ in left])
                for incoming, error in left:
                    fail(incoming, error)
            finally:
                await announcing
            self._check_going_on()
            self.touch()
            self.begun.set()
        if any(incoming.files.is_worth_keeping for incoming in self.documents.values()):
            self._recording = asyncio.create_task(self._record())

    async def _without_room(self, documents: Sequence[IncomingDocument]) -> list[tuple[IncomingDocument, Exception]]:
        """As `without_room`. It runs in a thread, unless the bytes are so few that the thread would cost more."""
        if not self._deps.blobs.is_remote and sum(each.manifest.carried_size for each in documents) <= RESERVED_HERE:
            return without_room(documents)
        return await asyncio.to_thread(without_room, documents)

    # --- incoming bytes --------------------------------------------------------------------------------------------

    async def secure_bytes(self, data: bytes) -> None:
        """Takes bytes after the opening, in the same request: the first secure sub-stream.

        Raises:
            RemoteProtocolError: more than was announced.
            PeerRefused: the attempt is over.
        """
        await self._intake.take(0, data)

    async def secure_sub_stream(self, number: int, start: int, pieces: AsyncIterator[bytes]) -> None:
        """Takes a further secure sub-stream from `start` to its end. It replaces an earlier request for the same one.

        Raises:
            RemoteProtocolError, PeerRefused: see `SecureIntake.sub_stream`.
        """
        await self._intake.sub_stream(number, start, pieces)

    def secure_ended(self) -> None:
        """Notes that the secure request's body has ended.

        Raises:
            PeerRefused: the attempt is over.
        """
        self._check_going_on()
        self.timing_marks.at("last-byte", SECURE)
        self._do(self.core.handle(receiver.SecureEnded()))

    def secure_broke(self) -> None:
        """Notes that the opening's connection broke. That fails the attempt, unless only padding is missing.

        Raises:
            PeerRefused: the attempt is over.
        """
        if self.core.lacks_only_padding:
            self.secure_ended()
        else:
            self.fail("the secure channel broke", may_resume=True)

    async def secure_chunk(self, index: int, data: bytes) -> None:
        """Takes a plain chunk that came over the secure channel. First takes the plain stream over from the listener.

        Raises:
            RemoteProtocolError: not a chunk that is due.
            PeerRefused: the attempt is over, or the plain listener does not release the stream.
        """
        async with self._turn:
            self._check_going_on()
            await self._plain.fence()
        self._check_going_on()
        self._do(self.core.handle(receiver.SecureChunk(index, data)))

    def touch(self) -> None:
        """Notes a sign of life of the sender."""
        self.last_news_s = asyncio.get_running_loop().time()

    # --- commands of the core --------------------------------------------------------------------------------------

    def _do(self, commands: Sequence[receiver.Command]) -> None:
        self.touch()
        for command in commands:
            match command:
                case receiver.WriteClassified(offset, data, document) | receiver.WritePlain(offset, data, document):
                    incoming = self.documents[document]
                    if incoming.over.is_set():
                        continue
                    put = incoming.files.write_classified
                    if isinstance(command, receiver.WritePlain):
                        put = incoming.files.write_plain
                    try:
                        put(offset, data)
                    except (StorageFull, OSError) as error:
                        fail(incoming, error)
                case receiver.AnswerVerified():
                    self.timing_marks.at("verified")
                    self._answers.put_nowait({"is": "verified"})
                case receiver.ReadStreams(documents):
                    self._finishing = asyncio.create_task(self._finish([self.documents[k] for k in documents]))
                case receiver.Discard(reason, None):
                    self.fail(reason, may_resume=True)
                case receiver.Discard(reason, int(document), kind):
                    self.documents[document].fail(reason, kind=kind)
                case receiver.Commit() | receiver.AnswerReceipt():
                    raise AssertionError("these follow ReadStreams, in _finish")  # pragma: no cover

    async def _finish(self, documents: Sequence[IncomingDocument]) -> None:
        """From *verified* to the receipts, in a task, because the connection that waits for them may break."""
        try:
            async with self._turn:
                await self._plain.fence()
            written = await self._finalizer.written([incoming for incoming in documents if not incoming.over.is_set()])
            self.timing_marks.at("fenced")
            self.timing_marks.at("integrating")
            digests = await self._finalizer.digests(written)
            self.timing_marks.at("integrated")
            fitting: dict[IncomingDocument, bytes] = {}
            for incoming, (classified, plain, others) in digests.items():
                commands = self.core.handle(receiver.StreamsRead(classified, plain, incoming.document, others))
                if commands == [receiver.Commit(incoming.document)]:
                    fitting[incoming] = classified
                else:
                    self._do(commands)
            self.timing_marks.at("digests-fit")
            stored = await self._finalizer.finish(fitting)
            self.timing_marks.at("synced")
            committed = await self._finalizer.commit_surely(stored)
            self.timing_marks.at("committed")
            durations = asdict(receiver_durations(self.timing_marks))
            for one in committed:
                for answer in self.core.handle(receiver.Committed(one.receipt, one.incoming.document)):
                    if isinstance(answer, receiver.AnswerReceipt):
                        one.incoming.delivered(answer.receipt, durations)
            self.timing_marks.at("receipted")
        except Exception as error:
            # Any error: the sender must learn that this attempt is over.
            for incoming in documents:
                if not incoming.over.is_set():
                    fail(incoming, error)

    # --- the end ---------------------------------------------------------------------------------------------------

    def _answer(self, document: int, line: dict[str, Any]) -> None:
        """Queues a document's last line. In a batch it names the transfer."""
        whose = {"transfer": self.load.transfer_ids[document]} if self.load.is_batch else {}
        if document not in self._last_lines:
            self._answers.put_nowait(document)
        self._last_lines[document] = {**line, **whose}

    def _ended(self, incoming: IncomingDocument) -> None:
        self.core.handle(receiver.Dropped(incoming.document))
        if all(other.over.is_set() for other in self.documents.values()):
            self.over.set()
            self.begun.set()
            self._intake.wake()

    async def answers(self) -> AsyncIterator[dict[str, Any]]:
        """The lines of the answer, in order: *verified*, then the receipt or the failure of each document.

        "going-on" comes in between from time to time, because a sender does not wait on a silent connection for as long
        as the plain stream may take.
        """
        due = len(self.load.manifests)
        while due:
            answer: dict[str, Any] | int = {"is": "going-on"}
            with suppress(TimeoutError):
                async with asyncio.timeout(self._deps.settings.beat_s):
                    answer = await self._answers.get()
            if isinstance(answer, int):
                due -= 1
                answer = self._last_lines[answer]
            yield answer

    async def watch(self) -> None:
        """Returns once the attempt is over; fails it if it stalls."""
        # Until it has begun, it waits for an older attempt or for the disk, and takes no byte from its sender.
        await self.begun.wait()
        loop = asyncio.get_running_loop()
        stall_s = self._deps.settings.stall_s
        while not self.over.is_set():
            # While committing, only the end is awaited.
            with suppress(TimeoutError):
                async with asyncio.timeout_at(None if self.committing else self.last_news_s + stall_s):
                    await self.over.wait()
            if not self.committing and loop.time() >= self.last_news_s + stall_s:
                self.fail(f"nothing more arrived for {stall_s:.0f} s", may_resume=True)

    async def cleared(self, incoming: IncomingDocument) -> None:
        """Returns once that document is over and, if it failed, is cleared away: what another attempt can resume is a
        partial that no attempt has taken."""
        await incoming.over.wait()
        if self._finishing is not None:
            await asyncio.wait([self._finishing])
        if incoming.failure is not None:
            async with self._turn:
                with suppress(PlainListenerLost):
                    await self._plain.release(incoming.document)
                if not (incoming.must_be_kept or await self._keep(incoming)):
                    if incoming.recorded is not None:
                        await self._deps.partials.drop(self._key(incoming.document))
                    incoming.files.discard()
                    return
        if incoming.recorded is not None and (incoming.must_be_kept or incoming.failure is None):
            self._deps.partials.forget(self._key(incoming.document))

    async def _keep(self, incoming: IncomingDocument) -> bool:
        """Keeps the partial of a document whose attempt broke off; returns whether there is one. Needs the turn."""
        if not incoming.may_resume or self.committing or not incoming.files.is_worth_keeping:
            return False
        self._plain.note_written()
        try:
            kept = await asyncio.to_thread(incoming.files.keep)
            if kept.held:
                key, handle = self._key(incoming.document), self.attempt.handle
                await self._deps.partials.keep(key, incoming.manifest, kept, handle)
        except (StoreError, OSError) as error:
            log.warning("transfer %s starts over: what came cannot be kept: %s", incoming.manifest.transfer_id, error)
            return False
        return bool(kept.held)

    async def _record(self) -> None:
        """Records progress from time to time, until the attempt ends or commits."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RECORD_EVERY_S):
                    await self.over.wait()
            async with self._turn:
                if self.over.is_set() or self.committing:
                    return
                try:
                    await self._record_what_came()
                except (StoreError, OSError, PlainListenerLost) as error:
                    log.warning("what came cannot be recorded just now: %s", error)

    async def _record_what_came(self) -> None:
        await self._plain.update()
        now = asyncio.get_running_loop().time()
        due_at = 1 if now - self._recorded_at >= RECORD_LATEST_S else RECORD_AT
        for incoming in self.documents.values():
            if incoming.over.is_set() or not incoming.files.is_worth_keeping:
                continue
            kept = incoming.files.written()
            if kept.held.size - (incoming.recorded or 0) >= due_at:
                await asyncio.to_thread(incoming.files.sync)
                await self._deps.partials.record(self._key(incoming.document), incoming.manifest, kept)
                incoming.recorded = kept.held.size
                self._recorded_at = now

    def _check_going_on(self) -> None:
        if (failure := self.failure) is not None:
            raise failure

    def fail(
        self, reason: str, *, permanent: bool = False, kind: RefusalKind = RefusalKind.FAILED, may_resume: bool = False
    ) -> None:
        """Fails each document that is not over; the answer says why."""
        for incoming in self.documents.values():
            incoming.fail(reason, permanent=permanent, kind=kind, may_resume=may_resume)
