"""Claimed transfers, from their claim to how they ended: one by one, and in the group that leaves together."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from sieve.channel.held import Held
from sieve.channel.manifest import Manifest
from sieve.channel.sender import Trust
from sieve.gateway.outbound.fitted_plan import FittedPlan
from sieve.gateway.outbound.outcomes import Outcome
from sieve.gateway.outbound.sending import Sending
from sieve.gateway.peering.links import Link
from sieve.gateway.telemetry.timing_marks import TimingMark, TimingMarks
from sieve.store.models import Transfer


@dataclass(frozen=True, slots=True)
class Traces:
    """By what an attempt that was begun can be asked after."""

    link: Link
    manifest: Manifest
    trust: Trust
    path: str
    """Where the peer is told to give it up."""


@dataclass(slots=True, eq=False)
class Claim:
    """One transfer. `outcome`: None until it has one, and for ever if that is for another to find out."""

    transfer: Transfer
    outcome: Outcome | None = None
    plan: FittedPlan | None = None
    cipher: str | None = None
    held: Held | None = None
    """What the peer said that it holds of it, if it was asked."""
    left_out: int = 0
    """Bytes that the attempt left out, being held."""
    marks: Sequence[TimingMark] = ()
    traces: Traces | None = None
    settled: bool = False
    cancelled: bool = False
    """Its author asked to end it."""
    lost: bool = False
    """Another holds it by now."""

    @property
    def is_further(self) -> bool:
        """Whether the attempt before this one brought something that the peer holds."""
        return self.held is not None and self.held.size > self.transfer.peer_holds

    @property
    def is_under_way(self) -> bool:
        """Whether it is still to be carried."""
        return self.outcome is None and not self.lost and not self.cancelled


@dataclass(slots=True, eq=False)
class Group:
    """What leaves together, under one lease. `size`: bytes of all documents. `marks`: of the attempt under way.

    `believed`: what the planner believes of the peer since, if it is time to keep it. `greeted_anew`: the peer was, for
    it refused what its hello from before let go; that happens once.
    """

    claims: Sequence[Claim]
    token: str
    size: int = 0
    marks: TimingMarks = field(default_factory=TimingMarks)
    carrying: asyncio.Task[None] | None = None
    attempt: asyncio.Task[None] | None = None
    sending: Sending | None = None
    believed: str | None = None
    greeted_anew: bool = False

    @property
    def peer_id(self) -> str:
        return self.claims[0].transfer.peer_id

    def find(self, transfer_id: str) -> Claim | None:
        """The claim on that transfer, if it is one of these."""
        return next((claim for claim in self.claims if claim.transfer.id == transfer_id), None)

    @property
    def names(self) -> str:
        """For the log."""
        return ", ".join(claim.transfer.id for claim in self.claims)

    def leave_out(self, claim: Claim) -> None:
        """A claim that is cancelled or lost goes no further; without it the others do, if there are any."""
        if self.attempt is None:
            return
        if not any(each.is_under_way for each in self.claims):
            self.attempt.cancel()
        elif self.sending is not None and claim.transfer.id in self.sending.left:
            self.sending.give_up(claim.transfer.id)
