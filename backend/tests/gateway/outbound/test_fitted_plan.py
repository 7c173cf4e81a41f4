"""What a peer takes, and what a plan comes to with it: how many channels, which splits, how large a chunk."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.by_hand import ByHand
from gateway.two_gateways import RECEIVING, Pair, document, paired
from sieve.channel.attempt import Attempt, Plan
from sieve.channel.chunk_sizes import COMMON_CHUNK, MAX_CHUNK
from sieve.channel.errors import MalformedOpening
from sieve.channel.receiver import Limits
from sieve.core.document import Document
from sieve.core.split import SPLITS
from sieve.core.split.batches import BATCH_SPLITS
from sieve.gateway.errors import PeerRefused, UnfitPlan
from sieve.gateway.outbound.fitted_plan import fit
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link


@pytest.fixture
async def modest_pair(tmp_path: Path, template: Path) -> AsyncIterator[Pair]:
    """Bravo takes two channels of each kind."""
    limits = Limits(64 * 1024 * 1024, 16, max_secure_channels=2, max_plain_channels=2)
    async with paired(tmp_path, template, bravo={"receiving_settings": replace(RECEIVING, limits=limits)}) as both:
        yield both


@pytest.mark.parametrize(("plan", "kind"), [(Plan("sieve", 3, 1), "secure"), (Plan("sieve", 1, 3), "plain")])
async def test_more_channels_than_the_peer_takes_are_refused_at_once(modest_pair: Pair, plan: Plan, kind: str) -> None:
    with pytest.raises(UnfitPlan, match=f"bravo takes at most 2 {kind} channels for a transfer, not 3"):
        await modest_pair.send(document(), plan)
    await modest_pair.delivers(document(), Plan("sieve", 2, 2))
    await modest_pair.delivers(document(), Plan("secure-only", 2, 3))  # it uses no plain one


async def test_or_before_the_first_attempt_if_the_peer_could_not_be_asked(modest_pair: Pair) -> None:
    await modest_pair.bravo.stop()
    transfer_id = await modest_pair.send(document(), Plan("sieve", 3))
    await modest_pair.alpha.tried(transfer_id)
    await modest_pair.bravo.start()
    ended = await modest_pair.alpha.ended(transfer_id)
    assert (ended.state, ended.reason) == ("failed", "bravo takes at most 2 secure channels for a transfer, not 3")


async def test_an_opening_with_too_many_is_declined(modest_pair: Pair) -> None:
    hand = ByHand.of(modest_pair, document(), plan=Plan("sieve", 1, 3))
    hand.begin()
    hand.whole_secure_stream()
    with pytest.raises(PeerRefused, match="3 plain channels; this gateway takes at most 2") as refused:
        await hand.hear()
    assert (refused.value.kind, refused.value.permanent) == ("too-many-channels", True)


async def test_segments_of_very_many_spans_are_not_split(pair: Pair) -> None:
    many = Document(bytes(65_537), [(at, at + 1) for at in range(65_537)])
    with pytest.raises(UnfitPlan, match="use range"):
        await pair.send(many, Plan("sieve", 2, 2, "ss"))
    await pair.delivers(many, Plan("sieve", 2, 2))


@pytest.mark.parametrize(
    ("plan", "documents", "note"),
    [
        (Plan("sieve", 1, 2, "es"), 1, "sees where classified text was cut out: es is for research"),
        (Plan("sieve", 2, 3, "bss"), 1, "ss is for research"),
        (Plan("sieve", 2, 3, "bfs"), 2, "sees how long the plain stream of each document is: bfs is for research"),
        (Plan("sieve", 3, 1, "es"), 1, None),
        (Plan("secure-only", 3, 2, "es"), 1, None),
        (Plan("sieve", 3, 2), 1, None),
    ],
)
def test_a_split_that_shows_more_says_so(plan: Plan, documents: int, note: str | None) -> None:
    told = fit(plan, Hello("bravo", (1, 2), 1, "", 8, 8, SPLITS, 64, BATCH_SPLITS), documents).note
    assert told is None if note is None else note in (told or "")


@pytest.mark.parametrize("largest", [COMMON_CHUNK, MAX_CHUNK])
async def test_no_chunk_is_larger_than_the_peer_takes(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    real, put, sent = Link.hello, Link.put_plain, []

    async def taking(self: Link, *arguments: Any) -> Hello:
        return replace(await real(self, *arguments), max_chunk=largest)

    async def noted(self: Link, path: str, chunk: bytes, *arguments: Any, **options: Any) -> Any:
        sent.append(len(chunk))
        return await put(self, path, chunk, *arguments, **options)

    monkeypatch.setattr(Link, "hello", taking)
    monkeypatch.setattr(Link, "put_plain", noted)
    await pair.delivers(Document(bytes(9_000_001), [(0, 1)]), Plan("sieve", 1, 1))
    assert max(sent) == largest and sum(sent) == 9_000_000


@pytest.fixture
def rolled_back(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[bool]]:
    """From when it is called, bravo is of a version before `max_chunk`. Gives whether each opening since had it."""

    def roll_back() -> list[bool]:
        said, read, seen = Hello.of, Attempt.from_head, []

        def before(head: dict[str, Any], numbers: tuple[int, ...]) -> Attempt:
            seen.append("max_chunk" in head)
            if seen[-1]:
                raise MalformedOpening("the attempt has fields that this version does not know")
            return read(head, numbers)

        monkeypatch.setattr(Hello, "of", lambda answer: said({k: v for k, v in answer.items() if k != "max_chunk"}))
        monkeypatch.setattr(Attempt, "from_head", before)
        return seen

    return roll_back


async def test_a_peer_that_was_rolled_back_is_greeted_again(
    pair_over_any: Pair, rolled_back: Callable[[], list[bool]]
) -> None:
    await pair_over_any.delivers(document())
    openings = rolled_back()
    again = await pair_over_any.delivers(document())
    assert openings == [True, False]
    for transfer_id in (again, *(companion for companion, _ in pair_over_any.companions[again])):
        assert (await pair_over_any.alpha.row(transfer_id)).attempt == 1
    await pair_over_any.delivers(document())
    assert openings == [True, False, False]


async def test_a_peer_that_understands_nothing_is_greeted_once_more(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pair.delivers(document())
    openings = []

    def refuse(*_: Any) -> None:
        openings.append(1)
        raise MalformedOpening("not a word of it")

    monkeypatch.setattr(Attempt, "from_head", refuse)
    bravo = pair.alpha.peers.by_name("bravo")
    assert bravo is not None
    for tries in (2, 1):  # with a hello from before, and with the one that was just said
        openings.clear()
        ended = await pair.alpha.ended(await pair.send(document()))
        assert (ended.state, ended.reason) == ("failed", "bravo refused: not a word of it")
        assert len(openings) == tries
        pair.alpha.links.to(bravo).forget()


def test_what_a_peer_says_of_chunks_is_brought_to_what_there_is() -> None:
    said = {
        "name": "bravo",
        "versions": [1, 2],
        "max_document_bytes": 10**9,
        "plain_url": "http://bravo.example:8081",
        "max_secure_channels": 8,
        "max_plain_channels": 8,
        "splits": ["range"],
        "max_batch": 1,
    }
    assert Hello.of(said).max_chunk == COMMON_CHUNK, "gateways before did not say it"
    for asked, taken in [(0, COMMON_CHUNK), (MAX_CHUNK - 1, COMMON_CHUNK), (MAX_CHUNK, MAX_CHUNK), (10**9, MAX_CHUNK)]:
        assert Hello.of(said | {"max_chunk": asked}).max_chunk == taken
