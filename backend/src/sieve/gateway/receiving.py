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

from blake3 import blake3

from sieve.channel import canonical, receiver
from sieve.channel.chunks import to_ranges
from sieve.channel.opening import Opening
from sieve.channel.receipt import Receipt
from sieve.gateway.errors import PeerRefused
from sieve.gateway.identity import Identity
from sieve.gateway.marks import PLAIN, SECURE, Marks, now_ns
from sieve.gateway.peers import Peer
from sieve.gateway.plain_listener import PlainListener, PlainListenerLost
from sieve.gateway.stored_document import tail
from sieve.gateway.timing import receiver_durations
from sieve.store.blobs import BlobRef, BlobStore, DestinationFull
from sieve.store.database import Database
from sieve.store.queries import inbox as inbox_queries

log = logging.getLogger(__name__)

HASH_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReceivingSettings:
    """`stall_s`: an attempt that gets no new byte for so long is dropped. `quota` bounds a peer's bytes under way."""

    limits: receiver.Limits
    quota: int
    stall_s: float = 60.0


@dataclass(slots=True)
class Deps:
    """What receiving works with."""

    database: Database
    blobs: BlobStore
    plain: PlainListener
    identity: Identity
    name: str
    settings: ReceivingSettings


class Receiving:
    """One attempt, from its opening to its receipt or its end."""

    def __init__(self, opening: Opening, peer: Peer, deps: Deps) -> None:
        self.manifest, self.attempt = opening.manifest, opening.attempt
        self.peer, self._deps = peer, deps
        self.core = receiver.Receiver(opening.manifest, opening.attempt)
        self.marks = Marks()
        self.marks.at("announced")
        self._announced_at_ns = now_ns()
        self._plain = deps.blobs.new_plain(owner=self.manifest.transfer_id, purpose="document")
        self._sealed = deps.blobs.new_sealed(owner=self.manifest.transfer_id, purpose="document")
        self._classified_hash = blake3()
        self._answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._finishing: asyncio.Task[None] | None = None
        self._fencing: asyncio.Lock = asyncio.Lock()
        self._fenced = False
        self._last_news = asyncio.get_running_loop().time()
        self.over = asyncio.Event()
        self.failure: PeerRefused | None = None

    @property
    def committing(self) -> bool:
        """Whether every byte is there and the transaction is on its way: not to be dropped any more."""
        return self._finishing is not None

    async def begin(self) -> None:
        """Reserves the space, then announces the handle to the plain listener.

        Raises:
            PeerRefused: the destination is full, or the plain listener does not work.
        """
        manifest = self.manifest
        try:
            await asyncio.to_thread(self._reserve)
        except DestinationFull as error:
            self.fail("destination full", kind="full")
            raise PeerRefused("destination full", permanent=False, kind="full") from error
        if self.attempt.plan.uses_plain_channel and manifest.plain_size:
            try:
                await self._deps.plain.open(
                    self.attempt.handle,
                    self.attempt.plain_key,
                    str(self._plain.path),
                    manifest.plain_size,
                    on_held=self._on_held,
                    on_lost=self._on_plain_lost,
                )
            except PlainListenerLost as error:
                self.fail(str(error), kind="plain-listener")
                raise PeerRefused(str(error), permanent=False, kind="plain-listener") from error

    def _reserve(self) -> None:
        self._plain.reserve(self.manifest.plain_size)
        self._sealed.reserve(self.manifest.classified_size + 32 + len(self.manifest.spans) * 16)

    # --- what comes in ---------------------------------------------------------------------------------------------

    def secure_bytes(self, data: bytes) -> None:
        """Bytes of the secure request after the opening.

        Raises:
            RemoteProtocolError: more than was announced.
            PeerRefused: the attempt is over.
        """
        self._check_going_on()
        if self.marks.first("first-byte", SECURE) is None:
            self.marks.at("first-byte", SECURE)
        self._do(self.core.handle(receiver.SecureBytes(data)))

    def secure_ended(self) -> None:
        """The secure request's body is over."""
        self.marks.at("last-byte", SECURE)
        self._do(self.core.handle(receiver.SecureEnded()))

    async def secure_chunk(self, index: int, data: bytes) -> None:
        """A plain chunk that came over the secure channel; takes the plain stream over from the plain listener first.

        Raises:
            RemoteProtocolError: not a chunk that is due.
            PeerRefused: the attempt is over, or the plain listener does not let go.
        """
        self._check_going_on()
        async with self._fencing:
            if not self._fenced:
                self._do(self.core.handle(receiver.PlainFenced(await self._fence())))
        self._do(self.core.handle(receiver.SecureChunk(index, data)))

    async def _fence(self) -> frozenset[int]:
        try:
            held = await self._deps.plain.fence(self.attempt.handle, self.core.chunks.count)
        except PlainListenerLost as error:
            if not self.committing:
                self.fail(str(error), kind="plain-listener")
            raise PeerRefused(str(error), permanent=False, kind="plain-listener") from error
        self._fenced = True
        return held

    def _on_held(self, chunk: int) -> None:
        if self.marks.first("first-byte", PLAIN) is None:
            self.marks.at("first-byte", PLAIN)
        if len(self.core.held) + 1 == self.core.chunks.count:
            self.marks.at("last-byte", PLAIN)
        self._do(self.core.handle(receiver.PlainHeld(frozenset({chunk}))))

    def _on_plain_lost(self) -> None:
        if not self._fenced and not self.committing:
            self.fail("the plain listener ended while the transfer was under way")

    # --- what must happen ------------------------------------------------------------------------------------------

    def _do(self, commands: Sequence[receiver.Command]) -> None:
        self._last_news = asyncio.get_running_loop().time()
        for command in commands:
            match command:
                case receiver.WriteClassified(data):
                    self._classified_hash.update(data)
                    self._sealed.write(data)
                case receiver.WritePlain(offset, data):
                    self._plain.write_at(offset, [data])
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
            self.marks.at("combining")
            if self._deps.plain.is_open(self.attempt.handle):
                await self._fence()
            self.marks.at("combined")
            classified_digest = self._classified_hash.digest()
            self.marks.at("integrating")
            plain_digest = await asyncio.to_thread(self._hash_plain)
            self.marks.at("integrated")
            commands = self.core.handle(receiver.StreamsRead(classified_digest, plain_digest))
            if commands != [receiver.Commit()]:
                self._do(commands)
                return
            self.marks.at("digests-fit")
            refs = await asyncio.to_thread(self._sync, classified_digest)
            self.marks.at("synced")
            receipt = await self._commit(*refs)
            self.marks.at("committed")
            durations = receiver_durations(self.marks)
            for answer in self.core.handle(receiver.Committed(receipt)):
                if isinstance(answer, receiver.AnswerReceipt):
                    self._answers.put_nowait(
                        {"is": "receipt", "receipt": answer.receipt, "durations": asdict(durations)}
                    )
            self.over.set()
        except PeerRefused as refused:
            self.fail(str(refused), permanent=refused.permanent, kind=refused.kind)
        except DestinationFull:
            self.fail("destination full", kind="full")
        except (
            Exception
        ) as error:  # whatever it is, the sender must hear that this attempt is over; the cause is ours to log
            log.error("a transfer could not be stored: %s", type(error).__name__, exc_info=error)
            self.fail("the transfer could not be stored; this gateway's log says why")

    def _hash_plain(self) -> bytes:
        digest = blake3()
        for start in range(0, self.manifest.plain_size, HASH_PIECE):
            digest.update(self._plain.read(start, min(start + HASH_PIECE, self.manifest.plain_size)))
        return digest.digest()

    def _sync(self, classified_digest: bytes) -> tuple[BlobRef, BlobRef, BlobRef]:
        self._plain.sync()
        self._sealed.write(tail(classified_digest, self.manifest.spans))
        sealed = self._sealed.finish()
        manifest = self._deps.blobs.new_sealed(owner=self.manifest.transfer_id, purpose="manifest")
        manifest.write(canonical.dumps(self.manifest.head))
        manifest_ref = manifest.finish()
        self._deps.blobs.sync_folder()
        return self._plain.ref(self.manifest.plain_size), sealed, manifest_ref

    async def _commit(self, plain: BlobRef, sealed: BlobRef, manifest_blob: BlobRef) -> str:
        manifest, deps = self.manifest, self._deps
        received_at_ns = now_ns()
        receipt = Receipt.of(
            manifest,
            sender_pin=self._sender_pin,
            receiver=deps.name,
            receiver_pin=deps.identity.pin,
            announced_at_ns=self._announced_at_ns,
            received_at_ns=received_at_ns,
        ).sign(deps.identity.receipt_key)
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
                sender_name=manifest.sender,
                mode=self.attempt.plan.mode,
                recipients=manifest.recipients,
                receipt=receipt,
                deadline_at_ns=manifest.deadline_at_ns,
                marks=[(self.attempt.number, mark.name, mark.channel, mark.at_ns) for mark in self.marks.taken],
                now_ns=received_at_ns,
            )
            if unknown:
                raise PeerRefused(_unknown_recipients(unknown, deps.name), permanent=True, kind="unknown-recipient")
        return receipt

    _sender_pin: str = ""

    def seen_from(self, pin: str) -> None:
        """Which of the peer's keys brought this attempt; the receipt names it."""
        self._sender_pin = pin

    # --- how it ends -----------------------------------------------------------------------------------------------

    async def answers(self) -> AsyncIterator[dict[str, Any]]:
        """What the sender is told, in order: verified, then receipt; or that it failed, and why."""
        while True:
            answer = await self._answers.get()
            yield answer
            if answer["is"] != "verified":
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
            if self._deps.plain.is_open(self.attempt.handle):
                with suppress(PlainListenerLost):
                    await self._deps.plain.fence(self.attempt.handle, self.core.chunks.count)
            self._plain.discard()
            self._sealed.discard()

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


def _unknown_recipients(names: Sequence[str], gateway: str) -> str:
    listed = ", ".join(names)
    return f"nobody named {listed} can receive at {gateway}; check the name with its admin"


@dataclass(slots=True)
class Receivings:
    """The attempts under way, by peer and transfer; and whether a new one may begin."""

    deps: Deps
    _open: dict[tuple[str, str], Receiving] = field(default_factory=dict)
    _by_handle: dict[str, Receiving] = field(default_factory=dict)
    _supervisions: dict[tuple[str, str], asyncio.Task[None]] = field(default_factory=dict)

    def by_handle(self, peer: Peer, handle: str) -> Receiving | None:
        """The attempt of `peer` with that handle."""
        found = self._by_handle.get(handle)
        return found if found is not None and found.peer.id == peer.id else None

    async def begin(self, opening: Opening, peer: Peer, pin: str) -> Receiving | str:
        """A begun attempt, or the stored receipt of a transfer that was delivered before.

        Raises:
            PeerRefused: it may not begin, with the reason.
        """
        manifest = opening.manifest
        key = (peer.id, manifest.transfer_id)
        async with self.deps.database.read() as session:
            stored = await inbox_queries.stored_receipt(session, peer.id, manifest.transfer_id)
            unknown = await inbox_queries.unknown_recipients(session, manifest.recipients)
        if stored is None and unknown:
            raise PeerRefused(_unknown_recipients(unknown, self.deps.name), permanent=True, kind="unknown-recipient")
        # Nothing awaits from here to where the new attempt is entered: two openings cannot both be let in.
        current = self._open.get(key)
        decision = receiver.admit(
            opening,
            receiver.Known(
                delivered_manifest_digest=stored.manifest_digest if stored else None,
                stored_receipt=stored.receipt if stored else None,
                open_attempt=current.attempt.number if current else None,
                open_manifest_digest=current.manifest.digest if current else None,
                handle_in_use=opening.attempt.handle in self._by_handle,
                open_transfers=sum(1 for peer_id, _ in self._open if peer_id == peer.id),
            ),
            self.deps.settings.limits,
            now_ns(),
        )
        if isinstance(decision, receiver.RepeatReceipt):
            return decision.receipt
        if isinstance(decision, receiver.Decline):
            raise PeerRefused(decision.reason, permanent=decision.permanent, kind=decision.kind)
        under_way = sum(r.manifest.size for (peer_id, _), r in self._open.items() if peer_id == peer.id)
        if under_way + manifest.size > self.deps.settings.quota:
            raise PeerRefused("this gateway's quota for transfers under way is used up", permanent=False, kind="full")
        receiving = Receiving(opening, peer, self.deps)
        receiving.seen_from(pin)
        self._open[key] = receiving
        self._by_handle[opening.attempt.handle] = receiving
        older = self._supervisions.get(key)
        self._supervisions[key] = asyncio.create_task(self._supervise(key, receiving))
        if current is not None and older is not None:
            if not current.committing:
                current.fail("a newer attempt took over")
            await asyncio.wait([older])
            if current.failure is None:
                # It was being committed: that delivery stands, and its receipt is the answer.
                receiving.fail("delivered by an earlier attempt")
                async with self.deps.database.read() as session:
                    stored = await inbox_queries.stored_receipt(session, peer.id, manifest.transfer_id)
                if stored is None:
                    raise PeerRefused("the earlier attempt is gone", permanent=False)
                return stored.receipt
        await receiving.begin()
        return receiving

    async def _supervise(self, key: tuple[str, str], receiving: Receiving) -> None:
        try:
            await receiving.supervise()
        finally:
            if self._open.get(key) is receiving:
                del self._open[key]
                del self._supervisions[key]
            self._by_handle.pop(receiving.attempt.handle, None)

    def peers_under_way(self) -> set[str]:
        """The ids of peers with an attempt under way."""
        return {peer_id for peer_id, _ in self._open}

    def drop(self, peer_id: str, reason: str) -> None:
        """Ends every attempt of a peer."""
        for (owner, _), receiving in list(self._open.items()):
            if owner == peer_id and not receiving.committing:
                receiving.fail(reason, permanent=True)

    async def settle(self) -> None:
        """Ends every attempt, and returns once those that were being committed are."""
        for receiving in list(self._open.values()):
            if not receiving.committing:
                receiving.fail("this gateway is shutting down")
        if self._supervisions:
            await asyncio.wait(list(self._supervisions.values()))

    def held(self, receiving: Receiving) -> list[list[int]]:
        """The plain chunks that an attempt holds, as ranges."""
        return to_ranges(receiving.core.held)
