"""The receiver's IO: one `IncomingAttempt` for each attempt under way, driven by the pure `channel.receiver`.

Invariant: nothing of a transfer is visible before its one transaction. A document that ends otherwise leaves no file
behind, except what another attempt can continue from (`partials`). The sender may disconnect at any time: what is
whole is stored all the same, and the receipt waits until the sender asks again. Documents of one attempt share its
channels; each ends by itself (`arrival`).
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
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound.dependencies import Dependencies
from sieve.gateway.inbound.finalizer import Finalizer, fail
from sieve.gateway.inbound.incoming_document import IncomingDocument, receipt_line, refusal_line, without_room
from sieve.gateway.inbound.partials import Key
from sieve.gateway.inbound.received_files import ReceivedFiles
from sieve.gateway.inbound.secure_intake import SecureIntake
from sieve.gateway.peering.peers import Peer
from sieve.gateway.plain.app import Fenced
from sieve.gateway.plain.files import PlainPlace
from sieve.gateway.plain.listener import PlainListenerLost
from sieve.gateway.telemetry.timing import receiver_durations
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks, plain_channel
from sieve.store.blobs import DestinationFull
from sieve.store.errors import StoreError
from sieve.store.queries import marks as mark_queries

log = logging.getLogger(__name__)

# What came is recorded now and then, so that a crash loses little: not more often than this, and not for few bytes
# unless they wait for long. A transfer that is done before costs nothing more.
RECORD_EVERY_S = 2.0
RECORD_AT = 32 * 1024 * 1024
RECORD_LATEST_S = 10.0


class IncomingAttempt:
    """One attempt, from its opening until each of its documents has its receipt or its end."""

    def __init__(self, opening: Opening, peer: Peer, pin: str, deps: Dependencies) -> None:
        """`pin`: which of the peer's keys brought this attempt; the receipts name it. Before it begins, each document
        is to be entered, or left out.
        """
        self.load, self.attempt = opening.load, opening.attempt
        self.peer, self._deps = peer, deps
        self.marks = TimingMarks()
        announced_at_ns = self.marks.clock()
        self.marks.at("announced", at_ns=announced_at_ns)
        # Combining is this: to know where each channel's pieces belong. They are written there as they come.
        self.marks.at("combining")
        self.core = receiver.Receiver(opening.load, opening.attempt)
        self.marks.at("combined")
        self._storing = Finalizer(
            deps.database,
            deps.blobs,
            deps.identity,
            deps.announcements,
            deps.name,
            peer,
            pin,
            self.attempt.plan.mode,
            self.marks,
            audit_head=deps.audit_head,
            announced_at_ns=announced_at_ns,
        )
        self.arrivals: dict[int, IncomingDocument] = {}
        """The documents that were entered, by their places in the load."""
        self.standing: set[IncomingDocument] = set()
        """Those of which something is left here."""
        self._intake = SecureIntake(
            self.core,
            self.marks,
            self._check_going_on,
            self._do,
            lambda: sum(arrival.files.held for arrival in self.arrivals.values()),
        )
        self._plain_missing = [len(self.core.chunks.of(k)) for k in range(len(self.core.chunks.plans))]
        # What is to be said, in order; of a document its number, and its last line apart.
        self._answers: asyncio.Queue[dict[str, Any] | int] = asyncio.Queue()
        self._last_lines: dict[int, dict[str, Any]] = {}
        self._finishing: asyncio.Task[None] | None = None
        self._recording: asyncio.Task[None] | None = None
        self._recorded_at = asyncio.get_running_loop().time()
        # The chunks that the plain listener has written, and those of them that the files have been told of.
        self._written: frozenset[int] = frozenset()
        self._told_written: frozenset[int] = frozenset()
        # Held by whoever makes room, takes the plain stream over, or discards files: never two of them at once.
        self._turn = asyncio.Lock()
        # Whether the plain stream is ours alone to write.
        self._fenced = not (self.attempt.plan.uses_plain_channel and self.load.plain_size)
        # Whose the listener's files are, by their numbers.
        self._plain_documents = [part.document for part, _, _ in self.load.plain.places()]
        self._last_news = asyncio.get_running_loop().time()
        self.one_chunk = asyncio.Lock()
        """Held while a plain chunk is read from the secure channel: one at a time, so that memory stays bounded."""
        self.begun = asyncio.Event()
        """Set once there is room for its bytes, or it is over."""
        self.over = asyncio.Event()

    @property
    def committing(self) -> bool:
        """Whether every byte is there and the transaction is on its way: not to be dropped any more."""
        return self._finishing is not None

    @property
    def failure(self) -> PeerRefused | None:
        """Why nothing more of it is wanted, if so: the last of its documents has failed."""
        failures = [arrival.failure for arrival in self.arrivals.values()]
        return failures[-1] if failures and all(failures) else None

    def enter(self, document: int) -> None:
        """That document may begin; if it resumes, with what is kept of it, which nobody else has.

        Raises:
            DestinationFull, OSError: its files cannot be made.
            BlobDamaged: what is kept of it cannot be written on.
        """
        manifest, partials = self.load.manifests[document], self._deps.partials
        others = next((arrival.files.id for arrival in self.arrivals.values()), "")
        kept = partials.take(self._key(document)) if self.load.held else None
        try:
            files = ReceivedFiles(manifest, self._deps.blobs, self._deps.writes, near=others, kept=kept)
        except BaseException:
            if kept is not None:
                partials.give_up(self._key(document))
            raise
        arrival = self.arrivals[document] = IncomingDocument(
            document,
            manifest,
            self.attempt.numbers[document],
            files,
            lambda line: self._answer(document, line),
            self._ended,
        )
        arrival.recorded = kept.held.size if kept is not None else None
        self.standing.add(arrival)

    def _key(self, document: int) -> Key:
        return self.peer.id, self.load.transfer_ids[document]

    def leave_out(self, document: int, answer: str | PeerRefused) -> None:
        """That document may not begin: it gets its stored receipt, or why not. What comes of it is thrown away."""
        self.core.handle(receiver.Dropped(document))
        self._answer(document, receipt_line(answer, None) if isinstance(answer, str) else refusal_line(answer))

    async def begin(self) -> None:
        """Reserves the space, and announces the handle to the plain listener.

        A plain listener that does not work is no reason to refuse: the plain stream comes over the secure channel then.

        Raises:
            PeerRefused: there is no room for any document, or the attempt ended meanwhile.
        """
        async with self._turn:
            self._check_going_on()
            # At the same time: all bytes wait for the slower of the two. `cleared` drops who found no room.
            announcing = asyncio.create_task(self._announce()) if not self._fenced else None
            try:
                left = await asyncio.to_thread(without_room, list(self.arrivals.values()))
                while any(isinstance(error, DestinationFull) for _, error in left):
                    # A new announcement matters more than a partial. The oldest partial goes first.
                    if not await self._deps.partials.drop_oldest():
                        break
                    left = await asyncio.to_thread(without_room, [arrival for arrival, _ in left])
                for arrival, error in left:
                    fail(arrival, error)
            finally:
                if announcing is not None:
                    await announcing
            self._check_going_on()
            self.touch()
            self.begun.set()
        if any(arrival.files.is_worth_keeping for arrival in self.arrivals.values()):
            self._recording = asyncio.create_task(self._record())

    async def _announce(self) -> None:
        places = []
        for (document, _, at, _), start, end in self.load.plain.places():
            arrival = self.arrivals.get(document)
            there = arrival is not None and not arrival.over.is_set()
            to: tuple[str | None, str] = (None, "")
            if arrival is not None and there:
                # Tags of a gap are nobody's.
                to = arrival.files.plain_path, "" if arrival.files.resumed else arrival.files.tag_key.hex()
            places.append(PlainPlace(to[0], start, end, to[1], at))
        try:
            await self._deps.plain.open(
                self.attempt.handle,
                self.attempt.plain_key,
                places,
                self.core.plain_split,
                on_held=self._on_held,
                on_lost=self._on_plain_lost,
            )
        except PlainListenerLost as error:
            log.warning(
                "transfer %s: the plain stream comes over the secure channel: %s",
                ", ".join(self.load.transfer_ids),
                error,
            )
            self._take_over(frozenset())

    # --- what comes in ---------------------------------------------------------------------------------------------

    async def secure_bytes(self, data: bytes) -> None:
        """Bytes of the opening's request, after the opening: the first secure sub-stream.

        Raises:
            RemoteProtocolError: more than was announced.
            PeerRefused: the attempt is over.
        """
        await self._intake.take(0, data)

    async def secure_sub_stream(self, number: int, start: int, pieces: AsyncIterator[bytes]) -> None:
        """A further secure sub-stream, from `start` of it to its end. An earlier request that brings it counts no more.

        Raises:
            RemoteProtocolError, PeerRefused: see `SecureIntake.sub_stream`.
        """
        await self._intake.sub_stream(number, start, pieces)

    def secure_ended(self) -> None:
        """The secure request's body is over.

        Raises:
            PeerRefused: the attempt is over.
        """
        self._check_going_on()
        self.marks.at("last-byte", SECURE)
        self._do(self.core.handle(receiver.SecureEnded()))

    async def secure_chunk(self, index: int, data: bytes) -> None:
        """A plain chunk that came over the secure channel; takes the plain stream over from the plain listener first.

        Raises:
            RemoteProtocolError: not a chunk that is due.
            PeerRefused: the attempt is over, or the plain listener does not let go.
        """
        async with self._turn:
            self._check_going_on()
            await self._fence()
        self._check_going_on()
        self._do(self.core.handle(receiver.SecureChunk(index, data)))

    def touch(self) -> None:
        """The sender is still there."""
        self._last_news = asyncio.get_running_loop().time()

    async def _fence(self) -> None:
        """Takes the plain stream over, unless that was done. Called with the turn held.

        Raises:
            PeerRefused: the plain listener does not let go; the attempt is over.
        """
        if self._is_fenced():
            return
        try:
            fenced = await self._deps.plain.fence(self.attempt.handle, self.core.chunks.count)
        except PlainListenerLost as error:
            self._check_going_on()
            if self._is_fenced():
                return  # it died while we waited, and had held nothing
            if not self.committing:
                self.fail(str(error), kind=RefusalKind.PLAIN_LISTENER, may_resume=True)
            raise PeerRefused(str(error), permanent=False, kind=RefusalKind.PLAIN_LISTENER) from error
        self._hear_fenced(fenced)
        self._take_over(fenced.held)

    def _hear_fenced(self, fenced: Fenced) -> None:
        """What became of the plain stream there; all of what was held is written."""
        self._written = fenced.held
        sums = dict(enumerate(fenced.sums))
        for file, document in enumerate(self._plain_documents):
            if (arrival := self.arrivals.get(document)) is not None:
                if not arrival.files.resumed:  # otherwise it is that of a gap
                    arrival.files.listeners_sum = sums.get(file)
                if file in fenced.failed:
                    arrival.fail(
                        "a plain chunk could not be written; see the log there", kind=RefusalKind.PLAIN_LISTENER
                    )
                    arrival.may_resume = False

    def _is_fenced(self) -> bool:
        return self._fenced

    def _take_over(self, held: frozenset[int]) -> None:
        self._fenced = True
        if not self.over.is_set():
            self._do(self.core.handle(receiver.PlainFenced(held)))

    def _on_held(self, chunk: int) -> None:
        if self.over.is_set():
            return  # told before the listener was fenced: this attempt must not come to life again
        sub_stream = self.core.chunks.place(chunk).sub_stream
        channel = plain_channel(sub_stream)
        if self.marks.first("first-byte", channel) is None:
            self.marks.at("first-byte", channel)
        self._plain_missing[sub_stream] -= 1
        if not self._plain_missing[sub_stream]:
            self.marks.at("last-byte", channel)
        self._do(self.core.handle(receiver.PlainHeld(frozenset({chunk}))))

    def _on_plain_lost(self) -> None:
        """Who is dead writes no more. What it held it may not have written: that attempt is over. If it held nothing,
        everything comes over the secure channel."""
        if self._fenced:
            return
        if self.core.held:
            reason = "the plain listener ended before it had written what it held"
            self.fail(reason, kind=RefusalKind.PLAIN_LISTENER, may_resume=True)
        self._take_over(frozenset())

    # --- what must happen ------------------------------------------------------------------------------------------

    def _do(self, commands: Sequence[receiver.Command]) -> None:
        self.touch()
        for command in commands:
            match command:
                case receiver.WriteClassified(offset, data, document) | receiver.WritePlain(offset, data, document):
                    arrival = self.arrivals[document]
                    if arrival.over.is_set():
                        continue
                    put = arrival.files.write_classified
                    if isinstance(command, receiver.WritePlain):
                        put = arrival.files.write_plain
                    try:
                        put(offset, data)
                    except (DestinationFull, OSError) as error:
                        fail(arrival, error)
                case receiver.AnswerVerified():
                    self.marks.at("verified")
                    self._answers.put_nowait({"is": "verified"})
                case receiver.ReadStreams(documents):
                    self._finishing = asyncio.create_task(self._finish([self.arrivals[k] for k in documents]))
                case receiver.Discard(reason, None):
                    self.fail(reason, may_resume=True)
                case receiver.Discard(reason, int(document), kind):
                    self.arrivals[document].fail(reason, kind=kind)
                case receiver.Commit() | receiver.AnswerReceipt():
                    raise AssertionError("these follow ReadStreams, in _finish")  # pragma: no cover

    async def _finish(self, arrivals: Sequence[IncomingDocument]) -> None:
        """From verified to the receipts. Runs by itself: the connection that waits for them may break."""
        try:
            async with self._turn:
                await self._fence()
            written = await self._storing.written([arrival for arrival in arrivals if not arrival.over.is_set()])
            self.marks.at("fenced")
            self.marks.at("integrating")
            digests = await self._storing.digests(written)
            self.marks.at("integrated")
            fitting: dict[IncomingDocument, bytes] = {}
            for arrival, (classified, plain, redacted) in digests.items():
                commands = self.core.handle(receiver.StreamsRead(classified, plain, arrival.document, redacted))
                if commands == [receiver.Commit(arrival.document)]:
                    fitting[arrival] = classified
                else:
                    self._do(commands)
            self.marks.at("digests-fit")
            stored = await self._storing.finish(fitting)
            self.marks.at("synced")
            committed = await self._storing.commit_surely(stored)
            self.marks.at("committed")
            durations = asdict(receiver_durations(self.marks))
            for one in committed:
                for answer in self.core.handle(receiver.Committed(one.receipt, one.arrival.document)):
                    if isinstance(answer, receiver.AnswerReceipt):
                        one.arrival.delivered(answer.receipt, durations)
            self.marks.at("receipted")
            await self._keep_last_marks([one.arrival for one in committed])
        except Exception as error:
            # Whatever it is, the sender must hear that this attempt is over.
            for arrival in arrivals:
                if not arrival.over.is_set():
                    fail(arrival, error)

    async def _keep_last_marks(self, arrivals: Sequence[IncomingDocument]) -> None:
        """The marks of what came after the one transaction, which has kept all before it. Not worth a failure."""
        if not arrivals:
            return
        late = [mark for mark in self.marks.taken if mark.name in ("committed", "receipted")]
        of_each = [
            (arrival.manifest.transfer_id, [(arrival.number, mark.name, mark.channel, mark.at_ns) for mark in late])
            for arrival in arrivals
        ]
        with suppress(StoreError):
            async with self._deps.database.write() as session:
                await mark_queries.add_all(session, "receiver", of_each)

    # --- how it ends -----------------------------------------------------------------------------------------------

    def _answer(self, document: int, line: dict[str, Any]) -> None:
        """A document's last line. A batch's say whose they are."""
        whose = {"transfer": self.load.transfer_ids[document]} if self.load.is_batch else {}
        if document not in self._last_lines:
            self._answers.put_nowait(document)
        self._last_lines[document] = {**line, **whose}

    def _ended(self, arrival: IncomingDocument) -> None:
        self.core.handle(receiver.Dropped(arrival.document))
        if all(other.over.is_set() for other in self.arrivals.values()):
            self.over.set()
            self.begun.set()
            self._intake.wake()

    async def answers(self) -> AsyncIterator[dict[str, Any]]:
        """What the sender is told, in order: verified, then of each document the receipt; or that it failed, and why.

        Between them, now and then, that there is nothing to tell yet: the plain stream may be on its way for longer
        than anybody waits on a silent connection.
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
        loop = asyncio.get_running_loop()
        stall_s = self._deps.settings.stall_s
        while not self.over.is_set():
            # While committing there is no news to wait for but the end.
            with suppress(TimeoutError):
                async with asyncio.timeout_at(None if self.committing else self._last_news + stall_s):
                    await self.over.wait()
            if not self.committing and loop.time() >= self._last_news + stall_s:
                self.fail(f"nothing more arrived for {stall_s:.0f} s", may_resume=True)

    async def cleared(self, arrival: IncomingDocument) -> None:
        """Returns once that document is over and, if it failed, nothing of it is left here: what may be gone on with is
        kept, and is nobody's."""
        await arrival.over.wait()
        if self._finishing is not None:
            await asyncio.wait([self._finishing])
        if arrival.failure is not None:
            async with self._turn:
                if self._deps.plain.is_open(self.attempt.handle):
                    with suppress(PlainListenerLost):
                        await self._let_go(arrival.document)
                if not (arrival.must_be_kept or await self._keep(arrival)):
                    if arrival.recorded is not None:
                        await self._deps.partials.drop(self._key(arrival.document))
                    arrival.files.discard()
                    return
        if arrival.recorded is not None and (arrival.must_be_kept or arrival.failure is None):
            self._deps.partials.forget(self._key(arrival.document))

    async def _keep(self, arrival: IncomingDocument) -> bool:
        """Keeps what came of a document whose attempt broke off; whether anything is kept of it. With the turn held."""
        if not arrival.may_resume or self.committing or not arrival.files.is_worth_keeping:
            return False
        self._tell_written()
        try:
            kept = await asyncio.to_thread(arrival.files.keep)
            if kept.held:
                key, handle = self._key(arrival.document), self.attempt.handle
                await self._deps.partials.keep(key, arrival.manifest, kept, handle)
        except (StoreError, OSError) as error:
            log.warning("transfer %s starts over: what came cannot be kept: %s", arrival.manifest.transfer_id, error)
            return False
        return bool(kept.held)

    async def _record(self) -> None:
        """Writes down now and then what came, while the attempt goes on."""
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
        if self._deps.plain.is_open(self.attempt.handle):
            self._written = await self._deps.plain.written(self.attempt.handle, self.core.chunks.count)
        self._tell_written()
        now = asyncio.get_running_loop().time()
        due_at = 1 if now - self._recorded_at >= RECORD_LATEST_S else RECORD_AT
        for arrival in self.arrivals.values():
            if arrival.over.is_set() or not arrival.files.is_worth_keeping:
                continue
            kept = arrival.files.written()
            if kept.held.size - (arrival.recorded or 0) >= due_at:
                await asyncio.to_thread(arrival.files.sync)
                await self._deps.partials.record(self._key(arrival.document), arrival.manifest, kept)
                arrival.recorded = kept.held.size
                self._recorded_at = now

    def _tell_written(self) -> None:
        """The files hear what the plain listener has written."""
        for chunk in self._written - self._told_written:
            for start, end in self.core.chunks.ranges(chunk):
                for document, _, first, last in self.load.plain.parts(start, end):
                    if (arrival := self.arrivals.get(document)) is not None:
                        arrival.files.plain_is_written(first, last)
        self._told_written |= self._written

    async def _let_go(self, document: int) -> None:
        """Has the plain listener close that document's file, or all: an open one keeps its room without a name, too."""
        plain, handle, count = self._deps.plain, self.attempt.handle, self.core.chunks.count
        if self.over.is_set():
            self._hear_fenced(await plain.fence(handle, count))
        elif document in self._plain_documents:
            if document in self.arrivals:
                self._written = await plain.written(handle, count)
                self._tell_written()
            await plain.drop(handle, self._plain_documents.index(document))

    def _check_going_on(self) -> None:
        if (failure := self.failure) is not None:
            raise failure

    def fail(
        self, reason: str, *, permanent: bool = False, kind: RefusalKind = RefusalKind.FAILED, may_resume: bool = False
    ) -> None:
        """Ends the attempt: each document that is not over; the sender is told why."""
        for arrival in self.arrivals.values():
            arrival.fail(reason, permanent=permanent, kind=kind, may_resume=may_resume)
