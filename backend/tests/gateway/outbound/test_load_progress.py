"""How far each document of a load is: every byte is counted once, for its own document, and only once is news."""

import uuid
from collections.abc import Sequence

from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

from sieve.channel.attempt import Attempt, Plan
from sieve.channel.load import Load
from sieve.channel.manifest import Manifest
from sieve.channel.seals import SealKey
from sieve.channel.sender import Sender, Trust
from sieve.core.document import Spans
from sieve.gateway.outbound.load_progress import LoadProgress
from sieve.gateway.telemetry.progress import Progress

TRUST = Trust("aa" * 32, frozenset({"bb" * 32}), bytes(32))
PLANS = (Plan("sieve", 2, 3), Plan("secure-only", 2), Plan("sieve", 2, 2, "bes"), Plan("sieve", 2, 2, "bfs"))


def manifest(size: int, classified: int) -> Manifest:
    return Manifest(
        transfer_id=uuid.uuid4().hex,
        salt=bytes(32),
        name="a.txt",
        media_type="text/plain",
        size=size,
        spans=Spans.of([(0, classified)] if classified else []),
        classified_digest=blake3(b"").digest(),
        plain_digest=blake3(b"").digest(),
        recipients=("bruno",),
        sender="Anna",
        deadline_at_ns=1,
    )


def carried(
    sizes: Sequence[tuple[int, int]], plan: Plan, *, padded: bool = False
) -> tuple[Sender, LoadProgress, dict[str, Progress]]:
    load = Load(tuple(manifest(size, min(size, classified)) for size, classified in sizes))
    attempt = Attempt("00" * 16, SealKey(bytes(32)), plan, (1,) * len(sizes), padded=padded)
    core = Sender(load, attempt, TRUST)
    latest: dict[str, Progress] = {}

    def publish(progress: Progress) -> None:
        latest[progress.transfer_id] = progress

    told = LoadProgress(core, publish, uses_plain_channel=plan.uses_plain_channel)
    told.begin()
    return core, told, latest


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 300_000), st.integers(0, 300_000)), min_size=1, max_size=5),
    st.sampled_from(PLANS),
    st.integers(1, 300),
    st.booleans(),
)
def test_in_the_end_each_document_has_all_its_bytes(
    sizes: list[tuple[int, int]], plan: Plan, pieces: int, padded: bool
) -> None:
    """Padding is nobody's."""
    core, told, latest = carried(sizes, plan, padded=padded)
    for number, part in enumerate(core.secure):
        piece = part.size // pieces + 1
        for start in range(0, part.size, piece):
            told.secure(number, start, min(start + piece, part.size))
    if plan.uses_plain_channel:
        for number in range(core.chunks.count):
            told.plain(number)
    for progress, (size, _) in zip(latest.values(), sizes, strict=True):
        assert (progress.secure_sent, progress.plain_sent) == (progress.secure_total, progress.plain_total)
        assert progress.secure_total + progress.plain_total == size
        assert all(channel.sent == channel.total for channel in progress.channels)


def test_what_is_sent_again_is_no_news() -> None:
    core, told, latest = carried([(200_000, 100_000), (50_000, 0)], Plan("sieve"))
    assert told.secure(0, 0, 60_000)
    # It was cut, and the peer asks for all bytes again: only those after the cut are new.
    assert not told.secure(0, 0, 30_000)
    assert not told.secure(0, 30_000, 60_000)
    assert told.secure(0, 40_000, 100_000)
    first, second = latest.values()
    assert (first.secure_sent, second.secure_sent) == (100_000, 0)
    assert told.plain(0) and not told.plain(0)
    # Once more over the secure channel it is another way, and once.
    assert told.plain(0, securely=True) and not told.plain(0, securely=True)
    first, second = latest.values()
    assert first.plain_sent + second.plain_sent == core.chunks.length(0)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 300_000), st.integers(0, 300_000)), min_size=1, max_size=4),
    st.sampled_from(PLANS),
    st.integers(0, 100),
)
def test_what_left_is_counted_for_its_own_document(sizes: list[tuple[int, int]], plan: Plan, percent: int) -> None:
    core, told, latest = carried(sizes, plan)
    for number, part in enumerate(core.secure):
        told.leaving_secure(number, part.size * percent // 100)
        told.leaving_secure(number, 0)
    chunks = range(core.chunks.count if plan.uses_plain_channel else 0)
    for number in chunks:
        told.leaving_chunk(number)
        told.leaving_chunk(number)
    totals = [(progress.secure_total, progress.plain_total) for progress in latest.values()]
    left = [told.left(transfer_id) for transfer_id in latest]
    assert [each.plain for each in left] == [plain for _, plain in totals]
    assert all(each.secure <= secure for each, (secure, _) in zip(left, totals, strict=True))
    assert sum(each.secure for each in left) == sum(part.size * percent // 100 for part in core.secure)


def test_nothing_left_before_the_first_byte_and_a_moved_chunk_left_on_the_secure_channel() -> None:
    core, told, latest = carried([(200_000, 100_000)], Plan("sieve"))
    [transfer_id] = latest
    told.leaving_chunk(0, securely=True)
    assert told.left(transfer_id) == (core.chunks.length(0), 0)


def test_nothing_more_is_said_of_a_document_that_has_its_end() -> None:
    _, told, latest = carried([(200, 100), (200, 100)], Plan("sieve"))
    gone, other = latest
    told.ended(gone)
    told.secure(0, 0, 200)
    told.verified()
    assert (latest[gone].secure_sent, latest[gone].verified) == (0, False)
    assert (latest[other].secure_sent, latest[other].verified) == (100, True)
