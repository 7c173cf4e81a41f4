"""One attempt at a group of claimed transfers: asks what the peer has and accepts, sends, and returns the results.

Invariant: a fault of one document ends that transfer alone; a fault of the peer ends all. Documents go in one attempt
only if all of them may begin.
"""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

from sieve.channel.errors import BadManifest
from sieve.channel.sender import Trust
from sieve.core.sentence import Sentence, sentence_of
from sieve.gateway.documents.in_thread import in_thread
from sieve.gateway.errors import PeerRefused, PeerUnreachable, UnfitPlan, UnreadableNow, WrongPeer
from sieve.gateway.outbound import fitted_manifest
from sieve.gateway.outbound.covers import missing_covers
from sieve.gateway.outbound.dependencies import Dependencies
from sieve.gateway.outbound.group_outcomes import GroupOutcomes
from sieve.gateway.outbound.load_progress import BytesLeft
from sieve.gateway.outbound.outcomes import Cancelled, Delivered, Outcome, PermanentFailure, Result, Retry
from sieve.gateway.outbound.outgoing_attempt import Candidate, OutgoingAttempt
from sieve.gateway.outbound.outgoing_document import OutgoingDocument
from sieve.gateway.outbound.receipts import outcome_after_cancel, receipt_or_held
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.peers import PEER_REMOVED, Peer
from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMark, TimingMarks
from sieve.gateway.telemetry.traces import connection_trace
from sieve.store.blobs import BlobDamaged, StorageFull
from sieve.store.models import Transfer
from sieve.store.queries import outbox

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AttemptResults:
    """`results`: by transfer; those that are missing go with the next attempt. `learned`: what the planner learned of
    the peer, if it is time to store it. `greet_again`: the peer refused what its old hello allowed. `was_cut`: the
    attempt was stopped.
    """

    results: Mapping[str, Result]
    learned: str | None = None
    greet_again: bool = False
    was_cut: bool = False


@dataclass(slots=True)
class AttemptRunner:
    """`run` it once. `transfers`: claimed under `token`, to one peer. `may_greet_again`: whether transfers that a peer
    refuses by an old hello may be left to another attempt.
    """

    deps: Dependencies
    transfers: Sequence[Transfer]
    token: str
    may_greet_again: bool
    _timing_marks: TimingMarks = field(default_factory=TimingMarks)
    _outcomes: GroupOutcomes = field(init=False)
    _held: dict[str, int] = field(default_factory=dict)
    _outgoing_attempt: OutgoingAttempt | None = None
    _brought: ExitStack = field(default_factory=ExitStack)
    _work: asyncio.Task[AttemptResults] | None = None

    def __post_init__(self) -> None:
        self._outcomes = GroupOutcomes(self.deps.clock, self.transfers)

    async def run(self) -> AttemptResults:
        """Returns how the transfers ended: all, or as many as the peer accepts at once. A failure is a result, too."""
        self._work = asyncio.create_task(self._attempt())
        try:
            await asyncio.wait([self._work])
        finally:
            self._work.cancel()
            self._brought.close()
        was_cut = self._work.cancelled()
        found = AttemptResults({}, was_cut=True)
        if not was_cut:
            if (error := self._work.exception()) is None:
                found = self._work.result()
            else:
                self._outcomes.fail_all(error)
        # At the same time: a peer that hangs delays many as long as one.
        cancelled = self._outcomes.cancelled
        late = await asyncio.gather(*map(self._outcome_after_cancel, cancelled))
        for transfer_id, outcome in zip(cancelled, late, strict=True):
            self._outcomes.put(transfer_id, outcome)
        ended = ((each, self._outcomes.of(each.id)) for each in self.transfers)
        results = {each.id: self._result(each, outcome) for each, outcome in ended if outcome is not None}
        return replace(found, results=results)

    # --- interruptions --------------------------------------------------------------------------------------------

    @property
    def open(self) -> set[str]:
        """The transfers without an outcome that are neither cancelled nor dropped."""
        return self._outcomes.open

    def cancel(self, transfer_id: str) -> bool:
        """Cancels one transfer; False if the peer has every byte of it already."""
        sending = self._outgoing_attempt.sending if self._outgoing_attempt is not None else None
        if isinstance(self._outcomes.of(transfer_id), Delivered) or (sending and sending.has_arrived(transfer_id)):
            return False
        self._outcomes.cancel(transfer_id)
        self._withdraw(transfer_id)
        return True

    def drop(self, transfer_id: str) -> None:
        """Leaves one transfer to the worker that claimed it."""
        self._outcomes.drop(transfer_id)
        self._withdraw(transfer_id)

    def stop(self) -> None:
        """Cuts the attempt short."""
        if self._work is not None:
            self._work.cancel()

    def _withdraw(self, transfer_id: str) -> None:
        if not self.open:
            self.stop()
        elif self._outgoing_attempt is not None:
            self._outgoing_attempt.sending.give_up(transfer_id)

    # --- the steps of an attempt -----------------------------------------------------------------------------------

    async def _attempt(self) -> AttemptResults:
        self._timing_marks.at("claimed")
        peer = self.deps.peers.by_id(self.transfers[0].peer_id)
        if peer is None:
            for transfer_id in self.open:
                self._outcomes.put(transfer_id, PermanentFailure(PEER_REMOVED, TimingCause.PEER_REMOVED))
        elif not peer.active:
            self._outcomes.end_all(
                Retry(Sentence("pairing-unconfirmed", "the pairing with the peer is not confirmed"), TimingCause.OTHER)
            )
        elif candidates := await self._readable():
            return await self._attempt_with(peer, candidates)
        return AttemptResults({})

    async def _attempt_with(self, peer: Peer, candidates: list[Candidate]) -> AttemptResults:
        """Asks for the peer's hello over the connection that the secure stream then uses."""
        link, trust = self.deps.links.to(peer), Trust(self.deps.our_pin, peer.pins, peer.receipt_key)
        try:
            candidates = self._in_time(await self._not_delivered_before(candidates, link, trust))
            if not candidates:
                return AttemptResults({})
            # A remembered hello may be out of date: the peer may run another version by now.
            is_old = link.known_hello is not None and self.may_greet_again
            hello = await link.hello(connection_trace(self._timing_marks, SECURE))
            candidates = await self._with_fitted_manifests(candidates, hello)
            candidates = await self._accepted(candidates, peer, link, hello)
        except PeerRefused as refused:
            link.forget()
            # The refusal is for all of them, also for those that were cancelled meanwhile.
            is_final = refused.permanent and len(candidates) == 1
            self._outcomes.end_all(PermanentFailure.after(refused) if is_final else Retry.after(refused))
            return AttemptResults({})
        except (PeerUnreachable, WrongPeer) as lost:
            link.forget()
            self._outcomes.end_all(Retry(sentence_of(lost), TimingCause.UNREACHABLE, unreachable=True))
            return AttemptResults({})
        # Its hello may allow fewer than were claimed: the others go with the next attempt.
        sizes = [each.outgoing.manifest.carried_size for each in candidates]
        candidates = candidates[: min(max(1, hello.max_batch), hello.takes.at_once(sizes))]
        attempt = await self._plan(candidates, link, trust, hello)
        if attempt is None:
            return AttemptResults({})
        await self._send(attempt)
        greet_again = is_old and self._refused_by_old_hello(attempt)
        return AttemptResults({}, attempt.teach(self.deps.planning, self._timing_marks), greet_again)

    async def _readable(self) -> list[Candidate]:
        """The transfers whose documents can be read and that are still wanted."""
        async with self.deps.database.read() as session:
            stored = await outbox.to_send(session, [transfer.id for transfer in self.transfers])
        candidates = []
        for transfer in self.transfers:
            found = stored[transfer.id]
            if found.cancel_requested:
                # The author cancelled before `cancel` could find this claim, or before a crash.
                self._outcomes.put(transfer.id, Cancelled())
                continue
            try:
                if self.deps.blobs.is_remote:
                    # Sending reads on the event loop.
                    bring = partial(self.deps.blobs.brought, found.blobs)
                    self._brought.push(await in_thread(bring, ExitStack.close))
                outgoing = await OutgoingDocument.load(self.deps.blobs, found)
                if outgoing.document.has_no_tags:
                    # The first read compares the whole file, which is too much for the event loop.
                    await asyncio.to_thread(outgoing.document.check_plain, 1)
                candidates.append(Candidate(transfer, outgoing))
            except BlobDamaged as damaged:
                self._outcomes.end_unreadable(transfer, damaged)
            except OSError as error:
                log.error("transfer %s cannot be read: %s", transfer.id, type(error).__name__, exc_info=error)
                self._outcomes.end(transfer, Retry(sentence_of(UnreadableNow(error)), TimingCause.STORED_DATA))
            except StorageFull as error:
                self._outcomes.end(transfer, Retry(sentence_of(error), TimingCause.STORED_DATA))
        return self._wanted(candidates)

    async def _not_delivered_before(self, candidates: list[Candidate], link: Link, trust: Trust) -> list[Candidate]:
        """Those that no earlier attempt delivered, with what the peer holds of them."""
        if candidates[0].transfer.attempt == 1:
            return candidates
        left = []
        for each in candidates:
            manifest = each.outgoing.manifest
            receipt, held = await receipt_or_held(link, manifest, each.transfer.attempt, trust)
            if receipt is None:
                self._held[each.transfer.id] = held.size
                left.append(replace(each, held=held))
            else:
                self._outcomes.put(each.transfer.id, Delivered(receipt, None))
        return left

    def _in_time(self, candidates: list[Candidate]) -> list[Candidate]:
        for each in candidates:
            if (overdue := self._outcomes.overdue(each.transfer)) is not None:
                self._outcomes.put(each.transfer.id, overdue)
        return self._wanted(candidates)

    async def _with_fitted_manifests(self, candidates: list[Candidate], hello: Hello) -> list[Candidate]:
        """All candidates; without the redacted editions and marks that the peer does not accept."""
        left: list[Candidate] = []
        for each in candidates:
            fitting = fitted_manifest.fitted(each.outgoing.manifest, hello)
            if fitting is None:
                left.append(each)
                continue
            outgoing = await fitted_manifest.stored(
                self.deps.database, self.deps.blobs, each.outgoing, self.token, fitting
            )
            if outgoing is None:
                # Not recorded: the claim is lost.
                self._outcomes.put(
                    each.transfer.id, Retry("another worker holds the transfer", TimingCause.INTERRUPTED)
                )
            else:
                # The peer holds bytes of the manifest before, which this one cannot use.
                left.append(Candidate(each.transfer, outgoing))
        return left

    async def _accepted(self, candidates: list[Candidate], peer: Peer, link: Link, hello: Hello) -> list[Candidate]:
        """Those that the peer accepts, by its hello and by what it says of their recipients."""
        unchecked = {
            name
            for each in candidates
            if not each.transfer.recipients_checked
            for name in each.outgoing.manifest.recipients
        }
        known = {found.name for found in await link.recipients(sorted(unchecked))} if unchecked else set()
        for each in candidates:
            size, most = each.outgoing.manifest.carried_size, hello.max_document_bytes
            unknown = [name for name in each.outgoing.manifest.recipients if name in unchecked - known]
            if size > most:
                reason = Sentence(
                    "document-too-large",
                    "the document has {size} bytes; {peer} takes at most {most}",
                    size=size,
                    peer=peer.name,
                    most=most,
                )
                self._outcomes.put(each.transfer.id, PermanentFailure(reason, TimingCause.PEER_REFUSED))
            elif (why := self._missing_cover(each, peer, hello)) is not None:
                self._outcomes.put(each.transfer.id, PermanentFailure(why, TimingCause.PEER_REFUSED))
            elif unknown:
                reason = Sentence(
                    "nobody-of-that-name",
                    "nobody named {names} can receive at {peer}",
                    names=", ".join(unknown),
                    peer=peer.name,
                )
                self._outcomes.put(each.transfer.id, PermanentFailure(reason, TimingCause.UNKNOWN_RECIPIENT))
        return self._wanted(candidates)

    @staticmethod
    def _missing_cover(candidate: Candidate, peer: Peer, hello: Hello) -> str | None:
        """Why the document cannot go to this peer with the cover that it must arrive with; None if it can."""
        cover = candidate.outgoing.cover
        return missing_covers(peer.name, hello) if cover is not None and cover.must_arrive else None

    async def _plan(
        self, candidates: list[Candidate], link: Link, trust: Trust, hello: Hello
    ) -> OutgoingAttempt | None:
        """How to send them together, or the first one alone if they are too much together; None if none is left."""
        try:
            planned: list[Candidate] = []
            # One may be cancelled meanwhile, and a plan is for a certain number of documents.
            while candidates and len(planned) != len(candidates):
                planned = candidates
                fitted = await self.deps.planning.plan(
                    self.deps.database,
                    planned[0].transfer,
                    [each.outgoing for each in planned],
                    hello,
                    self._timing_marks,
                    time.monotonic_ns(),
                )
                candidates = self._wanted(candidates)
            if not candidates:
                return None
            self._timing_marks.at("splitting")
            attempt = OutgoingAttempt.of(candidates, fitted, link, trust, hello, self._timing_marks, self.deps)
            self._timing_marks.at("split")
            return attempt
        except (UnfitPlan, BadManifest, ValueError) as unfit:
            if len(candidates) > 1:
                return await self._plan(candidates[:1], link, trust, hello)
            cause = TimingCause.PEER_REFUSED if isinstance(unfit, UnfitPlan) else TimingCause.OTHER
            self._outcomes.put(candidates[0].transfer.id, PermanentFailure(sentence_of(unfit), cause))
            return None

    async def _send(self, attempt: OutgoingAttempt) -> None:
        self._outgoing_attempt = attempt
        try:
            await attempt.sending.run()
        finally:
            # Also after a failure: some may be delivered.
            for transfer_id, outcome in attempt.sending.outcomes.items():
                if transfer_id in self.open or isinstance(outcome, Delivered):
                    self._outcomes.put(transfer_id, outcome)
        for each in attempt.candidates:
            ended = self._outcomes.of(each.transfer.id)
            if each.transfer.id in attempt.sending.disputed and isinstance(ended, Retry):
                await self._compare_ours(each, ended)

    async def _compare_ours(self, disputed: Candidate, outcome: Retry) -> None:
        """If the peer got other bytes than were announced, our stored file may have changed: then no retry helps."""
        transfer = disputed.transfer
        try:
            await asyncio.to_thread(disputed.outgoing.check_plain)
            reason = Sentence(
                "stored-file-unchanged", "{why}; this gateway's stored file of it is unchanged", why=outcome.reason
            )
            self._outcomes.put(transfer.id, replace(outcome, reason=reason))
        except BlobDamaged as damaged:
            self._outcomes.end_unreadable(transfer, damaged)
        except OSError as error:
            log.warning("transfer %s cannot be compared just now: %s", transfer.id, error.strerror)

    def _refused_by_old_hello(self, attempt: OutgoingAttempt) -> bool:
        """Whether the peer refused transfers that it may accept after a new hello. These get no outcome."""
        for transfer_id in attempt.sending.misfits:
            if not isinstance(self._outcomes.of(transfer_id), Delivered):
                self._outcomes.forget(transfer_id)
        if attempt.sending.misfits:
            attempt.link.forget()
        return bool(attempt.sending.misfits)

    # --- results ---------------------------------------------------------------------------------------------------

    def _wanted(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return [each for each in candidates if each.transfer.id in self.open]

    async def _outcome_after_cancel(self, transfer_id: str) -> Outcome:
        """How a cancelled transfer ended: the peer may have delivered it before it heard of that."""
        attempt = self._outgoing_attempt
        if attempt is None or transfer_id not in attempt.load.transfer_ids:
            return Cancelled()
        manifest = attempt.load.manifests[attempt.load.transfer_ids.index(transfer_id)]
        path = attempt.path(transfer_id)
        return await outcome_after_cancel(attempt.link, manifest, attempt.trust, path, self.deps.late_s)

    def _result(self, transfer: Transfer, outcome: Outcome) -> Result:
        attempt, held = self._outgoing_attempt, self._held.get(transfer.id, 0)
        timing_marks, plan = list(self._timing_marks.taken), None
        left = BytesLeft(0, 0)
        if attempt is not None and transfer.id in attempt.load.transfer_ids:
            plan = attempt.plan
            if not isinstance(outcome, Delivered):
                left = attempt.sending.left_of(transfer.id)
            heard_ns = attempt.sending.receipts_ns.get(transfer.id)
            if heard_ns is not None:
                timing_marks.append(TimingMark("receipt-heard", "", heard_ns))
        is_more = held > transfer.peer_holds
        return Result(
            transfer,
            outcome,
            timing_marks,
            plan,
            peer_holds=held if is_more else None,
            left=None if isinstance(outcome, Delivered) else left,
        )
