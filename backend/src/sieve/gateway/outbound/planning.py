"""The planner at work: what is believed of each peer, read once, learnt from delivered transfers, kept now and then.

Invariant: planning delays nothing. Beliefs are kept in memory; a crash may lose what the last second taught, which
costs a few transfers that are planned a little worse. An attempt that the plain channel did not carry teaches no
costs, for anybody on the path could teach them; for `OFF_PLAIN_NS` the planner then leaves that channel alone.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast

from sieve.channel.attempt import AnySplit, Mode, Plan
from sieve.gateway.outbound.fitted_plan import FittedPlan, fit
from sieve.gateway.outbound.outgoing import Outgoing
from sieve.gateway.outbound.planner.choice import Asked, Choice, Habit, Wish, choose, together
from sieve.gateway.outbound.planner.costs import Costs, Way, Work
from sieve.gateway.peering.links import Hello
from sieve.gateway.telemetry.timing import NS_PER_MS, ReceiverDurations, timings
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks
from sieve.store.database import Database
from sieve.store.models import Transfer
from sieve.store.queries import peer_costs

LEARN_EVERY_NS = 10_000_000
"""Under load not every transfer teaches: a hundred a second are enough."""
KEEP_EVERY_NS = 1_000_000_000
OFF_PLAIN_NS = 600 * 1_000_000_000


_AT_FIRST: Final = Costs.at_first()


@dataclass(slots=True)
class _Peer:
    costs: Costs
    habit: Habit
    learnt_at_ns: int = 0
    kept_at_ns: int = 0
    plain_failed_at_ns: int | None = None

    def plain_failed_lately(self, now_ns: int) -> bool:
        return self.plain_failed_at_ns is not None and 0 <= now_ns - self.plain_failed_at_ns < OFF_PLAIN_NS


@dataclass(slots=True)
class Planning:
    """What is believed of every peer that was asked for since the start."""

    _peers: dict[str, _Peer] = field(default_factory=dict)

    async def plan(
        self,
        database: Database,
        transfer: Transfer,
        outgoing: Sequence[Outgoing],
        hello: Hello,
        marks: TimingMarks,
        now_ns: int,
    ) -> FittedPlan:
        """How a transfer goes that is about to be sent, with the reason; or several together, all asked for alike.

        Raises:
            UnfitPlan: the peer does not take what was asked for.
        """
        peer = await self._peer(database, transfer.peer_id)
        wish = wish_of(transfer, hello)
        if wish.mode == "auto" and peer.plain_failed_lately(now_ns):
            wish = replace(wish, off_plain=True)
        chosen = choose(
            peer.costs,
            work_of(outgoing),
            wish,
            peer.habit,
            sieve_ms=sum(each.sieve_ns for each in outgoing) / NS_PER_MS,
            # If the secure channel had to be set up just now, there is no plain one either.
            warm=marks.first("connecting", SECURE) is None,
        )
        way = chosen.way
        asked_plain = transfer.plain_channels or way.plain_channels
        # Not every split can do without the plain channel.
        split = cast(AnySplit, "range" if wish.off_plain else transfer.split)
        plan = Plan(way.mode, way.secure_channels, asked_plain, split)
        fitted = fit(plan, hello, len(outgoing))
        if len(outgoing) > 1 and transfer.batch_id is None:
            others = "another one" if len(outgoing) == 2 else f"{len(outgoing) - 1} others"
            fitted = fitted._replace(note=f"sent together with {others} that waited for {hello.name}")
        peer.habit = chosen.habit
        return fitted._replace(estimate=chosen.estimate.rounded())

    def together(
        self, peer_id: str, mode: str, waiting: Sequence[Work], *, most_documents: int, most_bytes: int
    ) -> int:
        """How many of those that wait for a peer, the first one first, pay to go together: at least 1."""
        peer = self._peers.get(peer_id)
        costs, habit = (peer.costs, peer.habit) if peer is not None else (_AT_FIRST, Habit())
        way: Mode = "secure-only" if "secure-only" in (mode, habit.mode if mode == "auto" else mode) else "sieve"
        return together(costs, waiting, way, most_documents=most_documents, most_bytes=most_bytes)

    async def preview(self, database: Database, peer_id: str, work: Work, wish: Wish) -> tuple[Choice, float]:
        """What would be done with it, were nothing tried, and what it takes to open that many channels; ms."""
        peer = await self._peer(database, peer_id)
        chosen = choose(peer.costs, work, wish, replace(peer.habit, allowance=0.0, dear=0.0))
        return chosen, peer.costs.setup_ms(chosen.way)

    def learn(
        self, peer_id: str, work: Work, plan: Plan, marks: TimingMarks, durations: ReceiverDurations | None, now_ns: int
    ) -> str | None:
        """Learns from a delivered transfer; what to keep in the database (JSON), if it is time to."""
        peer = self._peers.get(peer_id)
        if peer is None or durations is None or now_ns - peer.learnt_at_ns < LEARN_EVERY_NS:
            return None
        peer.learnt_at_ns = now_ns
        way = Way(plan.mode, plan.secure_channels, plan.plain_channels if plan.uses_plain_channel else 1)
        # The sieve's own time is known for each document, and nothing that a peer is to be judged by.
        response_ms = timings(marks, plan.mode, 0, durations).response
        peer.costs = peer.costs.learn(work, way, response_ms).learn_setup(
            secure_ms=_setup_ms(marks, "secure", "handshaken"), plain_ms=_setup_ms(marks, "plain", "connected")
        )
        if now_ns - peer.kept_at_ns < KEEP_EVERY_NS:
            return None
        peer.kept_at_ns = now_ns
        return json.dumps({"costs": peer.costs.to_json(), "habit": peer.habit.to_json()})

    def plain_failed(self, peer_id: str, now_ns: int) -> None:
        """The plain channel to that peer did not carry an attempt."""
        if (peer := self._peers.get(peer_id)) is not None:
            peer.plain_failed_at_ns = now_ns

    async def _peer(self, database: Database, peer_id: str) -> _Peer:
        known = self._peers.get(peer_id)
        if known is not None:
            return known
        async with database.read() as session:
            text = await peer_costs.of(session, peer_id)
        said = _read(text)
        # Others may have asked meanwhile, and learnt.
        return self._peers.setdefault(
            peer_id, _Peer(Costs.from_json(said.get("costs", {})), Habit.from_json(said.get("habit", {})))
        )


def work_of(outgoing: Sequence[Outgoing]) -> Work:
    """What is to be sent, of all of them together."""
    manifests = [each.manifest for each in outgoing]
    classified = sum(manifest.carried_classified_size for manifest in manifests)
    return Work(classified, sum(manifest.plain_size for manifest in manifests), len(manifests))


def wish_of(transfer: Transfer, hello: Hello) -> Wish:
    """What the author asked for, and what the peer takes; a transfer without a number leaves it to the planner."""
    return Wish(
        cast(Asked, transfer.mode),
        transfer.secure_channels or None,
        transfer.plain_channels or None,
        most_secure=hello.max_secure_channels,
        most_plain=hello.max_plain_channels,
        off_plain=transfer.off_plain,
    )


def _read(text: str | None) -> dict[str, dict[str, object]]:
    """What was kept; nothing if it is no longer what this version keeps."""
    said = json.loads(text) if text is not None else {}
    fits = isinstance(said, dict) and all(isinstance(part, dict) for part in said.values())
    return said if fits else {}


def _setup_ms(marks: TimingMarks, kind: str, done: str) -> float | None:
    """How long the first channel of a kind took to set up; None if none was."""
    for mark in marks.taken:
        if mark.name == "connecting" and mark.channel.startswith(kind):
            ready = [each.at_ns for each in marks.taken if each.name == done and each.channel == mark.channel]
            return (min(ready) - mark.at_ns) / NS_PER_MS if ready else None
    return None
