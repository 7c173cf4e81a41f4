"""The attempts in progress, by peer and transfer: which may begin, which replaces which, and their orderly end.

Invariant: a transfer has at most one attempt in progress. A newer one waits until the older one is cleared away, or
answers with the receipt if the older one was being committed. Each document of a batch is judged separately: one that
may not begin, or that another attempt takes over, does not affect the others.
"""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from sieve.channel import receiver
from sieve.channel.chunk_sizes import to_ranges
from sieve.channel.opening import Opening
from sieve.channel.refusals import RefusalKind
from sieve.gateway.clock import now_ns
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import abandoned_attempts
from sieve.gateway.inbound.dependencies import Dependencies
from sieve.gateway.inbound.finalizer import refusal_for, unknown_recipients
from sieve.gateway.inbound.incoming_attempt import IncomingAttempt
from sieve.gateway.inbound.incoming_document import IncomingDocument
from sieve.gateway.peering.peers import Peer
from sieve.gateway.peering.tls import NOT_NEGOTIATED, Negotiated
from sieve.store.blobs import BlobDamaged, StorageFull
from sieve.store.queries import inbox as inbox_queries

log = logging.getLogger(__name__)

EXPECTED_S = 2.0
"""How long a sub-stream that overtook its opening waits for it."""
MAKE_WAY_S = 30.0
"""How long the question before a newer attempt waits for what an older one leaves."""
EXPECTED_AT_ONCE = 64
"""The most sub-streams of all peers that wait this way."""

Verdict: TypeAlias = PeerRefused | str | None
"""For a document that may not begin: the refusal, or the receipt of its earlier delivery. None if it may begin."""


class _Entered(NamedTuple):
    """A document in progress, and its attempt."""

    attempt: IncomingAttempt
    incoming: IncomingDocument

    def fail_unless_committing(self, reason: str, *, permanent: bool = False, may_resume: bool = False) -> None:
        if not self.attempt.committing:
            self.incoming.fail(reason, permanent=permanent, may_resume=may_resume)


class _Seen(NamedTuple):
    """What the database knows about an opening's documents."""

    stored: Mapping[str, inbox_queries.StoredReceipt]
    unknown: AbstractSet[str]


@dataclass(slots=True)
class AttemptRegistry:
    """The attempts in progress, by peer and transfer; decides whether a new one may begin."""

    deps: Dependencies
    _open: dict[tuple[str, str], _Entered] = field(default_factory=dict)
    attempts: dict[str, IncomingAttempt] = field(default_factory=dict)
    supervisions: dict[tuple[str, str], asyncio.Task[None]] = field(default_factory=dict)
    _watches: set[asyncio.Task[None]] = field(default_factory=set)
    _settling: bool = False
    _warn_from_ns: dict[str, int] = field(default_factory=dict)
    """By peer, on the monotonic clock (`_warn_of_too_many`)."""
    expecting: int = 0
    _entered: asyncio.Event = field(default_factory=asyncio.Event)

    def by_handle(self, peer: Peer, handle: str) -> IncomingAttempt | None:
        """The attempt of `peer` with that handle."""
        found = self.attempts.get(handle)
        return found if found is not None and found.peer.id == peer.id else None

    async def expected(self, peer: Peer, handle: str) -> IncomingAttempt:
        """The begun attempt of `peer` with that handle. Waits for its opening if necessary.

        Raises:
            PeerRefused: its opening does not come, or it may not begin.
        """
        if self.by_handle(peer, handle) is None and self.expecting < EXPECTED_AT_ONCE:
            self.expecting += 1
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(EXPECTED_S):
                        while self.by_handle(peer, handle) is None:
                            await self._entered.wait()
            finally:
                self.expecting -= 1
        attempt = self.by_handle(peer, handle)
        if attempt is None:
            raise unknown_attempt()
        await attempt.begun.wait()
        return attempt

    async def begin(
        self, opening: Opening, peer: Peer, pin: str, tls: Negotiated = NOT_NEGOTIATED
    ) -> IncomingAttempt | Sequence[Verdict]:
        """Returns the attempt, begun, or already over with all its answers; or the verdicts, if no document may begin.

        Raises:
            PeerRefused: none may; or a single transfer found no room, or ended meanwhile; or a batch is too large.
        """
        self._check_size(opening)
        if opening.load.held:
            # The attempt that broke off may still hold its files.
            await self._make_way(peer, opening.load.transfer_ids[0], opening.attempt.numbers[0])
        seen = await self._look(opening, peer)
        if self._settling:
            raise PeerRefused("this gateway is shutting down", permanent=False)
        # Nothing awaits from here to where the new attempt is entered: two openings cannot both be let in.
        verdicts = self._judge(opening, peer, seen)
        if all(verdicts):
            return verdicts
        attempt = IncomingAttempt(opening, peer, pin, self.deps, tls)
        verdicts = _let_in(attempt, verdicts)
        if all(verdicts):
            await self.deps.partials.clear_away()
            return verdicts
        older = self._enter(attempt)
        try:
            delivered = await self._wait_for(older, peer)
            await self._drop_what_starts_over(attempt)
            if len(delivered) < len(attempt.documents):
                await attempt.begin()
        except PeerRefused:
            if not (opening.load.is_batch and attempt.over.is_set()):
                raise
        except BaseException:
            attempt.fail("the transfer could not be taken; see the log there")
            raise
        return attempt

    async def held(self, peer: Peer, transfer_id: str, number: int) -> dict[str, Any] | None:
        """The partial of a transfer, from which its attempt of that number can resume; None if there is none. This ends
        an older attempt: the newer one takes over.

        Raises:
            PeerRefused: what the older attempt brought is still being stored.
        """
        await self._make_way(peer, transfer_id, number)
        partial = self.deps.partials.find((peer.id, transfer_id))
        if partial is None:
            return None
        return {"manifest_digest": partial.manifest_digest, **partial.kept.held.to_json()}

    async def _make_way(self, peer: Peer, transfer_id: str, number: int) -> None:
        """Ends an attempt with a lower number, unless it is being committed, and waits until it is over.

        Raises:
            PeerRefused: it is not over after `MAKE_WAY_S`, and not being committed: an attempt that found nothing held
                would start over, and discard what is being stored.
        """
        key = (peer.id, transfer_id)
        current = self._open.get(key)
        if current is not None and current.incoming.number < number:
            current.fail_unless_committing("a newer attempt took over", may_resume=True)
            _, pending = await asyncio.wait([self.supervisions[key]], timeout=MAKE_WAY_S)
            if pending and not current.attempt.committing:
                reason = "what an earlier attempt brought is still being stored there"
                raise PeerRefused(reason, permanent=False, kind=RefusalKind.BUSY)

    async def _drop_what_starts_over(self, attempt: IncomingAttempt) -> None:
        """Removes the partials of documents that start over, and those that were given up to make room."""
        for incoming in attempt.documents.values():
            key = (attempt.peer.id, incoming.manifest.transfer_id)
            if incoming.recorded is None and self.deps.partials.find(key) is not None:
                self.deps.partials.give_up(key)
        await self.deps.partials.clear_away()

    def _check_size(self, opening: Opening) -> None:
        """Checks a batch's size. All of its bytes travel, also those of documents that may not begin, so its limit is
        that of as many single documents."""
        most = self.deps.settings.limits.max_document_size * len(opening.load.manifests)
        if opening.load.is_batch and opening.load.size > most:
            # Sent alone, each document gets its own answer.
            raise PeerRefused(
                "the batch exceeds this gateway's size limit", permanent=False, kind=RefusalKind.TOO_LARGE
            )

    async def _look(self, opening: Opening, peer: Peer) -> _Seen:
        transfer_ids = opening.load.transfer_ids
        names = list(dict.fromkeys(name for manifest in opening.load.manifests for name in manifest.recipients))
        while True:
            under_way = [self._open.get((peer.id, transfer_id)) for transfer_id in transfer_ids]
            async with self.deps.database.read() as session:
                stored = await inbox_queries.stored_receipts(session, peer.id, transfer_ids)
                unknown = await inbox_queries.unknown_recipients(session, names)
            if [self._open.get((peer.id, transfer_id)) for transfer_id in transfer_ids] == under_way:
                return _Seen(stored, frozenset(unknown))
            # One of them may have been delivered after the read, and be gone from here since.

    def _judge(self, opening: Opening, peer: Peer, seen: _Seen) -> list[Verdict]:
        """Whether each document may begin, given those in progress and the others that may. Delivered documents do not
        count, even if not cleared away yet: a sender with the receipt may send the next one at once."""
        under_way = {
            transfer_id: entered.incoming.manifest.carried_size
            for (peer_id, transfer_id), entered in self._open.items()
            if peer_id == peer.id and not entered.incoming.is_delivered
        }
        verdicts: list[Verdict] = []
        for document, manifest in enumerate(opening.load.manifests):
            verdict = self._judge_one(opening, document, peer, seen, under_way)
            if verdict is None:
                under_way[manifest.transfer_id] = manifest.carried_size
            verdicts.append(verdict)
        return verdicts

    def _judge_one(
        self, opening: Opening, document: int, peer: Peer, seen: _Seen, under_way: Mapping[str, int]
    ) -> Verdict:
        manifest = opening.load.manifests[document]
        stored = seen.stored.get(manifest.transfer_id)
        unknown = [name for name in manifest.recipients if name in seen.unknown]
        if stored is None and unknown:
            return unknown_recipients(unknown, self.deps.name)
        current = self._open.get((peer.id, manifest.transfer_id))
        decision = receiver.admit(
            opening,
            receiver.Known(
                delivered_manifest_digest=stored.manifest_digest if stored else None,
                stored_receipt=stored.receipt if stored else None,
                open_attempt=current.incoming.number if current else None,
                open_manifest_digest=current.incoming.manifest.digest if current else None,
                handle_in_use=opening.attempt.handle in self.attempts,
                open_transfers=len(under_way),
            ),
            self.deps.settings.limits,
            now_ns(),
            document,
        )
        if isinstance(decision, receiver.RepeatReceipt):
            return decision.receipt
        if isinstance(decision, receiver.Decline):
            return PeerRefused(decision.reason, permanent=decision.permanent, kind=decision.kind)
        others = sum(size for transfer_id, size in under_way.items() if transfer_id != manifest.transfer_id)
        room = self.deps.settings.quota - others - manifest.carried_size
        if room < 0:
            return PeerRefused(
                "this gateway's quota for transfers under way is used up", permanent=False, kind=RefusalKind.BUSY
            )
        if opening.load.held:
            partial = self.deps.partials.find((peer.id, manifest.transfer_id))
            fits = partial is not None and partial.manifest_digest == manifest.digest
            if current is not None or partial is None or not fits or partial.kept.held != opening.load.held:
                reason = "what an earlier attempt brought is not held any more; the next one starts over"
                return PeerRefused(reason, permanent=False, kind=RefusalKind.NOT_HELD)
        self.deps.partials.shrink(peer.id, room, apart_from=manifest.transfer_id)
        return None

    def _enter(self, attempt: IncomingAttempt) -> dict[IncomingDocument, asyncio.Task[None]]:
        """Registers the attempt, and ends older attempts of its documents: returns the tasks that each document
        awaits."""
        older: dict[IncomingDocument, asyncio.Task[None]] = {}
        self.attempts[attempt.attempt.handle] = attempt
        self._entered.set()  # wakes all that wait for their attempt
        self._entered = asyncio.Event()
        for incoming in attempt.documents.values():
            key = (attempt.peer.id, incoming.manifest.transfer_id)
            current, supervision = self._open.get(key), self.supervisions.get(key)
            entered = self._open[key] = _Entered(attempt, incoming)
            self.supervisions[key] = asyncio.create_task(self._supervise(key, entered, supervision))
            if supervision is not None:
                older[incoming] = supervision
            if current is not None:
                current.fail_unless_committing("a newer attempt took over", may_resume=True)
        watch = asyncio.create_task(attempt.watch())
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)
        return older

    async def _wait_for(
        self, older: Mapping[IncomingDocument, asyncio.Task[None]], peer: Peer
    ) -> set[IncomingDocument]:
        """Waits until these are cleared away; returns the documents that they delivered, which end with that
        receipt."""
        if not older:
            return set()
        await asyncio.wait(older.values())
        transfer_ids = [incoming.manifest.transfer_id for incoming in older]
        async with self.deps.database.read() as session:
            stored = await inbox_queries.stored_receipts(session, peer.id, transfer_ids)
        delivered = {incoming for incoming in older if incoming.manifest.transfer_id in stored}
        for incoming in delivered:
            incoming.delivered_before(stored[incoming.manifest.transfer_id].receipt)
        return delivered

    async def _supervise(self, key: tuple[str, str], entered: _Entered, older: asyncio.Task[None] | None) -> None:
        attempt, incoming = entered
        try:
            await attempt.cleared(incoming)
        except Exception as error:  # such as a file that cannot be removed: the sweep at the next start handles it
            log.error("a document could not be cleared away: %s", type(error).__name__, exc_info=error)
        finally:
            if older is not None:
                # A newer attempt that waits for this one also waits for those before it: one may be committing.
                await asyncio.wait([older])
            if self._open.get(key) is entered:
                del self._open[key]
                del self.supervisions[key]
            attempt.uncleared.discard(incoming)
            if not attempt.uncleared:
                self.attempts.pop(attempt.attempt.handle, None)

    async def abandon(self, peer: Peer, handle: str, transfer_id: str | None = None) -> None:
        """Ends an attempt, or one document of it, that its sender gives up, unless it is being committed; returns once
        it is over, and nothing of it is kept. Its connection may have ended it before. If another replica has it, that
        one does not commit it any more.

        Raises:
            PeerRefused: there is no such attempt, or it carries no such transfer.
        """
        attempt = self.by_handle(peer, handle)
        if attempt is not None:
            await self._end(attempt, transfer_id)
        elif self.deps.database.is_shared:
            at_ns = self.deps.clock.now_ns()
            async with self.deps.database.write() as session:
                noted = await abandoned_attempts.note(session, peer.id, handle, transfer_id, at_ns)
            if not noted:
                self._warn_of_too_many(peer)
        left = await self.deps.partials.abandon(peer.id, handle, transfer_id)
        if attempt is None and not left:
            raise unknown_attempt()

    def _warn_of_too_many(self, peer: Peer) -> None:
        """Once in the time for which the peer's notes are kept."""
        at_ns = time.monotonic_ns()
        if self._warn_from_ns.get(peer.id, at_ns) > at_ns:
            return
        self._warn_from_ns[peer.id] = at_ns + abandoned_attempts.KEPT_NS
        log.warning(
            "%s gave up more than %s attempts that are not here, within %d minutes: further ones are not noted",
            peer.name,
            f"{abandoned_attempts.MOST:,}",
            abandoned_attempts.KEPT_NS // (60 * 10**9),
        )

    async def _end(self, attempt: IncomingAttempt, transfer_id: str | None) -> None:
        if transfer_id is not None and transfer_id not in attempt.load.transfer_ids:
            raise PeerRefused(
                "this attempt carries no such transfer", permanent=False, kind=RefusalKind.UNKNOWN_ATTEMPT
            )
        clearing = []
        for incoming in list(attempt.uncleared):
            if transfer_id in (None, incoming.manifest.transfer_id):
                _Entered(attempt, incoming).fail_unless_committing(abandoned_attempts.GIVEN_UP)
                key = (attempt.peer.id, incoming.manifest.transfer_id)
                current = self._open.get(key)
                if current is not None and current.incoming is incoming:
                    clearing.append(self.supervisions[key])
        if clearing:
            await asyncio.wait(clearing)

    @property
    def under_way(self) -> set[str]:
        """The ids of the transfers with an attempt in progress or not cleared away."""
        return {transfer_id for _, transfer_id in self._open}

    def peers_under_way(self) -> set[str]:
        """The ids of peers with an attempt in progress."""
        return {peer_id for peer_id, _ in self._open}

    def drop(self, peer_id: str, reason: str) -> None:
        """Ends every attempt of a peer."""
        for (owner, _), entered in list(self._open.items()):
            if owner == peer_id:
                entered.fail_unless_committing(reason, permanent=True)

    async def settle(self) -> None:
        """Ends every attempt, admits no new one, and returns once those that were being committed have ended."""
        self._settling = True
        for entered in list(self._open.values()):
            entered.fail_unless_committing("this gateway is shutting down", may_resume=True)
        if ending := [*self.supervisions.values(), *self._watches]:
            await asyncio.wait(ending)

    def held_chunks(self, attempt: IncomingAttempt) -> list[list[int]]:
        """The plain chunks that an attempt holds, as ranges. The request counts as a sign of life of the sender."""
        attempt.touch()
        return to_ranges(attempt.core.held)


def unknown_attempt() -> PeerRefused:
    """The refusal of a request about an attempt that is not in progress here."""
    return PeerRefused("there is no such attempt under way", permanent=False, kind=RefusalKind.UNKNOWN_ATTEMPT)


def _let_in(attempt: IncomingAttempt, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Enters the documents that may begin and whose files can be created, and leaves out the others; all verdicts."""
    final = list(verdicts)
    try:
        for document, verdict in enumerate(verdicts):
            if verdict is None:
                try:
                    attempt.enter(document)
                    continue
                except (StorageFull, BlobDamaged, OSError) as error:  # such as too many open files
                    verdict = final[document] = refusal_for(error)
            attempt.leave_out(document, verdict)
    except BaseException:
        # No task supervises these yet.
        for incoming in attempt.documents.values():
            incoming.files.discard()
        raise
    return final
