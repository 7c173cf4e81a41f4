"""Padding between two gateways: who gets it, what a cut within it does, and what the sender writes."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from channel_cases import modest
from gateway.by_hand import ByHand, open_there
from gateway.two_gateways import Pair, document, until
from sieve.channel.padding import padme
from sieve.gateway.inbound.padded_answers import STEP
from sieve.gateway.outbound.planner.choice import Wish
from sieve.gateway.outbound.planner.costs import Work
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.gateway.stored_document import PIECE, blocks

DOCUMENT = document(200_000, 3)


@pytest.fixture
def bodies(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The pieces of each long request on the secure channel."""
    real, found = Link.stream, []

    def noted(self: Link, method: str, path: str, content: AsyncIterator[bytes], *more: Any) -> Any:
        pieces: list[int] = []
        found.append(pieces)

        async def passed() -> AsyncIterator[bytes]:
            async for piece in content:
                pieces.append(len(piece))
                yield piece

        return real(self, method, path, passed(), *more)

    monkeypatch.setattr(Link, "stream", noted)
    return found


async def test_bodies_have_padded_lengths_and_pieces_that_show_nothing(pair: Pair, bodies: list[list[int]]) -> None:
    await pair.delivers(document(2_000_000, 3, 300_000))
    [pieces] = bodies
    assert sum(pieces) == padme(sum(pieces)) > 900_000
    assert set(pieces[:-1]) == {PIECE} and 0 < pieces[-1] <= PIECE


async def test_an_older_peer_gets_none(pair_over_any: Pair, monkeypatch: pytest.MonkeyPatch, bodies: Any) -> None:
    said = Hello.of
    monkeypatch.setattr(Hello, "of", lambda answer: said({k: v for k, v in answer.items() if k != "padding"}))
    await pair_over_any.delivers(DOCUMENT)
    assert not any(sum(pieces) == padme(sum(pieces)) for pieces in bodies[:1])


async def test_padding_can_be_switched_off(pair: Pair, bodies: list[list[int]]) -> None:
    pair.alpha.worker.deps = replace(pair.alpha.worker.deps, pads=False)
    await pair.delivers(DOCUMENT)
    assert sum(bodies[0]) != padme(sum(bodies[0]))


@pytest.mark.parametrize("missing", [1, "all"])
async def test_a_cut_within_the_padding_loses_nothing(pair_over_any: Pair, missing: int | str) -> None:
    """Else a link that breaks often could never carry a document."""
    hand = ByHand.of(pair_over_any, DOCUMENT)
    hand.begin()
    padding = hand.opening.secure[0].padding
    assert padding
    attempt = await open_there(pair_over_any, hand)
    hand.whole_further_streams()
    first = hand.secure_part(0)
    hand.secure(first[: len(first) - (padding if missing == "all" else 1)])
    await until(lambda: attempt.core.lacks_only_padding)
    assert not attempt.core.verified
    await hand.cut_first()
    await hand.whole_plain_stream()
    await until(attempt.over.is_set)
    assert await hand.link.receipt(hand.manifest.transfer_id) is not None
    await pair_over_any.arrived(hand.manifest.transfer_id, DOCUMENT)


async def test_answers_are_padded(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    real: Callable[[httpx.Response], AsyncIterator[bytes]] = httpx.Response.aiter_raw

    async def noted(self: httpx.Response, *more: Any) -> AsyncIterator[bytes]:
        size = 0
        async for piece in real(self, *more):
            size += len(piece)
            yield piece
        sizes.append(size)

    monkeypatch.setattr(httpx.Response, "aiter_raw", noted)
    transfer_id = await pair.delivers(DOCUMENT)
    await pair.alpha.links.to(peer).receipt(transfer_id)
    assert len(sizes) >= 2 and not any(size % STEP for size in sizes)


async def test_the_planner_does_not_show_what_padding_hides(pair: Pair) -> None:
    """Its choice is visible, so within a class it is the same."""
    planning, peer_id = pair.alpha.worker.deps.planning, pair.alpha.peers.all()[0].id
    one, other = [
        await planning.preview(pair.alpha.database, peer_id, Work(size, 90_000), Wish(), 0, warm=True)
        for size in (padme(100_000) - 1500, padme(100_000))
    ]
    assert one == other


@modest
@given(st.lists(st.binary(max_size=40)), st.integers(1, 30))
def test_blocks_show_only_how_much_there_is(pieces: list[bytes], size: int) -> None:
    made = [*blocks(pieces, size)]
    whole = b"".join(pieces)
    assert made == [whole[at : at + size] for at in range(0, len(whole), size)]
