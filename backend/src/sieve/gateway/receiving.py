"""The receiver's IO: one `Receiving` for each attempt under way, driven by the pure `channel.receiver`.

The law: nothing of a transfer is visible before its one transaction; an attempt that ends otherwise leaves no file
behind. Whoever asked may go away at any time: what was whole is stored all the same, and the receipt waits for the
next ask."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from sieve.channel import receiver
from sieve.channel.opening import Opening
from sieve.channel.receipt import Receipt
from sieve.gateway.announcements import Announcements
from sieve.gateway.errors import PeerRefused
from sieve.gateway.identity import Identity
from sieve.gateway.marks import SECURE, Marks, now_ns, plain_channel
from sieve.gateway.peers import Peer
from sieve.gateway.plain_listener import PlainListener, PlainListenerLost
from sieve.gateway.received_files import ReceivedFiles
from sieve.gateway.secure_intake import SecureIntake
from sieve.gateway.timing import receiver_durations
from sieve.store.blobs import BlobRef, BlobStore, DestinationFull
from sieve.store.database import Database, DatabaseBusy
from sieve.store.errors import StoreError
from sieve.store.queries import inbox as inbox_queries
from sieve.store.queries import marks as mark_queries
from sieve.store.queries import people

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReceivingSettings:
    """`stall_s`: an attempt of which nothing is heard for so long is dropped. `opening_s`: an opening must be whole by
    then. `beat_s`: a sender that waits for an answer hears this often that it is waited on. `quota` bounds a peer's
    bytes under way.
    """

    limits: receiver.Limits
    quota: int
    stall_s: float = 60.0
    opening_s: float = 300.0
    beat_s: float = 15.0


@dataclass(slots=True)
class Deps:
    """What receiving works with."""

    database: Database
    blobs: BlobStore
    plain: PlainListener
    identity: Identity
    name: str
    settings: ReceivingSettings
    announcements: Announcements = field(default_factory=Announcements)


class Receiving:
    """One attempt, from its opening to its receipt or its end."""

    def __init__(self, opening: Opening, peer: Peer, pin: str, deps: Deps) -> None:
        """`pin`: which of the peer's keys brought this attempt; the receipt names it.

        Raises:
            DestinationFull: there is not even room for its files.
        """
        self.manifest, self.attempt = opening.manifest, opening.attempt
        self.peer, self._pin, self._deps = peer, pin, deps
        self.marks = Marks()
        self.marks.at("announced")
        # Combining is this: to know where each channel's pieces belong. They are written there as they come.
        self.marks.at("combining")
        self.core = receiver.Receiver(opening.manifest, opening.attempt)
        self.marks.at("combined")
        self._announced_at_ns = now_ns()
        self._files = ReceivedFiles(self.manifest, deps.blobs)
        self._intake = SecureIntake(self.core, self.marks, self._check_going_on, self._do, lambda: self._files.held)
        self._plain_missing = [len(self.core.chunks.of(k)) for k in range(len(self.core.chunks.plans))]
        self._answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._finishing: asyncio.Task[None] | None = None
        # Held by whoever makes room, takes the plain stream over, or discards the files: never two of them at once.
        self._turn = asyncio.Lock()
        # Whether the plain stream is ours alone to write.
        self._fenced = not (self.attempt.plan.uses_plain_channel and self.manifest.plain_size)
        self._may_be_committed = False
        self._last_news = asyncio.get_running_loop().time()
        self.one_chunk = asyncio.Lock()
        """Held while a plain chunk is read from the secure channel: one at a time, so that memory stays bounded."""
        self.begun = asyncio.Event()
        """Set once there is room for its bytes, or it is over."""
        self.over = asyncio.Event()
        self.failure: PeerRefused | None = None

    @property
    def committing(self) -> bool:
        """Whether every byte is there and the transaction is on its way: not to be dropped any more."""
        return self._finishing is not None

    async def begin(self) -> None:
        """Reserves the space, then announces the handle to the plain listener.

        A plain listener that does not work is no reason to refuse: the plain stream comes over the secure channel then.

        Raises:
            PeerRefused: the destination is full, or the attempt ended meanwhile.
        """
        async with self._turn:
            self._check_going_on()
            try:
                await asyncio.to_thread(self._files.reserve)
            except DestinationFull as error:
                self.fail("destination full", kind="full")
                raise PeerRefused("destination full", permanent=False, kind="full") from error
            self._check_going_on()
            if not self._fenced:
                await self._announce()
            self._check_going_on()
            self.touch()
            self.begun.set()

    async def _announce(self) -> None:
        try:
            await self._deps.plain.open(
                self.attempt.handle,
                self.attempt.plain_key,
                self._files.plain_path,
                self.core.plain_split,
                on_held=self._on_held,
                on_lost=self._on_plain_lost,
            )
        except PlainListenerLost as error:
            log.warning("transfer %s takes no plain chunks on the plain channel: %s", self.manifest.transfer_id, error)
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
        """Takes the plain stream over, unless that was done. Called with the turn held."""
        if self._is_fenced():
            return
        try:
            fenced = await self._deps.plain.fence(self.attempt.handle, self.core.chunks.count)
        except PlainListenerLost as error:
            self._check_going_on()
            if self._is_fenced():
                return  # it died while we waited, and had held nothing
            if not self.committing:
                self.fail(str(error), kind="plain-listener")
            raise PeerRefused(str(error), permanent=False, kind="plain-listener") from error
        self._files.listeners_digest = fenced.digest
        self._take_over(fenced.held)

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
            self.fail("the plain listener ended before it had written what it held", kind="plain-listener")
        self._take_over(frozenset())

    # --- what must happen ------------------------------------------------------------------------------------------

    def _do(self, commands: Sequence[receiver.Command]) -> None:
        self.touch()
        for command in commands:
            match command:
                case receiver.WriteClassified(offset, data):
                    self._files.write_classified(offset, data)
                case receiver.WritePlain(offset, data):
                    self._files.write_plain(offset, data)
                case receiver.AnswerVerified():
                    self.marks.at("verified")
                    self._answers.put_nowait({"is": "verified"})
                case receiver.ReadStreams():
                    self._finishing = asyncio.create_task(self._finish())
                case receiver.Discard(reason):
                    self.fail(reason)
                case receiver.Commit() | receiver.AnswerReceipt():
                    raise AssertionError("these follow ReadStreams, in _finish")  # pragma: no cover

    async def _finish(self) -> None:
        """From verified to receipt. Runs by itself: the connection that waits for it may break."""
        try:
            async with self._turn:
                await self._fence()
            self.marks.at("fenced")
            self.marks.at("integrating")
            classified_digest, plain_digest = await self._files.digests()
            self.marks.at("integrated")
            commands = self.core.handle(receiver.StreamsRead(classified_digest, plain_digest))
            if commands != [receiver.Commit()]:
                self._do(commands)
                return
            self.marks.at("digests-fit")
            refs = await asyncio.to_thread(self._files.finish, classified_digest)
            self.marks.at("synced")
            receipt = await self._commit_surely(*refs)
            self.marks.at("committed")
            durations = receiver_durations(self.marks)
            for answer in self.core.handle(receiver.Committed(receipt)):
                if isinstance(answer, receiver.AnswerReceipt):
                    self._answers.put_nowait(
                        {"is": "receipt", "receipt": answer.receipt, "durations": asdict(durations)}
                    )
            self.marks.at("receipted")
            self.over.set()
            await self._keep_last_marks()
        except _DeliveredBefore as before:
            self.failure = PeerRefused(str(before), permanent=False)
            self._answers.put_nowait({"is": "receipt", "receipt": before.receipt, "durations": None})
            self.over.set()
        except PeerRefused as refused:
            self.fail(str(refused), permanent=refused.permanent, kind=refused.kind)
        except DestinationFull:
            self.fail("destination full", kind="full")
        except DatabaseBusy:
            self.fail("its database is busy", kind="busy")
        except Exception as error:
            # Whatever it is, the sender must hear that this attempt is over; the cause is ours to log.
            log.error("a transfer could not be stored: %s", type(error).__name__, exc_info=error)
            self.fail("the transfer could not be stored; this gateway's log says why")

    async def _keep_last_marks(self) -> None:
        """The marks of what came after the one transaction, which has kept all before it. Not worth a failure."""
        late = [mark for mark in self.marks.taken if mark.name in ("committed", "receipted")]
        taken = [(self.attempt.number, mark.name, mark.channel, mark.at_ns) for mark in late]
        with suppress(StoreError):
            async with self._deps.database.write() as session:
                await mark_queries.add(session, self.manifest.transfer_id, "receiver", taken)

    async def _commit_surely(self, plain: BlobRef, sealed: BlobRef, manifest_blob: BlobRef) -> str:
        """Commits; the receipt. After an error says whether it was before or after the commit: files that a row names
        must stay.
        """
        received_at_ns = now_ns()
        receipt = self._receipt(received_at_ns)
        try:
            await self._commit(plain, sealed, manifest_blob, receipt, received_at_ns)
        except PeerRefused:
            raise
        except Exception:
            self._may_be_committed = True  # also if the question itself fails: the sweep at the next start knows
            async with self._deps.database.read() as session:
                stored = await inbox_queries.stored_receipt(session, self.peer.id, self.manifest.transfer_id)
            self._may_be_committed = False
            if stored is None:
                raise
            if stored.receipt != receipt:
                raise _DeliveredBefore(stored.receipt) from None
        return receipt

    def _receipt(self, received_at_ns: int) -> str:
        deps = self._deps
        return Receipt.of(
            self.manifest,
            sender_pin=self._pin,
            receiver=deps.name,
            receiver_pin=deps.identity.pin,
            announced_at_ns=self._announced_at_ns,
            received_at_ns=received_at_ns,
        ).sign(deps.identity.receipt_key)

    async def _commit(
        self, plain: BlobRef, sealed: BlobRef, manifest_blob: BlobRef, receipt: str, received_at_ns: int
    ) -> None:
        manifest, deps = self.manifest, self._deps
        async with deps.database.write() as session:
            unknown = await inbox_queries.deliver(
                session,
                peer_id=self.peer.id,
                transfer_id=manifest.transfer_id,
                name=manifest.safe_name,
                media_type=manifest.media_type,
                size=manifest.size,
                classified_size=manifest.classified_size,
                plain_digest=manifest.plain_digest.hex(),
                manifest_digest=manifest.digest,
                plain_blob=plain,
                sealed_blob=sealed,
                manifest_blob=manifest_blob,
                sender_name=manifest.safe_sender,
                mode=self.attempt.plan.mode,
                recipients=manifest.recipients,
                receipt=receipt,
                deadline_at_ns=manifest.deadline_at_ns,
                marks=[(self.attempt.number, mark.name, mark.channel, mark.at_ns) for mark in self.marks.taken],
                now_ns=received_at_ns,
            )
            if unknown:
                raise unknown_recipients(unknown, deps.name)
            readers = [person.id for person in await people.recipients(session, manifest.recipients)]
        deps.announcements.inbox_changed(readers)

    # --- how it ends -----------------------------------------------------------------------------------------------

    async def answers(self) -> AsyncIterator[dict[str, Any]]:
        """What the sender is told, in order: verified, then receipt; or that it failed, and why.

        Between them, now and then, that there is nothing to tell yet: the plain stream may be on its way for longer
        than anybody waits on a silent connection.
        """
        while True:
            try:
                async with asyncio.timeout(self._deps.settings.beat_s):
                    answer = await self._answers.get()
            except TimeoutError:
                answer = {"is": "going-on"}
            yield answer
            if answer["is"] in ("receipt", "failed"):
                return

    async def supervise(self) -> None:
        """Returns once the attempt is over and, if it failed, nothing of it is left; fails it if it stalls."""
        loop = asyncio.get_running_loop()
        stall_s = self._deps.settings.stall_s
        while not self.over.is_set():
            # While committing there is no news to wait for but the end.
            with suppress(TimeoutError):
                async with asyncio.timeout_at(None if self.committing else self._last_news + stall_s):
                    await self.over.wait()
            if not self.committing and loop.time() >= self._last_news + stall_s:
                self.fail(f"nothing more arrived for {stall_s:.0f} s")
        if self._finishing is not None:
            await asyncio.wait([self._finishing])
        if self.failure is not None:
            async with self._turn:
                if self._deps.plain.is_open(self.attempt.handle):
                    with suppress(PlainListenerLost):
                        await self._deps.plain.fence(self.attempt.handle, self.core.chunks.count)
                if not self._may_be_committed:
                    self._files.discard()

    def _check_going_on(self) -> None:
        if self.failure is not None:
            raise self.failure

    def fail(self, reason: str, *, permanent: bool = False, kind: str = "failed") -> None:
        """Ends the attempt, unless it is over; the sender is told why."""
        if self.over.is_set():
            return
        self.failure = PeerRefused(reason, permanent=permanent, kind=kind)
        self._answers.put_nowait({"is": "failed", "detail": reason, "permanent": permanent, "kind": kind})
        self.over.set()
        self.begun.set()
        self._intake.wake()


class _DeliveredBefore(Exception):
    """Another attempt delivered the transfer first: its receipt is the answer."""

    def __init__(self, receipt: str) -> None:
        super().__init__("an earlier attempt delivered it")
        self.receipt = receipt


def unknown_recipients(names: Sequence[str], gateway: str) -> PeerRefused:
    """The refusal of a transfer to people that cannot receive here."""
    reason = f"nobody named {', '.join(names)} can receive at {gateway}; check the name with its admin"
    return PeerRefused(reason, permanent=True, kind="unknown-recipient")
