"""The outbox worker: claims transfers that are due, carries each through an attempt, and settles how it ended.

The law: a claim is a lease with a token; every later write names the token and fails if somebody else holds it by then.
Whatever happens to an attempt ends as one of: delivered, tried again at a told time, failed for good with a reason.
"""

import asyncio
import functools
import json
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from sieve.channel.attempt import Attempt, Mode, Plan
from sieve.channel.errors import ReceiptInvalid
from sieve.channel.manifest import Manifest
from sieve.channel.receipt import verify
from sieve.channel.sender import Trust
from sieve.gateway.errors import PeerRefused, PeerUnreachable, WrongPeer
from sieve.gateway.links import Link, Links
from sieve.gateway.marks import SECURE, Marks, now_ns
from sieve.gateway.outgoing import Outgoing, load
from sieve.gateway.peers import Peer, Peers
from sieve.gateway.progress import Progress, ProgressBus
from sieve.gateway.retry import backoff_s
from sieve.gateway.sending import Again, Delivered, Impossible, Outcome, Sending, connection_trace
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.database import Database
from sieve.store.models import Transfer
from sieve.store.queries import marks as mark_queries
from sieve.store.queries import outbox

log = logging.getLogger(__name__)

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Times in seconds. `poll_s` is the floor: work is found even if nobody wakes the worker."""

    lease_s: float = 30.0
    retry_first_s: float = 2.0
    retry_cap_s: float = 600.0
    poll_s: float = 1.0
    at_once: int = 8
    breaker_after: int = 5
    breaker_open_s: float = 30.0


@dataclass(slots=True)
class OutboxWorker:
    """`run` it until cancelled; `wake` it when something was queued."""

    database: Database
    blobs: BlobStore
    peers: Peers
    links: Links
    bus: ProgressBus
    our_pin: str
    settings: WorkerSettings
    draw: Callable[[], float]
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _running: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _sendings: dict[str, Sending] = field(default_factory=dict)
    _cancelled: set[str] = field(default_factory=set)

    def wake(self) -> None:
        """Something may be due."""
        self._wake.set()

    def cancel(self, transfer_id: str) -> bool:
        """Ends the attempt under way at a transfer, unless the peer has every byte already."""
        task, sending = self._running.get(transfer_id), self._sendings.get(transfer_id)
        if task is None or (sending is not None and sending.verified):
            return False
        self._cancelled.add(transfer_id)
        task.cancel()
        return True

    async def run(self) -> None:
        """Claims and carries, `at_once` transfers at a time."""
        try:
            while True:
                self._wake.clear()
                claimed = await self._claim() if len(self._running) < self.settings.at_once else None
                if claimed is not None:
                    task = asyncio.create_task(self._carry(*claimed))
                    self._running[claimed[0].id] = task
                    task.add_done_callback(functools.partial(self._ended, claimed[0].id))
                    continue
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), await self._pause_s())
        finally:
            for task in self._running.values():
                task.cancel()
            if self._running:
                await asyncio.wait(list(self._running.values()))

    def _ended(self, transfer_id: str, _task: asyncio.Task[None]) -> None:
        self._running.pop(transfer_id, None)
        self._sendings.pop(transfer_id, None)
        self._wake.set()

    async def _pause_s(self) -> float:
        """Until the next transfer is due, at most the polling floor."""
        try:
            async with self.database.read() as session:
                due_ns = await outbox.next_due_ns(session)
        except Exception as error:  # the database may be busy or its disk full: look again after the floor
            log.warning("the outbox cannot be read just now: %s", error)
            return self.settings.poll_s
        if due_ns is None or len(self._running) >= self.settings.at_once:
            return self.settings.poll_s
        return min(self.settings.poll_s, max(0.01, (due_ns - now_ns()) / NS_PER_S))

    async def _claim(self) -> tuple[Transfer, str] | None:
        token = secrets.token_hex(16)
        try:
            async with self.database.write() as session:
                transfer = await outbox.claim_next(
                    session, now_ns=now_ns(), lease_ns=int(self.settings.lease_s * NS_PER_S), token=token
                )
        except Exception as error:  # see _pause_s
            log.warning("the outbox cannot be claimed from just now: %s", error)
            return None
        return (transfer, token) if transfer is not None else None

    # --- one attempt -----------------------------------------------------------------------------------------------

    async def _carry(self, transfer: Transfer, token: str) -> None:
        renewing = asyncio.create_task(self._renew(transfer.id, token))
        marks = Marks()
        marks.at("claimed")
        try:
            try:
                outcome = await self._attempt(transfer, token, marks)
            except asyncio.CancelledError:
                if transfer.id in self._cancelled:
                    self._cancelled.discard(transfer.id)
                    await self._settle_cancelled(transfer, token)
                raise
            except BlobDamaged as damaged:
                outcome = Impossible(f"the stored document cannot be read: {damaged}")
            except Exception as error:  # a defect must not leave the transfer without a word; the log has the cause
                log.error("transfer %s: the attempt failed: %s", transfer.id, type(error).__name__, exc_info=error)
                outcome = Again("this gateway failed while sending; its log says why")
            await self._settle(transfer, token, marks, outcome)
        finally:
            renewing.cancel()

    async def _renew(self, transfer_id: str, token: str) -> None:
        lease_ns = int(self.settings.lease_s * NS_PER_S)
        while True:
            await asyncio.sleep(self.settings.lease_s / 3)
            with suppress(Exception):  # the database may be busy; the next renewal comes before the lease ends
                async with self.database.write() as session:
                    held = await outbox.renew(session, transfer_id, token, now_ns() + lease_ns)
                if not held:
                    log.warning("transfer %s: the lease was lost; leaving it to who holds it", transfer_id)
                    task = self._running.get(transfer_id)
                    if task is not None:
                        task.cancel()
                    return

    async def _attempt(self, transfer: Transfer, token: str, marks: Marks) -> Outcome:
        if transfer.deadline_at_ns <= now_ns():
            reason = transfer.reason or "it could not be tried in time"
            return Impossible(f"the deadline has passed; last: {reason}")
        peer = self.peers.by_id(transfer.peer_id)
        if peer is None or not peer.active:
            return Again("the peer is not paired any more")
        plan = Plan(_mode(transfer.mode))
        async with self.database.write() as session:
            await outbox.note_plan(session, transfer.id, token, json.dumps(plan.to_json()))
        async with self.database.read() as session:
            outgoing = await load(session, self.blobs, transfer)
        manifest = outgoing.manifest
        trust = Trust(self.our_pin, peer.pins, peer.receipt_key)
        link = self.links.to(peer)
        try:
            if transfer.attempt > 1:
                earlier = await self._earlier_receipt(link, manifest, trust)
                if earlier is not None:
                    return Delivered(earlier, None)
            refusal = await self._prepare(transfer, outgoing, peer, link, marks)
            if refusal is not None:
                return refusal
        except PeerRefused as refused:
            link.forget()
            return Impossible(str(refused)) if refused.permanent else Again(str(refused))
        except (PeerUnreachable, WrongPeer) as lost:
            link.forget()
            return Again(str(lost), unreachable=True)
        marks.at("splitting")
        attempt = Attempt(
            transfer_id=transfer.id,
            number=transfer.attempt,
            handle=secrets.token_hex(16),
            plain_key=secrets.token_bytes(32),
            plan=plan,
        )
        sending = Sending(manifest, attempt, outgoing.document, link, trust, marks, self.bus.publish)
        marks.at("split")
        self._sendings[transfer.id] = sending
        outcome = await sending.run()
        if isinstance(outcome, Again):
            link.forget()
        return outcome

    async def _earlier_receipt(self, link: Link, manifest: Manifest, trust: Trust) -> str | None:
        """The receipt of an earlier attempt, if the peer has delivered the transfer and only its word was lost."""
        text = await link.receipt(manifest.transfer_id)
        if text is None:
            return None
        try:
            receipt = verify(text, trust.receipt_key)
            receipt.check(manifest, sender_pin=receipt.sender_pin, receiver_pin=receipt.receiver_pin)
        except ReceiptInvalid as error:
            raise PeerRefused(
                f"{link.peer.name} has a receipt that does not count: {error}", permanent=False
            ) from error
        return text

    async def _prepare(
        self, transfer: Transfer, outgoing: Outgoing, peer: Peer, link: Link, marks: Marks
    ) -> Impossible | None:
        """Greets the peer, over the connection that the secure stream then uses; sees that it can take the document."""
        hello = await link.hello(connection_trace(marks, SECURE))
        if outgoing.manifest.size > hello.max_document_bytes:
            return Impossible(
                f"the document has {outgoing.manifest.size} bytes; {peer.name} takes at most {hello.max_document_bytes}"
            )
        if not transfer.recipients_checked:
            names = list(outgoing.manifest.recipients)
            known = {recipient.name for recipient in await link.recipients(names)}
            unknown = [name for name in names if name not in known]
            if unknown:
                return Impossible(f"nobody named {', '.join(unknown)} can receive at {peer.name}")
        return None

    # --- how it ended ----------------------------------------------------------------------------------------------

    async def _settle(self, transfer: Transfer, token: str, marks: Marks, outcome: Outcome) -> None:
        """Writes the outcome down, however long the database makes us wait: losing it would cost a second sending."""
        tries = transfer.fruitless_tries + 1
        wait_s = backoff_s(tries, self.settings.retry_first_s, self.settings.retry_cap_s, self.draw)
        while True:
            try:
                await self._write(transfer, token, marks, outcome, now_ns() + int(wait_s * NS_PER_S))
                return
            except Exception as error:  # see _pause_s
                log.warning("transfer %s: how it went cannot be stored just now: %s", transfer.id, error)
                await asyncio.sleep(self.settings.poll_s)

    async def _write(self, transfer: Transfer, token: str, marks: Marks, outcome: Outcome, next_ns: int) -> None:
        now = now_ns()
        done = Progress(transfer.id, "queued")
        async with self.database.write() as session:
            match outcome:
                case Delivered(receipt, durations):
                    held = await outbox.settle_delivered(
                        session,
                        transfer.id,
                        token,
                        receipt=receipt,
                        now_ns=now,
                        receiver_durations=json.dumps(asdict(durations)) if durations else None,
                    )
                    await outbox.breaker_succeeded(session, transfer.peer_id)
                    done = Progress(transfer.id, "delivered", verified=True)
                case Again(reason, unreachable):
                    if next_ns >= transfer.deadline_at_ns:
                        # One more try right at the deadline tells the last reason.
                        next_ns = max(now, transfer.deadline_at_ns)
                    held = await outbox.settle_retry(
                        session, transfer.id, token, next_try_at_ns=next_ns, reason=reason, now_ns=now
                    )
                    if unreachable:
                        await outbox.breaker_failed(
                            session,
                            transfer.peer_id,
                            now_ns=now,
                            after=self.settings.breaker_after,
                            open_ns=int(self.settings.breaker_open_s * NS_PER_S),
                        )
                    else:
                        await outbox.breaker_succeeded(session, transfer.peer_id)
                    done = Progress(transfer.id, "queued", reason=reason, next_try_at_ns=next_ns)
                case Impossible(reason):
                    held = await outbox.settle_failed(session, transfer.id, token, reason=reason, now_ns=now)
                    done = Progress(transfer.id, "failed", reason=reason)
            if held:
                taken = [(transfer.attempt, mark.name, mark.channel, mark.at_ns) for mark in marks.taken]
                await mark_queries.add(session, transfer.id, "sender", taken)
        if not held:
            log.warning("transfer %s: the lease was lost; what this attempt found is left out", transfer.id)
            return
        self.bus.publish(done)
        if isinstance(outcome, Again | Impossible):
            log.info("transfer %s, attempt %d: %s", transfer.id, transfer.attempt, outcome.reason)

    async def _settle_cancelled(self, transfer: Transfer, token: str) -> None:
        async with self.database.write() as session:
            await outbox.settle_cancelled(session, transfer.id, token, now_ns=now_ns())
        self.bus.publish(Progress(transfer.id, "cancelled"))


def _mode(text: str) -> Mode:
    return "secure-only" if text == "secure-only" else "sieve"
