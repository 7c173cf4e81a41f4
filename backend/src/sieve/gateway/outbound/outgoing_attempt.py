"""One attempt to send documents: which ones, by which plan, and what the planner learns from it."""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sieve.channel.attempt import Attempt
from sieve.channel.chunk_sizes import COMMON_CHUNK
from sieve.channel.held_ranges import NOTHING, Held
from sieve.channel.load import Load
from sieve.channel.seals import KEY_SIZE, SealKey
from sieve.channel.sender import Trust
from sieve.gateway.outbound.dependencies import Dependencies
from sieve.gateway.outbound.fitted_plan import FittedPlan
from sieve.gateway.outbound.outcomes import Delivered, Retry
from sieve.gateway.outbound.outgoing_document import OutgoingDocument
from sieve.gateway.outbound.planning import Planning, waited, work_of
from sieve.gateway.outbound.sending import Sending
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.gateway.telemetry.progress import Progress
from sieve.gateway.telemetry.timing import ReceiverDurations
from sieve.gateway.telemetry.timing_marks import TimingMarks
from sieve.store.models import Transfer


@dataclass(frozen=True, slots=True)
class Candidate:
    """A transfer whose document can be read. `held`: what the peer has of it from earlier attempts."""

    transfer: Transfer
    outgoing: OutgoingDocument
    held: Held = NOTHING


@dataclass(frozen=True, slots=True)
class OutgoingAttempt:
    """Candidates in the order of `load`, and the `sending` that carries them by the fitted plan."""

    candidates: Sequence[Candidate]
    load: Load
    attempt: Attempt
    fitted: FittedPlan
    link: Link
    trust: Trust
    sending: Sending

    @classmethod
    def of(
        cls,
        candidates: Sequence[Candidate],
        fitted: FittedPlan,
        link: Link,
        trust: Trust,
        hello: Hello,
        timing_marks: TimingMarks,
        deps: Dependencies,
    ) -> Self:
        """The attempt, with a new handle and plain key.

        Raises:
            BadManifest, ValueError: the documents are too much for one attempt, or for this plan.
        """
        resumes = hello.resumes and len(candidates) == 1 and fitted.plan.split == "range"
        held = candidates[0].held if resumes else NOTHING
        covers = tuple(each.outgoing.cover for each in candidates) if hello.covers else ()
        load = Load(tuple(each.outgoing.manifest for each in candidates), held, covers)
        attempt = Attempt(
            secrets.token_hex(16),
            SealKey(secrets.token_bytes(KEY_SIZE), link.seal_for(hello)),
            fitted.plan,
            tuple(each.transfer.attempt for each in candidates),
            # Each time the link breaks, the chunks in progress are lost.
            COMMON_CHUNK if held else hello.max_chunk,
            held,
            padded=deps.pads and hello.padding,
        )
        fitted.plan.check_spans(load.spans)
        authors = {each.transfer.id: each.transfer.author_id for each in candidates}

        def publish(progress: Progress) -> None:
            deps.bus.publish(progress, authors[progress.transfer_id])

        documents = [each.outgoing.document for each in candidates]
        sending = Sending(load, attempt, documents, link, trust, timing_marks, publish, deps.plain_patience)
        return cls(candidates, load, attempt, fitted, link, trust, sending)

    def path(self, transfer_id: str) -> str:
        """The path to delete, so that the peer gives up one of the transfers."""
        path = f"/v1/attempts/{self.attempt.handle}"
        return f"{path}?transfer={transfer_id}" if self.load.is_batch else path

    @property
    def plan(self) -> Mapping[str, Any]:
        """How it is sent, as JSON values."""
        seal = self.attempt.plain_key.kind if self.attempt.plan.uses_plain_channel else None
        suite, key_exchange = self.sending.tls
        plan = self.fitted.to_json() | {"cipher": suite, "key_exchange": key_exchange, "seal": seal}
        return plan | {"held_before": self.attempt.held.size} if self.attempt.held else plan

    def teach(self, planning: Planning, timing_marks: TimingMarks) -> str | None:
        """Tells the planner how the attempt went. Returns what the planner learned of the peer, if it is time to store
        it."""
        outcomes = self.sending.outcomes.values()
        if any(isinstance(outcome, Retry) for outcome in outcomes):
            self.link.forget()
        if self.sending.moved or any(isinstance(each, Retry) and each.off_plain for each in outcomes):
            # The secure channel may lead to another replica by now, which has another plain address.
            self.link.forget()
            planning.plain_failed(self.link.peer.id, time.monotonic_ns())
            return None
        durations = [each.durations for each in outcomes if isinstance(each, Delivered)]
        measured = [each for each in durations if each is not None]
        if len(measured) < len(self.candidates) or self.attempt.held:
            return None  # the time for a part of a document says nothing about the whole
        together = ReceiverDurations(
            # Each receipt has the durations of the whole attempt.
            combine_ns=max(each.combine_ns for each in measured),
            integrate_ns=max(each.integrate_ns for each in measured),
            verify_ns=max(each.verify_ns for each in measured),
            commit_ns=max(each.commit_ns for each in measured),
        )
        work = work_of([each.outgoing for each in self.candidates])
        first = self.candidates[0].transfer
        return planning.learn(
            self.link.peer.id,
            work,
            self.fitted.plan,
            timing_marks,
            together,
            time.monotonic_ns(),
            waited(first, self.sending.receipts_ns.get(first.id)),
        )
