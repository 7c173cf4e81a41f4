"""The outbox worker: claims transfers that are due, carries each through an attempt, and settles how it ended.

The law: a claim is a lease with a token; every later write names the token and fails if somebody else holds it by then.
Whatever happens to an attempt ends as one of: delivered, tried again at a told time, failed for good with a reason.
"""

import asyncio
import functools
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from sieve.channel.attempt import Attempt
from sieve.channel.errors import ReceiptInvalid
from sieve.channel.manifest import Manifest
from sieve.channel.receipt import verify
from sieve.channel.sender import Trust
from sieve.gateway.errors import PeerRefused, PeerUnreachable, UnfitPlan, WrongPeer
from sieve.gateway.fitted_plan import FittedPlan
from sieve.gateway.links import Link, Links
from sieve.gateway.marks import SECURE, Marks, now_ns
from sieve.gateway.outgoing import Outgoing
from sieve.gateway.peers import PEER_REMOVED, Peer, Peers
from sieve.gateway.planner.costs import Work
from sieve.gateway.planning import Planning
from sieve.gateway.progress import Progress, ProgressBus
from sieve.gateway.retry import backoff_s
from sieve.gateway.sending import Again, Delivered, Impossible, Outcome, Sending
from sieve.gateway.traces import connection_trace
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.database import Database
from sieve.store.models import Transfer
from sieve.store.queries import marks as mark_queries
from sieve.store.queries import outbox, peer_costs, settling

log = logging.getLogger(__name__)

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Times in seconds. A breaker stays open for `breaker_open_s`, but never longer than a transfer's own longest wait.

    `poll_s` is the floor: work is found even if nobody wakes the worker. `late_s`: how long a peer
    is asked whether a cancelled transfer was delivered all the same. `stop_s`: how long outcomes may take to be written
    down when the gateway ends.
    """

    lease_s: float = 30.0
    retry_first_s: float = 2.0
    retry_cap_s: float = 600.0
    plain_timeout_s: float = 10.0
    poll_s: float = 1.0
    at_once: int = 16
    breaker_after: int = 5
    breaker_open_s: float = 30.0
    late_s: float = 5.0
    stop_s: float = 3.0


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
    planning: Planning = field(default_factory=Planning)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _running: set["_Claim"] = field(default_factory=set)

    def wake(self) -> None:
        """Something may be due."""
        self._wake.set()

    def cancel(self, transfer_id: str) -> bool:
        """Ends the attempt under way at a transfer, unless the peer has every byte already: then False.

        The row says that its author wishes so: that counts where no attempt is under way, and after a crash.
        """
        claim = next((claim for claim in self._running if claim.transfer.id == transfer_id), None)
        if claim is None:
            return True
        if claim.sending is not None and claim.sending.verified:
            return False
        claim.cancelled = True
        if claim.attempt is not None:
            claim.attempt.cancel()
        return True

    async def run(self) -> None:
        """Claims and carries, `at_once` transfers at a time."""
        try:
            while True:
                self._wake.clear()
                free = self.settings.at_once - len(self._running)
                due_ns = await self._due_ns() if free > 0 else None
                # Looking is cheap, and disturbs nobody who writes.
                if due_ns is not None and due_ns <= now_ns():
                    for claim in await self._claim(free):
                        self._running.add(claim)
                        claim.carrying = asyncio.create_task(self._carry(claim))
                        claim.carrying.add_done_callback(functools.partial(self._ended, claim))
                    continue
                pause_s = self.settings.poll_s
                if due_ns is not None:
                    pause_s = min(pause_s, max(0.01, (due_ns - now_ns()) / NS_PER_S))
                # Not wait_for: until Python 3.12 it forgets a cancellation that meets what it waits for, and then this
                # never ends.
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause_s):
                        await self._wake.wait()
        finally:
            await self._stop()

    async def _stop(self) -> None:
        """Cuts every attempt short, and lets those that are being written down be finished."""
        carrying = {claim.carrying for claim in self._running if claim.carrying is not None}
        for claim in self._running:
            if claim.attempt is not None:
                claim.attempt.cancel()
        try:
            if carrying:
                await asyncio.wait(carrying, timeout=self.settings.stop_s)
        finally:
            for task in carrying:
                task.cancel()
            await asyncio.gather(*carrying, return_exceptions=True)

    def _ended(self, claim: "_Claim", task: asyncio.Task[None]) -> None:
        self._running.discard(claim)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("transfer %s: carrying it failed: %s", claim.transfer.id, type(error).__name__, exc_info=error)

    async def _due_ns(self) -> int | None:
        """When the next transfer is due; None if none is, or nobody can tell."""
        try:
            async with self.database.read() as session:
                return await outbox.next_due_ns(session)
        except Exception as error:  # the database may be busy or its disk full: look again after the floor
            log.warning("the outbox cannot be read just now: %s", error)
            return None

    async def _claim(self, most: int) -> "Sequence[_Claim]":
        token = secrets.token_hex(16)
        try:
            async with self.database.write() as session:
                transfers = await outbox.claim_due(
                    session, now_ns=now_ns(), lease_ns=int(self.settings.lease_s * NS_PER_S), token=token, most=most
                )
        except Exception as error:  # see _due_ns
            log.warning("the outbox cannot be claimed from just now: %s", error)
            # What is due would have us ask again at once, as often as the processor can.
            await asyncio.sleep(self.settings.poll_s)
            return ()
        return [_Claim(transfer, token) for transfer in transfers]

    # --- one attempt -----------------------------------------------------------------------------------------------

    async def _carry(self, claim: "_Claim") -> None:
        """From a claim to how it ended. What cuts an attempt short never cuts the writing down of its outcome."""
        claim.marks.at("claimed")
        claim.attempt = asyncio.create_task(self._attempt(claim))
        if claim.cancelled:
            claim.attempt.cancel()
        renewing = asyncio.create_task(self._renew(claim))
        try:
            await asyncio.wait([claim.attempt])
            outcome = await self._outcome(claim, claim.attempt)
            if outcome is not None:
                await self._settle(claim, outcome)
        finally:
            claim.attempt.cancel()
            renewing.cancel()

    async def _outcome(self, claim: "_Claim", attempt: asyncio.Task[Outcome]) -> "Outcome | _Cancelled | None":
        """How the attempt ended; None if that is for another to find out: the lease is lost, or we are stopping."""
        if claim.lost:
            return None
        if attempt.cancelled():
            if not claim.cancelled:
                return None
            late = await self._late_receipt(claim)
            return Delivered(late, None) if late is not None else _Cancelled()
        match attempt.exception():
            case None:
                return attempt.result()
            case BlobDamaged() as damaged:
                return Impossible(f"the stored document cannot be read: {damaged}")
            case error:  # a defect must not leave the transfer without a word; the log has the cause
                log.error(
                    "transfer %s: the attempt failed: %s", claim.transfer.id, type(error).__name__, exc_info=error
                )
                return Again("this gateway failed while sending; its log says why")

    async def _renew(self, claim: "_Claim") -> None:
        lease_ns = int(self.settings.lease_s * NS_PER_S)
        while True:
            await asyncio.sleep(self.settings.lease_s / 3)
            with suppress(Exception):  # the database may be busy; the next renewal comes before the lease ends
                async with self.database.write() as session:
                    held = await settling.renew(session, claim.transfer.id, claim.token, now_ns() + lease_ns)
                if not held:
                    if claim.attempt is not None and not claim.attempt.done():
                        log.warning("transfer %s: the lease was lost; leaving it to who holds it", claim.transfer.id)
                        claim.lost = True
                        claim.attempt.cancel()
                    return

    async def _attempt(self, claim: "_Claim") -> Outcome:
        transfer, marks = claim.transfer, claim.marks
        overdue: Impossible | None = None
        if transfer.deadline_at_ns <= now_ns():
            overdue = Impossible(f"the deadline has passed; last: {transfer.reason or 'it could not be tried in time'}")
        peer = self.peers.by_id(transfer.peer_id)
        if peer is None:
            return Impossible(PEER_REMOVED)
        if not peer.active:
            return overdue or Again("the pairing with the peer is not confirmed")
        async with self.database.read() as session:
            stored = await outbox.to_send(session, transfer.id)
        if stored.cancel_requested:
            # Asked for before this claim could be found by `cancel`, or before a crash.
            claim.cancelled = True
            raise asyncio.CancelledError
        outgoing = Outgoing.of(self.blobs, stored)
        manifest = outgoing.manifest
        trust = Trust(self.our_pin, peer.pins, peer.receipt_key)
        link = self.links.to(peer)
        try:
            if transfer.attempt > 1:
                earlier = await self._earlier_receipt(link, manifest, trust)
                if earlier is not None:
                    return Delivered(earlier, None)
            prepared = overdue or await self._prepare(transfer, outgoing, peer, link, marks)
            if isinstance(prepared, Impossible):
                return prepared
        except PeerRefused as refused:
            link.forget()
            return overdue or (Impossible(str(refused)) if refused.permanent else Again(str(refused)))
        except (PeerUnreachable, WrongPeer) as lost:
            link.forget()
            return overdue or Again(str(lost), unreachable=True)
        claim.plan, claim.work = prepared, Work(manifest.classified_size, manifest.plain_size)
        marks.at("splitting")
        attempt = Attempt(
            transfer_id=transfer.id,
            number=transfer.attempt,
            handle=secrets.token_hex(16),
            plain_key=secrets.token_bytes(32),
            plan=prepared.plan,
        )
        claim.sending = Sending(
            manifest,
            attempt,
            outgoing.document,
            link,
            trust,
            marks,
            functools.partial(self.bus.publish, author_id=transfer.author_id),
            plain_timeout_s=self.settings.plain_timeout_s,
        )
        claim.ask_late = functools.partial(self._abandon, link, attempt, manifest, trust)
        marks.at("split")
        outcome = await claim.sending.run()
        if isinstance(outcome, Again):
            link.forget()
        return outcome

    async def _late_receipt(self, claim: "_Claim") -> str | None:
        """The receipt, if the author's wish to cancel came too late: what was delivered was delivered."""
        if claim.ask_late is None:
            return None
        try:
            async with asyncio.timeout(self.settings.late_s):
                return await claim.ask_late()
        except (TimeoutError, PeerRefused, PeerUnreachable, WrongPeer):
            return None

    async def _abandon(self, link: Link, attempt: Attempt, manifest: Manifest, trust: Trust) -> str | None:
        """Tells the peer that the attempt is given up; the receipt, if it had everything by then."""
        with suppress(PeerRefused):  # it knows nothing of it, any more or yet
            await link.ask("DELETE", f"/v1/attempts/{attempt.handle}")
        return await self._earlier_receipt(link, manifest, trust)

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
    ) -> Impossible | FittedPlan:
        """Greets the peer, over the connection that the secure stream then uses; sees that, and how, it can take the
        document.
        """
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
        try:
            return await self.planning.plan(self.database, transfer, outgoing, hello, marks)
        except UnfitPlan as unfit:
            return Impossible(str(unfit))

    # --- how it ended ----------------------------------------------------------------------------------------------

    async def _settle(self, claim: "_Claim", outcome: "Outcome | _Cancelled") -> None:
        """Writes the outcome down, if need be again and again while the lease lasts: losing it costs one more claim."""
        if isinstance(outcome, Again) and self.peers.by_id(claim.transfer.peer_id) is None:
            outcome = Impossible(PEER_REMOVED)
        self._learn(claim, outcome)
        tries = claim.transfer.fruitless_tries + 1
        wait_s = backoff_s(tries, self.settings.retry_first_s, self.settings.retry_cap_s, self.draw)
        loop = asyncio.get_running_loop()
        until = loop.time() + self.settings.lease_s
        while True:
            try:
                await self._write(claim, outcome, now_ns() + int(wait_s * NS_PER_S))
                return
            except Exception as error:  # see _due_ns
                if loop.time() >= until:
                    raise
                log.warning("transfer %s: how it went cannot be stored just now: %s", claim.transfer.id, error)
                await asyncio.sleep(self.settings.poll_s)

    def _learn(self, claim: "_Claim", outcome: "Outcome | _Cancelled") -> None:
        """Every delivery teaches the planner what its way takes."""
        if isinstance(outcome, Delivered) and claim.plan is not None and claim.work is not None:
            claim.believed = self.planning.learn(
                claim.transfer.peer_id, claim.work, claim.plan.plan, claim.marks, outcome.durations, now_ns()
            )

    async def _write(self, claim: "_Claim", outcome: "Outcome | _Cancelled", next_ns: int) -> None:
        transfer, token, marks = claim.transfer, claim.token, claim.marks
        now = now_ns()
        done = Progress(transfer.id, "queued")
        cipher = claim.sending.cipher if claim.sending is not None else None
        plan = json.dumps(claim.plan.to_json() | {"cipher": cipher}) if claim.plan is not None else None
        tried = settling.Tried(plan, marks.first("verified-heard"))
        async with self.database.write() as session:
            if isinstance(outcome, Again):
                row = await session.get_one(Transfer, transfer.id, populate_existing=True)
                if row.cancel_requested:
                    outcome = _Cancelled()
            match outcome:
                case Delivered(receipt, durations):
                    held = await settling.settle_delivered(
                        session,
                        transfer.id,
                        token,
                        receipt=receipt,
                        now_ns=now,
                        receiver_durations=json.dumps(asdict(durations)) if durations else None,
                        tried=tried,
                    )
                    await settling.breaker_succeeded(session, transfer.peer_id)
                    if claim.believed is not None:
                        await peer_costs.keep(session, transfer.peer_id, claim.believed, now)
                    done = Progress(transfer.id, "delivered", verified=True)
                case Again(reason, unreachable):
                    if next_ns >= transfer.deadline_at_ns:
                        # One more try right at the deadline tells the last reason.
                        next_ns = max(now, transfer.deadline_at_ns)
                    held = await settling.settle_retry(
                        session, transfer.id, token, next_try_at_ns=next_ns, reason=reason, now_ns=now, tried=tried
                    )
                    if unreachable:
                        await settling.breaker_failed(
                            session,
                            transfer.peer_id,
                            now_ns=now,
                            after=self.settings.breaker_after,
                            open_ns=int(min(self.settings.breaker_open_s, self.settings.retry_cap_s) * NS_PER_S),
                        )
                    else:
                        await settling.breaker_succeeded(session, transfer.peer_id)
                    done = Progress(transfer.id, "queued", reason=reason, next_try_at_ns=next_ns)
                case Impossible(reason):
                    held = await settling.settle_failed(
                        session, transfer.id, token, reason=reason, now_ns=now, tried=tried
                    )
                    done = Progress(transfer.id, "failed", reason=reason)
                case _Cancelled():
                    held = await settling.settle_cancelled(session, transfer.id, token, now_ns=now, tried=tried)
                    done = Progress(transfer.id, "cancelled")
            if held:
                taken = [(transfer.attempt, mark.name, mark.channel, mark.at_ns) for mark in marks.taken]
                await mark_queries.add(session, transfer.id, "sender", taken)
        if not held:
            log.warning("transfer %s: the lease was lost; what this attempt found is left out", transfer.id)
            return
        self.bus.publish(done, transfer.author_id)
        if isinstance(outcome, Again | Impossible):
            log.info("transfer %s, attempt %d: %s", transfer.id, transfer.attempt, outcome.reason)


@dataclass(slots=True, eq=False)
class _Claim:
    """A claimed transfer, from its claim to how it ended."""

    transfer: Transfer
    token: str
    marks: Marks = field(default_factory=Marks)
    carrying: asyncio.Task[None] | None = None
    attempt: asyncio.Task[Outcome] | None = None
    plan: FittedPlan | None = None
    work: Work | None = None
    sending: Sending | None = None
    ask_late: Callable[[], Awaitable[str | None]] | None = None
    believed: str | None = None
    """What the planner believes of the peer since, if it is time to keep it."""
    cancelled: bool = False
    """Its author asked to end it."""
    lost: bool = False
    """Another holds it by now."""


@dataclass(frozen=True, slots=True)
class _Cancelled:
    """Ended, as its author asked."""
