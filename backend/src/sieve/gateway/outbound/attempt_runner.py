"""Carrying claimed transfers through one attempt: asking what the peer has, how it takes what we have, and sending it.

The law: whatever is found out about one document ends that one alone; whatever is found out about the peer ends all.
Several go in one exchange only if all of them may begin; a document that is being tried again goes alone.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sieve.channel.attempt import Attempt
from sieve.channel.chunks import COMMON_CHUNK
from sieve.channel.errors import BadManifest, ReceiptInvalid
from sieve.channel.held import NOTHING, Held
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest
from sieve.channel.plain_patience import PlainPatience
from sieve.channel.receipt import verify
from sieve.channel.sender import Trust
from sieve.core.utc import utc
from sieve.gateway.clock import Clock
from sieve.gateway.errors import PeerRefused, PeerUnreachable, UnfitPlan, UnreadableNow, WrongPeer
from sieve.gateway.outbound.claims import Claim, Group, Traces
from sieve.gateway.outbound.fitted_plan import FittedPlan
from sieve.gateway.outbound.left_behind_edition import left_behind, why_left
from sieve.gateway.outbound.outcomes import Cancelled, Delivered, Outcome, PermanentFailure, Retry
from sieve.gateway.outbound.outgoing import Outgoing
from sieve.gateway.outbound.planning import Planning, work_of
from sieve.gateway.outbound.sending import Sending
from sieve.gateway.peering.links import Hello, Link, Links
from sieve.gateway.peering.peers import PEER_REMOVED, Peer, Peers
from sieve.gateway.telemetry.progress import Progress, ProgressBus
from sieve.gateway.telemetry.timing import ReceiverDurations
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks
from sieve.gateway.telemetry.traces import connection_trace
from sieve.store.blobs import BlobDamaged, BlobStore
from sieve.store.database import Database
from sieve.store.errors import MasterKeyMissing
from sieve.store.queries import outbox

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A claim whose document can be read. `held`: what the peer has of it from earlier attempts."""

    claim: Claim
    outgoing: Outgoing
    held: Held = NOTHING


@dataclass(frozen=True, slots=True)
class AttemptRunner:
    """What an attempt needs. `late_s`: how long a peer is asked whether it has what was cancelled all the same."""

    database: Database
    blobs: BlobStore
    peers: Peers
    links: Links
    bus: ProgressBus
    our_pin: str
    planning: Planning
    plain_patience: PlainPatience
    late_s: float
    clock: Clock

    async def attempt(self, group: Group) -> None:
        """Gives outcomes to the group's claims that are under way: to all, or to as many as the peer takes at once.

        The peer is greeted over the connection that the secure stream then uses.
        """
        group.marks = TimingMarks()
        group.marks.at("claimed")
        claims = [claim for claim in group.claims if claim.is_under_way]
        peer = self.peers.by_id(group.peer_id)
        if peer is None or not peer.active:
            for claim in claims:
                claim.outcome = (
                    PermanentFailure(PEER_REMOVED)
                    if peer is None
                    else _overdue(claim, self.clock) or Retry("the pairing with the peer is not confirmed")
                )
            return
        ready = await self._ready(claims)
        if not ready:
            return
        link, trust = self.links.to(peer), Trust(self.our_pin, peer.pins, peer.receipt_key)
        try:
            if ready[0].claim.transfer.attempt > 1:
                ready = await self._not_delivered_before(ready, link, trust)
            ready = [each for each in ready if not _ended(each, _overdue(each.claim, self.clock))]
            if not ready:
                return
            # One that is kept may be out of date: the peer may have come back as another version since.
            is_old = link.has_hello and not group.greeted_anew
            hello = await link.hello(connection_trace(group.marks, SECURE))
            ready = await self._without_editions(ready, group.token, hello)
            ready = await self._taken(ready, peer, link, hello)
        except PeerRefused as refused:
            link.forget()
            final = refused.permanent and len(ready) == 1
            self._end_all(ready, PermanentFailure(str(refused)) if final else Retry.after(refused))
            return
        except (PeerUnreachable, WrongPeer) as lost:
            link.forget()
            self._end_all(ready, Retry(str(lost), unreachable=True))
            return
        ready = [each for each in ready if each.claim.is_under_way]
        # It may take fewer than was thought before it said so: the others go next.
        ready = ready[: min(max(1, hello.max_batch), hello.takes.at_once(_sizes(ready)))]
        if ready:
            sending = await self._send(group, ready, link, trust, hello)
            if is_old and sending is not None and sending.misfits:
                self._once_more(group, ready, link, sending)

    def _once_more(self, group: Group, ready: Sequence[_Ready], link: Link, sending: Sending) -> None:
        """What the peer refused by its old hello is under way again, and goes by a new one."""
        group.greeted_anew = True
        link.forget()
        for each in ready:
            if each.claim.transfer.id in sending.misfits and not isinstance(each.claim.outcome, Delivered):
                each.claim.outcome = None

    async def _ready(self, claims: Sequence[Claim]) -> list[_Ready]:
        """Those that can be read and are still wanted."""
        async with self.database.read() as session:
            stored = await outbox.to_send(session, [claim.transfer.id for claim in claims])
        ready = []
        for claim in claims:
            found = stored[claim.transfer.id]
            if found.cancel_requested:
                # Asked for before this claim could be found by `cancel`, or before a crash.
                claim.cancelled, claim.outcome = True, Cancelled()
                continue
            try:
                outgoing = await Outgoing.load(self.blobs, found)
                if outgoing.document.has_no_tags:
                    # All of it is compared before its first byte is read, which is too much for the event loop.
                    await asyncio.to_thread(outgoing.document.check_plain, 1)
                ready.append(_Ready(claim, outgoing))
            except BlobDamaged as damaged:
                claim.outcome = self.unreadable(claim, damaged)
            except OSError as error:
                log.error("transfer %s cannot be read: %s", claim.transfer.id, type(error).__name__, exc_info=error)
                claim.outcome = _overdue(claim, self.clock) or Retry(str(UnreadableNow(error)))
        return ready

    def unreadable(self, claim: Claim, damaged: BlobDamaged) -> Outcome:
        """How a transfer ends whose document cannot be read. One that only lacks its master key waits for that."""
        log.error("transfer %s cannot be read: %s", claim.transfer.id, damaged.for_log)
        reason = f"the stored document cannot be read: {damaged}"
        if isinstance(damaged, MasterKeyMissing):
            return _overdue(claim, self.clock) or Retry(reason)
        return PermanentFailure(reason)

    async def _not_delivered_before(self, ready: list[_Ready], link: Link, trust: Trust) -> list[_Ready]:
        """Those of which no earlier attempt was delivered, without our hearing of it; and what is held of them."""
        left = []
        for each in ready:
            manifest = each.outgoing.manifest
            text, held = await link.receipt_or_held(manifest, each.claim.transfer.attempt)
            receipt = _checked(text, link, manifest, trust)
            if receipt is None:
                each.claim.held = held
                left.append(replace(each, held=held))
            else:
                each.claim.outcome = Delivered(receipt, None)
        return left

    async def _without_editions(self, ready: list[_Ready], token: str, hello: Hello) -> list[_Ready]:
        """Them all; those whose redacted editions the peer does not take go without. Who is not ours any more, is not
        among them."""
        left: list[_Ready] = []
        for each in ready:
            why = why_left(each.outgoing.manifest, hello)
            outgoing = each.outgoing
            if why is not None:
                without = await left_behind(self.database, self.blobs, outgoing, token, why)
                if without is None:
                    each.claim.lost = True
                    continue
                outgoing = without
            # What is held is held of the manifest that was asked for.
            left.append(each if outgoing is each.outgoing else _Ready(each.claim, outgoing))
        return left

    async def _taken(self, ready: list[_Ready], peer: Peer, link: Link, hello: Hello) -> list[_Ready]:
        """Those that the peer takes, by its hello and by what it says of their recipients."""
        unchecked = {
            name
            for each in ready
            if not each.claim.transfer.recipients_checked
            for name in each.outgoing.manifest.recipients
        }
        known = {found.name for found in await link.recipients(sorted(unchecked))} if unchecked else set()
        left = []
        for each in ready:
            size, recipients = each.outgoing.manifest.carried_size, each.outgoing.manifest.recipients
            unknown = [name for name in recipients if name in unchecked - known]
            if size > hello.max_document_bytes:
                most = hello.max_document_bytes
                each.claim.outcome = PermanentFailure(
                    f"the document has {size} bytes; {peer.name} takes at most {most}"
                )
            elif unknown:
                each.claim.outcome = PermanentFailure(f"nobody named {', '.join(unknown)} can receive at {peer.name}")
            else:
                left.append(each)
        return left

    async def _send(self, group: Group, ready: list[_Ready], link: Link, trust: Trust, hello: Hello) -> Sending | None:
        """Sends them together; if they are too much for one exchange, the first one alone. None if nothing was sent."""
        marks = group.marks
        first = ready[0].claim.transfer
        try:
            outgoing: list[Outgoing] = []
            # One may be cancelled meanwhile, and a plan is for as many as it was made for.
            while ready and len(outgoing) != len(ready):
                outgoing = [each.outgoing for each in ready]
                fitted = await self.planning.plan(self.database, first, outgoing, hello, marks, time.monotonic_ns())
                ready = [each for each in ready if each.claim.is_under_way]
            if not ready:
                return None
            marks.at("splitting")
            resumes = hello.resumes and len(ready) == 1 and fitted.plan.split == "range"
            held = ready[0].held if resumes else NOTHING
            load = Load(tuple(each.manifest for each in outgoing), held)
            attempt = Attempt(
                secrets.token_hex(16),
                secrets.token_bytes(32),
                fitted.plan,
                tuple(each.claim.transfer.attempt for each in ready),
                # Where a link breaks, each break costs the chunks under way.
                COMMON_CHUNK if held else hello.max_chunk,
                held,
            )
            fitted.plan.check_spans(load.spans)
            authors = {each.claim.transfer.id: each.claim.transfer.author_id for each in ready}

            def publish(progress: Progress) -> None:
                self.bus.publish(progress, authors[progress.transfer_id])

            documents = [each.document for each in outgoing]
            sending = Sending(load, attempt, documents, link, trust, marks, publish, self.plain_patience)
        except (UnfitPlan, BadManifest, ValueError) as unfit:
            if len(ready) > 1:
                return await self._send(group, ready[:1], link, trust, hello)
            ready[0].claim.outcome = PermanentFailure(str(unfit))
            return None
        path = f"/v1/attempts/{attempt.handle}"
        for each in ready:
            each.claim.left_out = held.size
            own = f"{path}?transfer={each.claim.transfer.id}" if load.is_batch else path
            each.claim.plan, each.claim.traces = fitted, Traces(link, each.outgoing.manifest, trust, own)
        marks.at("split")
        group.sending = sending
        try:
            outcomes = await sending.run()
        finally:
            self._note(group, ready, sending)
        await self._check_ours(ready, sending)
        if sending.moved or any(isinstance(each, Retry) and each.off_plain for each in outcomes.values()):
            self.planning.plain_failed(group.peer_id, time.monotonic_ns())
        else:
            self._learn(group, outgoing, fitted, outcomes)
        if any(isinstance(outcome, Retry) for outcome in outcomes.values()):
            link.forget()
        return sending

    async def _check_ours(self, ready: Sequence[_Ready], sending: Sending) -> None:
        """A peer that got other bytes than were announced is not to blame if ours changed: then no attempt helps."""
        for each in ready:
            claim = each.claim
            if claim.transfer.id not in sending.disputed or not isinstance(claim.outcome, Retry):
                continue
            try:
                await asyncio.to_thread(each.outgoing.check_plain)
                reason = f"{claim.outcome.reason}; this gateway's stored file of it is unchanged"
                claim.outcome = replace(claim.outcome, reason=reason)
            except BlobDamaged as damaged:
                claim.outcome = self.unreadable(claim, damaged)
            except OSError as error:
                log.warning("transfer %s cannot be compared just now: %s", claim.transfer.id, error.strerror)

    def _note(self, group: Group, ready: Sequence[_Ready], sending: Sending) -> None:
        """What was found out, however it ended."""
        group.sending = None
        for each in ready:
            claim = each.claim
            heard_ns = sending.receipts_ns.get(claim.transfer.id)
            own = TimingMarks()
            if heard_ns is not None:
                own.at("receipt-heard", at_ns=heard_ns)
            claim.marks, claim.cipher = [*group.marks.taken, *own.taken], sending.cipher
            if not claim.cancelled:
                claim.outcome = sending.outcomes.get(claim.transfer.id)
            elif isinstance(delivered := sending.outcomes.get(claim.transfer.id), Delivered):
                claim.outcome = delivered

    def _learn(
        self, group: Group, outgoing: Sequence[Outgoing], fitted: FittedPlan, outcomes: Mapping[str, Outcome]
    ) -> None:
        """Every delivery teaches the planner what its way takes."""
        durations = [each.durations for each in outcomes.values() if isinstance(each, Delivered)]
        measured = [each for each in durations if each is not None]
        if len(measured) < len(outgoing) or any(claim.left_out for claim in group.claims):
            return  # what the rest of a document took says nothing of the whole
        together = ReceiverDurations(
            # Each receipt tells those of the whole exchange.
            combine_ns=max(each.combine_ns for each in measured),
            integrate_ns=max(each.integrate_ns for each in measured),
            verify_ns=max(each.verify_ns for each in measured),
            commit_ns=max(each.commit_ns for each in measured),
        )
        group.believed = self.planning.learn(
            group.peer_id, work_of(outgoing), fitted.plan, group.marks, together, time.monotonic_ns()
        )

    def _end_all(self, ready: Sequence[_Ready], outcome: Outcome) -> None:
        for each in ready:
            if each.claim.is_under_way:
                each.claim.outcome = _overdue(each.claim, self.clock) or outcome

    async def late(self, claim: Claim) -> Outcome:
        """How a transfer that its author cancelled ended: what was delivered by then was delivered."""
        traces = claim.traces
        if traces is None:
            return Cancelled()
        try:
            async with asyncio.timeout(self.late_s):
                with suppress(PeerRefused):  # it knows nothing of it, any more or yet
                    await traces.link.ask("DELETE", traces.path)
                receipt = await _earlier_receipt(traces.link, traces.manifest, traces.trust)
        except (TimeoutError, PeerRefused, PeerUnreachable, WrongPeer):
            return Cancelled()
        return Cancelled() if receipt is None else Delivered(receipt, None)


def _overdue(claim: Claim, clock: Clock) -> PermanentFailure | None:
    """Why it may not be tried again, once its deadline has passed by a clock that is not doubted."""
    transfer, now_ns = claim.transfer, clock.now_ns()
    if transfer.deadline_at_ns > now_ns or clock.is_doubted:
        return None
    last = transfer.reason or "it could not be tried in time"
    return PermanentFailure(f"the deadline has passed by this gateway's clock, which reads {utc(now_ns)}; last: {last}")


def _ended(each: _Ready, outcome: Outcome | None) -> bool:
    each.claim.outcome = outcome
    return outcome is not None


def _sizes(ready: Sequence[_Ready]) -> list[int]:
    return [each.outgoing.manifest.carried_size for each in ready]


async def _earlier_receipt(link: Link, manifest: Manifest, trust: Trust) -> str | None:
    """The receipt of an earlier attempt, if the peer has delivered the transfer and only its word was lost."""
    return _checked(await link.receipt(manifest.transfer_id), link, manifest, trust)


def _checked(text: str | None, link: Link, manifest: Manifest, trust: Trust) -> str | None:
    """A receipt that the peer sent, if it counts."""
    if text is None:
        return None
    try:
        receipt = verify(text, trust.receipt_key)
        receipt.check(manifest, sender_pin=receipt.sender_pin, receiver_pin=receipt.receiver_pin)
    except ReceiptInvalid as error:
        raise PeerRefused(f"{link.peer.name} has a receipt that does not count: {error}", permanent=False) from error
    return text
