"""What the API answers about timings. Null: nothing was measured."""

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import BaseModel

from sieve.gateway.telemetry.timing_causes import TimingCause
from sieve.store.models import PeerState, TransferState
from sieve.store.models.timings import Direction, HistogramFigure, TimingOutcome
from sieve.web.schemas import SaidShown

SizeClass: TypeAlias = Literal["10KB", "100KB", "1MB", "10MB", "100MB", "1GB", "more"]
ShareClass: TypeAlias = Literal["0", "10", "25", "50", "75", "90", "99", "100"]
BatchClass: TypeAlias = Literal["1", "2-4", "5-9", "10+"]
DeliveryMode: TypeAlias = Literal["sieve", "secure-only"]
"""How a delivered transfer was sent."""
RecordedMode: TypeAlias = Literal["sieve", "secure-only", "auto"]
"""`auto`: the attempt ended before the mode was chosen."""
PhasesBy: TypeAlias = Literal["size", "share", "peer", "mode"]


class Percentiles(BaseModel):
    """Of `count` transfers; null of none."""

    count: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    mean_ms: float | None


class Headline(BaseModel):
    """`transfers`: those that ended, as `delivered`, `failed` or `cancelled`. `retries`: attempts that failed and were
    followed by another. `clock_moved`: attempts during which the clock was set back. The bytes are of delivered
    documents; `plain_share`: the share of them that needed no encryption. `expected`: delivered transfers whose author
    was shown how long sending should take; `expected_within_two`: those that took at least half and at most twice as
    long, where less than a second counts as one.
    """

    transfers: int
    delivered: int
    failed: int
    cancelled: int
    retries: int
    clock_moved: int
    secure_bytes: int
    plain_bytes: int
    plain_share: float | None
    expected: int
    expected_within_two: int
    response: Percentiles
    total: Percentiles
    stored: Percentiles
    waiting: Percentiles


class TimingsProgress(BaseModel):
    """How far timings are. `waiting_records`: recorded, but not added up yet. `imported_percent`: of the transfers that
    ended before there were timings. `rebuild_percent`: of the rebuild that is under way; null if none is.
    """

    rolled_up: bool
    waiting_records: int
    import_done: bool
    imported_percent: float
    rebuild_percent: float | None


class TimingsChoices(BaseModel):
    """The values that filters can have here. `peers`: names, also of removed peers."""

    peers: list[str]
    channels: list[str]
    suites: list[str]


class TimingsSummary(BaseModel):
    """`since`, `until`: the time range that is answered for, which begins and ends on a minute, hour or day, as they
    are still kept. `previous`: the range before, from `previous_since` to `previous_until`. With filters of two or
    three kinds, only whole hours or days are kept of a time some days ago; then it is up to half a day longer or
    shorter. `own`: without a direction, those of the current transfers that went to people of this gateway. They count
    once, as sent.
    """

    since: datetime
    until: datetime
    progress: TimingsProgress
    own: int
    current: Headline
    previous: Headline
    previous_since: datetime
    previous_until: datetime
    choices: TimingsChoices


class ResponsesShown(BaseModel):
    """One figure over time. `columns`: when each begins; they are `width_s` seconds wide. `bucket_edges_ms`: one more
    than there are buckets; bucket 0 is from edge 0 to edge 1. `cells`: column, bucket, transfers; without empty ones.
    `count`, `p50_ms`, `p95_ms`, `p99_ms`: one value for each column.
    """

    figure: HistogramFigure
    width_s: int
    columns: list[datetime]
    bucket_edges_ms: list[float]
    cells: list[tuple[int, int, int]]
    count: list[int]
    p50_ms: list[float | None]
    p95_ms: list[float | None]
    p99_ms: list[float | None]


class CellTransfer(BaseModel):
    """A transfer in a cell. `size`: bytes. `share`: the class of its share classified, not how much exactly: of a
    document with one span, that would be the length of the span. `value_ms`: of the figure asked for. `clock_moved`:
    the clock was set back during the attempt.
    """

    transfer_id: str
    direction: Direction
    at: datetime
    peer: str
    mode: str
    outcome: TimingOutcome
    size: int
    share: ShareClass
    value_ms: float
    clock_moved: bool


class CellShown(BaseModel):
    """The latest transfers of a cell, at most as many as asked for. `more`: there are others."""

    transfers: list[CellTransfer]
    more: bool


class PhaseMeans(BaseModel):
    """Mean times of delivered transfers. A phase that is not measured counts as 0: of a received document, these are
    all before the data transfer.
    """

    waiting: float
    sieve: float
    split: float
    establishment: float
    data_transfer: float
    combine: float
    integrate: float
    storing: float


class PhaseGroup(BaseModel):
    """`key`: for programs; `label`: for people. `count`: delivered transfers."""

    key: str
    label: str
    count: int
    mean_ms: PhaseMeans


class PhasesShown(BaseModel):
    """`groups`: by size and share in their order, else the largest first. At most 20 peers, and `others`."""

    by: PhasesBy
    groups: list[PhaseGroup]


class ModeMean(BaseModel):
    """The mean response of `count` delivered transfers."""

    count: int
    mean_ms: float | None


class ModesCell(BaseModel):
    """A size and share class. `improvement_percent`: how much shorter the mean response of sieve is than that of
    secure-only; `low` and `high`: its 95 % confidence interval. They are null unless `enough`: at least 10 transfers
    in each mode.
    """

    size: SizeClass
    share: ShareClass
    sieve: ModeMean
    secure_only: ModeMean
    improvement_percent: float | None
    low: float | None
    high: float | None
    enough: bool


class BreakEvenShown(BaseModel):
    """`share`: the share classified, 0 to 1, above which secure-only is faster; null for the `reason`, which is
    empty otherwise.
    """

    size: SizeClass
    share: float | None
    reason: str
    said: SaidShown | None


class PlannerShown(BaseModel):
    """`predicted`: delivered transfers with an estimate. `within_two`: of these, those whose response was at least half
    and at most twice the estimate. `other_faster`: those that the other mode would have sent faster, by its estimate.
    `expected`: delivered transfers whose author was shown how long sending should take, from accepting it to its
    receipt; `expected_within_two`: those that took at least half and at most twice as long, where less than a second
    counts as one. `mean_expected_ms`, `mean_turnaround_ms`: what they were shown and what it took, on average.
    """

    predicted: int
    within_two: int
    other_faster: int
    within_two_share: float | None
    other_faster_share: float | None
    expected: int
    expected_within_two: int
    expected_within_two_share: float | None
    mean_expected_ms: float | None
    mean_turnaround_ms: float | None


class ModesShown(BaseModel):
    """The modes compared; of what was sent, unless `direction` says otherwise. `cells`: those with transfers."""

    cells: list[ModesCell]
    break_even: list[BreakEvenShown]
    planner: PlannerShown


class PointsShown(BaseModel):
    """Delivered transfers, one value of each in every list; a random sample of all `of` if there are more than asked
    for. `size`: bytes. `share`: the class of the share classified, as in `CellTransfer`.
    """

    of: int
    count: int
    transfer_id: list[str]
    direction: list[Direction]
    at: list[datetime]
    size: list[int]
    share: list[ShareClass]
    response_ms: list[float]
    mode: list[str]


class QueueSeries(BaseModel):
    """`ended`: transfers that were delivered, failed or were cancelled. `accepted`: those that authors sent in each
    column; null with filters by which these are not counted: any but peer, or a peer over more than two days.
    """

    width_s: int
    columns: list[datetime]
    accepted: list[int] | None
    ended: list[int]


class CauseCount(BaseModel):
    """A reason for which attempts failed. `label`: for people. `count`: attempts."""

    cause: TimingCause
    label: str
    count: int


class PeerQueue(BaseModel):
    """`breaker_open_until`: nothing is sent there until then. `failures`: in a row. `waiting`: queued transfers.
    `last_delivered_at`: of the latest transfer that was delivered.
    """

    name: str
    state: PeerState
    breaker_open_until: datetime | None
    failures: int
    waiting: int
    oldest_waiting_s: float | None
    last_delivered_at: datetime | None


class DeadlineShown(BaseModel):
    """A transfer that fails at `deadline_at` if it is not delivered by then."""

    transfer_id: str
    peer: str
    deadline_at: datetime
    state: TransferState


class QueueShown(BaseModel):
    """The outbox now: always of what is sent. For what waits or is being sent, only peer, size, share and the mode that
    was asked for count; all filters count for what ended. `oldest_waiting_s`, `oldest_sending_s`: since the oldest
    transfer that waits, or is being sent, was accepted; null if there is none. `rate_in_per_s`, `rate_out_per_s`:
    transfers accepted and ended in the last hour, per second; `rate_in_per_s` is null with any filter but peer.
    `causes`: the most frequent first. `peers`: those with failures or waiting transfers first. `deadlines`: of open
    transfers, those within an hour, at most 20.
    """

    depth: int
    sending: int
    oldest_waiting_s: float | None
    oldest_sending_s: float | None
    rate_in_per_s: float | None
    rate_out_per_s: float
    series: QueueSeries
    causes: list[CauseCount]
    peers: list[PeerQueue]
    deadlines: list[DeadlineShown]


StandoutKind: TypeAlias = Literal["paused", "failures", "plain-channel", "phase"]
Phase: TypeAlias = Literal[
    "waiting", "sieve", "split", "establishment", "data_transfer", "combine", "integrate", "storing"
]

SlowChannel: TypeAlias = Literal["plain", "secure"]


class Standout(BaseModel):
    """Something that stands out. `peer`: null for all peers, or for causes that say nothing about a peer.

    `paused`: nothing is sent to the peer until `paused_until`; `count`: failures in a row. `failures`: `count` of the
    `of` attempts were not delivered because of `cause`. `plain-channel`: the plain channel failed or was too slow in
    `count` of the `of` attempts over both channels, delivered or not. `count_before`, `of_before`: the same in the time
    range before. `phase`: the mean of `phase` is `mean_ms` in `count` delivered transfers; for transfers of the same
    modes and similar sizes it was `before_ms` in the time range before, and is `others_ms` with other peers; null if
    there are not enough to compare. `than`: which of these it is much longer than; `before` if both. `channel`: the
    one that most of these data transfers wait for; null if that is not one channel, or not known.
    """

    kind: StandoutKind
    peer: str | None
    paused_until: datetime | None = None
    cause: TimingCause | None = None
    label: str | None = None
    count: int
    of: int | None = None
    count_before: int | None = None
    of_before: int | None = None
    phase: Phase | None = None
    channel: SlowChannel | None = None
    mean_ms: float | None = None
    before_ms: float | None = None
    others_ms: float | None = None
    than: Literal["before", "others"] | None = None


class StandoutsShown(BaseModel):
    """What stands out, the most urgent first. `more`: others that are left out. `attempts`: those whose causes were
    counted; `attempts_compared`: those of them to a peer with at least 30 attempts in the time range before, without
    which no cause can have become more frequent. `compared`: delivered transfers in which phases were compared;
    `sampled_of`: if they are from a random sample, of how many. Each comparison needs 10 transfers to a peer, and 10
    others of the same modes and similar sizes. `since`, `until`: the time range that was read, which is that asked
    for, in a long one with the rest of its first and last hour or day; `previous_since`, `previous_until`: the one
    before it.
    """

    since: datetime
    until: datetime
    previous_since: datetime
    previous_until: datetime
    items: list[Standout]
    more: int
    attempts: int
    attempts_compared: int
    compared: int
    sampled_of: int | None


CapacityModelName: TypeAlias = Literal["single-server", "several-servers"]


class CapacityModel(BaseModel):
    """A queueing model fitted to the `measured` periods. `demand_ms`: a server's time for one transfer of this mix.
    `saturation_per_s`: the arrival rate at which the queue grows without end. `error_percent`: the root of the mean
    square of its relative errors. `points`: transfers per second and milliseconds, up to nearly `saturation_per_s`.
    """

    name: CapacityModelName
    demand_ms: float
    servers: int
    saturation_per_s: float
    error_percent: float
    points: list[tuple[float, float]]


class CapacityCurve(BaseModel):
    """The response of one mode at each arrival rate, if every document were like the one asked about. `count`:
    delivered transfers in this mode; `sampled`: those of them that the demand is fitted to. `demand_ms`: a server's
    time for one attempt, and half of its 95 % interval; null for the `reason`, a sentence. `extrapolated`: no measured
    document was nearly as large, or as small. `points`: documents per second and milliseconds, up to nearly
    `saturation_per_s`.
    """

    mode: DeliveryMode
    count: int
    sampled: int
    demand_ms: float | None
    demand_ci95_ms: float | None
    extrapolated: bool
    saturation_per_s: float | None
    points: list[tuple[float, float]]
    reason: str | None
    said: SaidShown | None


class CapacityLoad(BaseModel):
    """What was measured: transfers that ended per second, in the mean of the time range and in the busiest hour, and
    the mean total time. `busiest_at`: the start of that hour, a whole one by the clock in UTC that the range touches;
    null if none ended. `busiest_span_s`: 3600, or 86400 if the range begins at a time of which only days are kept: then
    it is the busiest day. `busiest_so_far`: it is the current one, and its rate is that so far. `batch`: the most
    frequent batch class.
    """

    rate_per_s: float
    busiest_per_s: float
    busiest_span_s: int
    busiest_so_far: bool
    busiest_at: datetime | None
    mean_response_ms: float | None
    batch: BatchClass | None


class CapacityDocument(BaseModel):
    """What the answer is about: the values asked for, else the means of the measured transfers."""

    rate_per_s: float
    document_bytes: int
    classified_share: float
    documents: int
    secure_channels: int
    plain_channels: int


class CapacityAnswer(BaseModel):
    """For the document asked about: the faster mode, or the one asked for. `response_ms`: the total time; of several
    documents, that of an attempt with all of them, which arrive at once. It is null if this gateway would be saturated,
    or if there are not `enough` transfers. `reason`: what limits the answer; `said`: the same, a sentence each.
    """

    mode: DeliveryMode | None
    response_ms: float | None
    saturation_per_s: float | None
    enough: bool
    reason: str | None
    said: list[SaidShown]


class CapacityShown(BaseModel):
    """What load this gateway can carry; of what was sent, unless `direction` says otherwise. `models`: of the measured
    mix, or none for the `models_reason`; `chosen`: the one that fits better. `measured`: periods, as transfers per
    second, mean total time in milliseconds, and delivered transfers; they are of all transfers. `curves` are fitted to
    a random sample of `sampled` delivered transfers; `sampled_since`: earlier ones are no longer kept one by one; null
    if the range begins later.
    """

    load: CapacityLoad
    models: list[CapacityModel]
    chosen: CapacityModelName | None
    models_reason: str | None
    models_said: SaidShown | None
    measured: list[tuple[float, float, int]]
    asked: CapacityDocument
    sampled: int
    sampled_since: datetime | None
    curves: list[CapacityCurve]
    answer: CapacityAnswer
