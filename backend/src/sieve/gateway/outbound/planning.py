"""Plans attempts with what the planner learned of each peer. It reads that once, and stores it again from time to time.

Invariant: planning delays nothing. What is learned stays in memory; a crash loses that of the last second, and a few
transfers are planned a little worse. The planner learns nothing from an attempt whose plain stream did not go over the
plain channel, because anyone on the path could cause that; for `OFF_PLAIN_NS` it then does not use that channel.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast

from sieve.channel.attempt import AnySplit, Mode, Plan
from sieve.gateway.outbound.fitted_plan import FittedPlan, fit
from sieve.gateway.outbound.learned_costs import Learned
from sieve.gateway.outbound.outgoing import Outgoing
from sieve.gateway.outbound.planner.choice import Choice, Habit, RequestedMode, Wish, choose, together
from sieve.gateway.outbound.planner.costs import Costs, Way, Work
from sieve.gateway.peering.hello import Hello
from sieve.gateway.telemetry.timing import NS_PER_MS, ReceiverDurations, timings
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks
from sieve.store.database import Database
from sieve.store.models import Transfer
from sieve.store.queries import peer_costs

LEARN_EVERY_NS: Final = 10_000_000
"""A hundred transfers a second are enough to learn from."""
KEEP_EVERY_NS: Final = 1_000_000_000
OFF_PLAIN_NS: Final = 600 * 1_000_000_000


@dataclass(slots=True)
class _Peer:
    costs: Costs = field(default_factory=Costs)
    habit: Habit = field(default_factory=Habit)
    learnt_at_ns: int = 0
    kept_at_ns: int = 0
    plain_failed_at_ns: int | None = None

    def plain_failed_lately(self, now_ns: int) -> bool:
        return self.plain_failed_at_ns is not None and 0 <= now_ns - self.plain_failed_at_ns < OFF_PLAIN_NS


@dataclass(slots=True)
class Planning:
    """What the planner knows of every peer that was planned for since the start."""

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
        """The plan of an attempt of one transfer, or of several together with equal requests.

        Raises:
            UnfitPlan: the peer does not accept the request.
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
            # If the secure channel was only opened now, no plain one is open either.
            warm=marks.first("connecting", SECURE) is None,
        )
        way = chosen.way
        asked_plain = transfer.plain_channels or way.plain_channels
        # Not every split is possible without the plain channel.
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
        """How many of the documents that wait for a peer, from the first on, should go together: at least 1."""
        peer = self._peers.get(peer_id) or _Peer()
        likely: Mode = (
            "secure-only" if "secure-only" in (mode, peer.habit.mode if mode == "auto" else mode) else "sieve"
        )
        return together(peer.costs, waiting, likely, most_documents=most_documents, most_bytes=most_bytes)

    async def preview(self, database: Database, peer_id: str, work: Work, wish: Wish) -> tuple[Choice, float]:
        """What the planner would do without a try, and how many milliseconds opening those channels takes."""
        peer = await self._peer(database, peer_id)
        chosen = choose(peer.costs, work, wish, replace(peer.habit, allowance=0.0, dear=0.0))
        return chosen, peer.costs.setup_ms(chosen.way)

    def learn(
        self, peer_id: str, work: Work, plan: Plan, marks: TimingMarks, durations: ReceiverDurations | None, now_ns: int
    ) -> str | None:
        """Learns from a delivered transfer. Returns what to store in the database (JSON), if it is time to."""
        peer = self._peers.get(peer_id)
        if peer is None or durations is None or now_ns - peer.learnt_at_ns < LEARN_EVERY_NS:
            return None
        peer.learnt_at_ns = now_ns
        way = Way(plan.mode, plan.secure_channels, plan.plain_channels if plan.uses_plain_channel else 1)
        # The sieve's own time is known for each document, and no cost of the peer.
        response_ms = timings(marks, plan.mode, 0, durations).response
        peer.costs = peer.costs.learn(work, way, response_ms).learn_setup(
            secure_ms=_setup_ms(marks, "secure", "handshaken"), plain_ms=_setup_ms(marks, "plain", "connected")
        )
        if now_ns - peer.kept_at_ns < KEEP_EVERY_NS:
            return None
        peer.kept_at_ns = now_ns
        return Learned(peer.costs, peer.habit).to_json()

    def plain_failed(self, peer_id: str, now_ns: int) -> None:
        """An attempt could not use the plain channel to that peer."""
        if (peer := self._peers.get(peer_id)) is not None:
            peer.plain_failed_at_ns = now_ns

    async def _peer(self, database: Database, peer_id: str) -> _Peer:
        known = self._peers.get(peer_id)
        if known is not None:
            return known
        async with database.read() as session:
            text = await peer_costs.of(session, peer_id)
        learned = Learned.from_json(text) if text is not None else Learned()
        # Another task may have read it meanwhile, and learned.
        return self._peers.setdefault(peer_id, _Peer(learned.costs, learned.habit))


def work_of(outgoing: Sequence[Outgoing]) -> Work:
    """The work of sending all of them together."""
    manifests = [each.manifest for each in outgoing]
    classified = sum(manifest.carried_classified_size for manifest in manifests)
    return Work(classified, sum(manifest.plain_size for manifest in manifests), len(manifests))


def wish_of(transfer: Transfer, hello: Hello) -> Wish:
    """What the author requested and what the peer allows. The planner chooses a number of channels that is 0."""
    return Wish(
        cast(RequestedMode, transfer.mode),
        transfer.secure_channels or None,
        transfer.plain_channels or None,
        most_secure=hello.max_secure_channels,
        most_plain=hello.max_plain_channels,
        off_plain=transfer.off_plain,
    )


def _setup_ms(marks: TimingMarks, kind: str, done: str) -> float | None:
    """How long the first channel of a kind took to set up; None if none was."""
    for mark in marks.taken:
        if mark.name == "connecting" and mark.channel.startswith(kind):
            ready = [each.at_ns for each in marks.taken if each.name == done and each.channel == mark.channel]
            return (min(ready) - mark.at_ns) / NS_PER_MS if ready else None
    return None
