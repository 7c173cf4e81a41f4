"""An opening of a million spans leaves the event loop to others while it is parsed: no peer makes the others wait."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from gateway.by_hand import ByHand, manifest_of, nothing_left, open_there
from gateway.two_gateways import Pair, document
from sieve.core.document import MAX_SPANS, SPAN_BYTES, Spans, SpansReader

AT_ONCE = 512 * 1024
"""The most bytes that a connection brings at a time: 32,768 spans, 1 ms for each 4,096."""


async def test_between_two_turns_no_more_is_parsed_than_the_connection_brought(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, parsed = 0, Counter[int]()
    loop, parse = asyncio.get_running_loop(), SpansReader.feed

    def next_turn() -> None:
        nonlocal turn
        turn += 1
        loop.call_soon(next_turn)

    def counted(self: SpansReader, piece: bytes | memoryview) -> None:
        parsed[turn] += len(piece)
        parse(self, piece)

    monkeypatch.setattr(SpansReader, "feed", counted)
    small = document(200_000, 3)
    many = replace(manifest_of(small), size=2 * MAX_SPANS, spans=Spans(range(2 * MAX_SPANS)))
    hand = ByHand.of(pair, small, manifest=many)
    next_turn()
    hand.begin()
    await open_there(pair, hand)
    assert parsed.total() == SPAN_BYTES * MAX_SPANS
    assert max(parsed.values()) <= AT_ONCE
    await hand.cut()
    await nothing_left(pair)
