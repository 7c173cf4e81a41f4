"""Plans attempts with what the planner learned of each peer. It reads that once, and stores it again from time to time.

Invariant: planning delays nothing. What is learned stays in memory; a crash loses that of the last second, and a few
transfers are planned a little worse. The planner learns nothing from an attempt whose plain stream did not go over the
plain channel, because anyone on the path could cause that; for `OFF_PLAIN_NS` it then does not use that channel.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, cast

from sieve.channel.attempt import MODES, AnySplit, Mode, Plan
from sieve.channel.padding import padme
from sieve.core.sentence import Sentence
from sieve.gateway.outbound.fitted_plan import FittedPlan, fit
from sieve.gateway.outbound.learned_costs import Learned
from sieve.gateway.outbound.outgoing_document import OutgoingDocument
from sieve.gateway.outbound.planner.choice import Choice, RequestedMode, Wish, choose, together
from sieve.gateway.outbound.planner.costs import Costs, Way, Work
from sieve.gateway.outbound.planner.forecasts import Ahead, Record, forecast_ms
from sieve.gateway.peering.hello import Hello
from sieve.gateway.telemetry.timing import NS_PER_MS, ReceiverDurations, timings
from sieve.gateway.telemetry.timing_marks import SECURE, TimingMarks
from sieve.store.database import Database
from sieve.store.models import Transfer
from sieve.store.queries import outbox, peer_costs

LEARN_EVERY_NS: Final = 10_000_000
"""A hundred transfers a second are enough to learn from."""
KEEP_EVERY_NS: Final = 1_000_000_000
OFF_PLAIN_NS: Final = 600 * 1_000_000_000
KNOWN_NS: Final = 6 * 3600 * 1_000_000_000
"""A mode that was measured within this time needs no probe."""
PROBE_AGAIN_NS: Final = 900 * 1_000_000_000
MOST_AHEAD: Final = 64
"""With more transfers ahead of one, nobody can say when it is delivered."""


class Waited(NamedTuple):
    """How long an author waited for a transfer that its first attempt delivered, and what was forecast when it was
    accepted. `idle`: nothing was ahead of it, and the channels were open."""

    ms: float
    forecast_ms: float | None
    idle: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """What the planner would do now. `setup_ms`: the time to open the channels, if none is open. `forecast_ms`: how
    long the author waits, whether or not that is shown. `idle`: nothing is ahead, and the channels are open."""

    choice: Choice
    setup_ms: float
    forecast_ms: float | None
    idle: bool


@dataclass(slots=True)
class LearnedPeer:
    costs: Costs = field(default_factory=Costs)
    last: Mode | None = None
    record: Record = field(default_factory=Record)
    learnt_at_ns: int = 0
    kept_at_ns: int = 0
    plain_failed_at_ns: int | None = None
    measured_at_ns: dict[Mode, int] = field(default_factory=dict)
    probed_at_ns: int | None = None

    def plain_failed_lately(self, now_ns: int) -> bool:
        return self.plain_failed_at_ns is not None and 0 <= now_ns - self.plain_failed_at_ns < OFF_PLAIN_NS

    def wish(self, wish: Wish, now_ns: int) -> Wish:
        """The wish without the plain channel, if that failed lately and the planner may choose."""
        failed = wish.mode == "auto" and self.plain_failed_lately(now_ns)
        return replace(wish, off_plain=True, plain_failed=True) if failed else wish


@dataclass(slots=True)
class Planning:
    """What the planner knows of every peer that was planned for since the start."""

    peers: dict[str, LearnedPeer] = field(default_factory=dict)

    async def plan(
        self,
        database: Database,
        transfer: Transfer,
        outgoing: Sequence[OutgoingDocument],
        hello: Hello,
        timing_marks: TimingMarks,
        now_ns: int,
    ) -> FittedPlan:
        """The plan of an attempt of one transfer, or of several together with equal requests.

        Raises:
            UnfitPlan: the peer does not accept the request.
        """
        peer = await self._peer(database, transfer.peer_id)
        wish = peer.wish(wish_of(transfer, hello), now_ns)
        chosen = choose(
            peer.costs,
            _padded(work_of(outgoing)),
            wish,
            peer.last,
            sieve_ms=sum(each.sieve_ns for each in outgoing) / NS_PER_MS,
            # If the secure channel was only opened now, no plain one is open either.
            warm=timing_marks.first("connecting", SECURE) is None,
        )
        way = chosen.way
        asked_plain = transfer.plain_channels or way.plain_channels
        # Not every split is possible without the plain channel.
        split = cast(AnySplit, "range" if wish.off_plain else transfer.split)
        plan = Plan(way.mode, way.secure_channels, asked_plain, split)
        fitted = fit(plan, hello, len(outgoing))
        if len(outgoing) > 1 and transfer.batch_id is None:
            together = Sentence(
                "note-waited-together",
                "sent together with {count} others that waited for {peer}",
                one="sent together with another one that waited for {peer}",
                count=len(outgoing) - 1,
                peer=hello.name,
            )
            fitted = fitted._replace(note=together)
        if chosen.estimate.reason == "faster" and not wish.off_plain:
            peer.last = way.mode
        # The author was given this one.
        expected_ms = _latest(transfer)["estimate"].get("expected_ms")
        return fitted._replace(estimate=replace(chosen.estimate, expected_ms=expected_ms).rounded())

    def together(
        self, peer_id: str, mode: str, waiting: Sequence[Work], *, most_documents: int, most_bytes: int
    ) -> int:
        """How many of the documents that wait for a peer, from the first on, should go together: at least 1."""
        peer = self.peers.get(peer_id) or LearnedPeer()
        likely: Mode = "secure-only" if "secure-only" in (mode, peer.last if mode == "auto" else mode) else "sieve"
        return together(peer.costs, waiting, likely, most_documents=most_documents, most_bytes=most_bytes)

    async def preview(
        self, database: Database, peer_id: str, work: Work, wish: Wish, now_ns: int, *, warm: bool, down: bool = False
    ) -> Preview:
        """What the planner would do, and how long that would take. `warm`: the secure channel is open. `down`: the peer
        does not answer, so nobody knows how long it takes."""
        peer, work = await self._peer(database, peer_id), _padded(work)
        async with database.read() as session:
            sizes = await outbox.ahead(session, peer_id, most=MOST_AHEAD + 1)
        ahead = Ahead(many=down or len(sizes) > MOST_AHEAD)
        if sizes and not ahead.many:
            classified = sum(each for _, each in sizes)
            ahead = Ahead(Work(classified, sum(size for size, _ in sizes) - classified, len(sizes)))
        chosen = choose(peer.costs, work, peer.wish(wish, now_ns), peer.last)
        predicted_ms = chosen.estimate.predicted_ms
        expected_ms = forecast_ms(
            peer.costs, peer.record, chosen.way, predicted_ms, chosen.spread, ahead=ahead, warm=warm
        )
        shown_ms = expected_ms if peer.record.is_good else None
        chosen = replace(chosen, estimate=replace(chosen.estimate, expected_ms=shown_ms))
        return Preview(chosen, peer.costs.setup_ms(chosen.way), expected_ms, warm and not sizes)

    def connected(self, peer_id: str, timing_marks: TimingMarks) -> None:
        """Learns how long a connection took that was opened before the attempt."""
        if (peer := self.peers.get(peer_id)) is not None:
            peer.costs = peer.costs.learn_setup(secure_ms=_setup_ms(timing_marks, "secure", "handshaken"))

    def learn(
        self,
        peer_id: str,
        work: Work,
        plan: Plan,
        timing_marks: TimingMarks,
        durations: ReceiverDurations | None,
        now_ns: int,
        waited: Waited | None = None,
    ) -> str | None:
        """Learns from a delivered transfer. Returns what to store in the database (JSON), if it is time to."""
        peer = self.peers.get(peer_id)
        if peer is None or durations is None or now_ns - peer.learnt_at_ns < LEARN_EVERY_NS:
            return None
        peer.learnt_at_ns = peer.measured_at_ns[plan.mode] = now_ns
        way = Way(plan.mode, plan.secure_channels, plan.plain_channels if plan.uses_plain_channel else 1)
        # The sieve's own time is known for each document, and no cost of the peer.
        response_ms = timings(timing_marks, plan.mode, 0, durations).response
        peer.costs = peer.costs.learn(_padded(work), way, response_ms).learn_setup(
            secure_ms=_setup_ms(timing_marks, "secure", "handshaken"),
            plain_ms=_setup_ms(timing_marks, "plain", "connected"),
        )
        if waited is not None:
            if waited.forecast_ms is not None:
                peer.record = peer.record.judged(waited.forecast_ms, waited.ms)
            if waited.idle:
                peer.record = peer.record.learn_beside(waited.ms - response_ms)
        if now_ns - peer.kept_at_ns < KEEP_EVERY_NS:
            return None
        peer.kept_at_ns = now_ns
        return Learned(peer.costs, peer.last, peer.record).to_json()

    async def is_probe_due(self, database: Database, peer_id: str, now_ns: int) -> bool:
        """Whether a mode was not measured lately, so that probes are worth their bytes; True at most once in
        `PROBE_AGAIN_NS`."""
        peer = await self._peer(database, peer_id)
        if peer.probed_at_ns is not None and now_ns - peer.probed_at_ns < PROBE_AGAIN_NS:
            return False
        times = [peer.measured_at_ns.get(mode) for mode in MODES]
        if all(at is not None and now_ns - at < KNOWN_NS for at in times):
            return False
        peer.probed_at_ns = now_ns
        return True

    def learn_probe(self, peer_id: str, work: Work, way: Way, response_ms: float, now_ns: int) -> str | None:
        """Learns from a probe. Returns what to store in the database (JSON)."""
        if (peer := self.peers.get(peer_id)) is None:
            return None
        peer.costs = peer.costs.learn(work, way, response_ms)
        peer.measured_at_ns[way.mode] = now_ns
        return Learned(peer.costs, peer.last, peer.record).to_json()

    def plain_failed(self, peer_id: str, now_ns: int) -> None:
        """An attempt could not use the plain channel to that peer."""
        if (peer := self.peers.get(peer_id)) is not None:
            peer.plain_failed_at_ns = now_ns

    async def _peer(self, database: Database, peer_id: str) -> LearnedPeer:
        known = self.peers.get(peer_id)
        if known is not None:
            return known
        async with database.read() as session:
            text = await peer_costs.of(session, peer_id)
        learned = Learned.from_json(text) if text is not None else Learned()
        # Another task may have read it meanwhile, and learned.
        return self.peers.setdefault(peer_id, LearnedPeer(learned.costs, learned.last, learned.record))


def work_of(outgoing: Sequence[OutgoingDocument]) -> Work:
    """The work of sending all of them together."""
    manifests = [each.manifest for each in outgoing]
    classified = sum(manifest.carried_classified_size for manifest in manifests)
    return Work(classified, sum(manifest.plain_size for manifest in manifests), len(manifests))


def _padded(work: Work) -> Work:
    """The work as it travels. An observer sees the choice, so it must not depend on sizes that padding hides."""
    return replace(work, classified=padme(work.classified))


def wish_of(transfer: Transfer, hello: Hello) -> Wish:
    """What the author requested and what the peer allows. The planner chooses a number of channels that is 0."""
    latest = _latest(transfer)
    plain_failed = latest.get("mode") == "sieve" or latest["estimate"].get("reason") == "plain-failed"
    return Wish(
        cast(RequestedMode, transfer.mode),
        transfer.secure_channels or None,
        transfer.plain_channels or None,
        most_secure=hello.max_secure_channels,
        most_plain=hello.max_plain_channels,
        off_plain=transfer.off_plain,
        plain_failed=transfer.off_plain and plain_failed,
    )


def accepted(preview: Preview, split: AnySplit, documents: int) -> dict[str, Any]:
    """The plan of a transfer that is accepted, as JSON values, for its row until the first attempt makes its own."""
    way = preview.choice.way
    plan = Plan(way.mode, way.secure_channels, way.plain_channels, split)
    batch = documents if documents > 1 else None
    said = FittedPlan(plan, estimate=preview.choice.estimate.rounded(), batch=batch).to_json()
    unknown = dict.fromkeys(("cipher", "key_exchange", "seal"))
    return said | unknown | {"forecast_ms": preview.forecast_ms, "idle": preview.idle}


def waited(transfer: Transfer, heard_ns: int | None) -> Waited | None:
    """How long an author waited for a transfer, by the row that its claim read; None unless its first attempt delivered
    it."""
    latest = _latest(transfer)
    if transfer.attempt != 1 or heard_ns is None or "idle" not in latest:
        return None
    ms = (heard_ns - transfer.created_at_ns) / NS_PER_MS
    return Waited(ms, latest["forecast_ms"], latest["idle"]) if ms > 0 else None


def _latest(transfer: Transfer) -> dict[str, Any]:
    """The latest plan of a transfer, as JSON values; `estimate` may be empty."""
    plan: dict[str, Any] = json.loads(transfer.plan) if transfer.plan is not None else {}
    return plan | {"estimate": plan.get("estimate") or {}}


def _setup_ms(timing_marks: TimingMarks, kind: str, done: str) -> float | None:
    """How long the first channel of a kind took to set up; None if none was."""
    for mark in timing_marks.taken:
        if mark.name == "connecting" and mark.channel.startswith(kind):
            ready = [each.at_ns for each in timing_marks.taken if each.name == done and each.channel == mark.channel]
            return (min(ready) - mark.at_ns) / NS_PER_MS if ready else None
    return None
