"""Probes between two gateways: they teach the planner both modes, carry no document, and leave nothing behind."""

import asyncio
import json
import os
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest

from gateway.two_gateways import PATIENCE_S, Pair, document, until
from sieve.channel.errors import RemoteProtocolError
from sieve.channel.probes import BUDGET, BUDGET_S, MAX_PROBE
from sieve.gateway.errors import PeerRefused
from sieve.gateway.inbound import probes
from sieve.gateway.inbound.probes import Probes
from sieve.gateway.outbound import probing as probing_module
from sieve.gateway.outbound.planning import KNOWN_NS, PROBE_AGAIN_NS, Planning
from sieve.gateway.outbound.probing import SIZES, Probing
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.peers import Peer
from sieve.gateway.stored_document import StoredDocument
from sieve.store.errors import DatabaseBusy
from sieve.store.queries import peer_costs


def probing(pair: Pair, planning: Planning, *, idle: bool = True) -> tuple[Probing, Peer]:
    alpha = pair.alpha
    [peer] = alpha.peers.all()
    deps = alpha.worker.deps
    return Probing(alpha.database, alpha.peers, alpha.links, planning, deps.clock, lambda: idle, 0.01), peer


async def test_probes_teach_both_modes_and_leave_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    await pair.alpha.keep(document(100_000, 3), pair.anna)

    def refused(*_: object) -> None:
        raise AssertionError("a probe reads a document")

    for name in ("plain_stream", "load_spans", "full"):
        monkeypatch.setattr(StoredDocument, name, refused)
    planning = Planning()
    found, peer = probing(pair, planning)
    before = pair.bravo.files(), await pair.bravo.documents()
    assert await planning.is_probe_due(pair.alpha.database, peer.id, 0)
    await found.probe(peer)
    learned = planning.peers[peer.id]
    assert learned.costs.seen == len(SIZES) - 1
    assert learned.measured_at_ns.keys() == {"sieve", "secure-only"}
    assert (pair.bravo.files(), await pair.bravo.documents()) == before
    assert pair.bravo.attempts.under_way == set()
    async with pair.alpha.database.read() as session:
        assert json.loads(await peer_costs.of(session, peer.id) or "")["costs"]["seen"] == len(SIZES) - 1
    # A transfer after them goes as always.
    monkeypatch.undo()
    await pair.delivers(document(100_000, 3))


async def test_both_channels_carry_only_random_bytes_of_fixed_sizes(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, put, stream = os.urandom, Link.put_plain, Link.stream
    drawn: list[bytes] = []
    secure: list[bytes] = []
    plain: dict[str, dict[int, bytes]] = defaultdict(dict)

    def urandom(size: int) -> bytes:
        drawn.append(draw(size))
        return drawn[-1]

    async def put_plain(link: Link, path: str, chunk: bytes, *more: Any, **named: Any) -> None:
        handle, _, index = path.strip("/").split("/")
        plain[handle][int(index)] = chunk
        await put(link, path, chunk, *more, **named)

    def streamed(link: Link, method: str, path: str, content: AsyncIterator[bytes], *more: Any) -> Any:
        async def copied() -> AsyncIterator[bytes]:
            async for piece in content:
                secure.append(piece)
                yield piece

        return stream(link, method, path, copied(), *more)

    monkeypatch.setattr(os, "urandom", urandom)
    monkeypatch.setattr(Link, "put_plain", put_plain)
    monkeypatch.setattr(Link, "stream", streamed)
    await pair.alpha.keep(document(100_000, 3), pair.anna)
    found, peer = probing(pair, Planning())
    await found.probe(peer)
    streams = [b"".join(chunks[index] for index in sorted(chunks)) for chunks in plain.values()]
    assert [len(each) for each in streams] == [size for _, size in SIZES if size]
    assert sum(map(len, secure)) == sum(size for size, _ in SIZES)
    # No draw is used twice: the plain bytes would tell something of the secure ones.
    assert Counter(streams + secure) <= Counter(drawn)


async def test_only_an_idle_gateway_probes_and_only_a_peer_that_takes_probes(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    planning = Planning()
    found, peer = probing(pair, planning, idle=False)
    assert await planning.is_probe_due(pair.alpha.database, peer.id, 0)
    await found.probe(peer)
    link = pair.alpha.links.to(peer)
    older = replace(await link.hello(), probes=False)

    async def hello(_: Link, *_asked: object, **_options: object) -> Hello:
        return older

    monkeypatch.setattr(Link, "hello", hello)
    found, _ = probing(pair, planning)
    await found.probe(peer)
    assert planning.peers[peer.id].costs.seen == 0


async def test_probes_are_due_while_a_mode_was_not_measured_lately(pair: Pair) -> None:
    planning, [peer] = Planning(), pair.alpha.peers.all()

    async def due(now_ns: int) -> bool:
        return await planning.is_probe_due(pair.alpha.database, peer.id, now_ns)

    assert await due(0)
    assert not await due(PROBE_AGAIN_NS - 1), "not again at once, although nothing was learned"
    known = planning.peers[peer.id]
    known.measured_at_ns["secure-only"] = PROBE_AGAIN_NS
    assert await due(PROBE_AGAIN_NS), "the other mode is unknown"
    known.measured_at_ns["sieve"] = PROBE_AGAIN_NS
    assert not await due(3 * PROBE_AGAIN_NS)
    assert await due(PROBE_AGAIN_NS + KNOWN_NS)


async def _pieces(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def test_a_receiver_bounds_probes(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    taken = Probes(pair.bravo.attempts.deps.plain, lambda: now)
    [alpha] = pair.bravo.peers.all()
    handle, _ = await taken.open(alpha, 10, 100)
    with pytest.raises(PeerRefused, match="in progress"):
        await taken.open(alpha, 10, 0)
    with pytest.raises(PeerRefused, match="no such probe"):
        await taken.take(alpha, "another", _pieces(bytes(10)))
    with pytest.raises(PeerRefused, match="no such probe"):
        await taken.take(replace(alpha, id="another"), handle, _pieces(bytes(10)))
    # Its plain bytes never arrive: that ends in time, and the handle is gone.
    monkeypatch.setattr(probes, "PROBE_S", 0.01)
    with pytest.raises(PeerRefused, match="did not arrive in time"):
        await taken.take(alpha, handle, _pieces(bytes(10)))
    assert not pair.bravo.attempts.deps.plain.is_open(handle)
    monkeypatch.undo()
    for body in (bytes(9), bytes(11)):
        handle, _ = await taken.open(alpha, 10, 0)
        with pytest.raises(RemoteProtocolError):
            await taken.take(alpha, handle, _pieces(body))
    while not isinstance(spent := await _refused(taken, alpha), PeerRefused):
        pass
    assert "enough probes" in str(spent)
    now = BUDGET_S
    assert await _refused(taken, alpha) is None
    assert BUDGET < 10 * MAX_PROBE


async def _refused(taken: Probes, peer: Peer) -> PeerRefused | None:
    try:
        handle, _ = await taken.open(peer, MAX_PROBE, 0)
    except PeerRefused as refused:
        return refused
    await taken.take(peer, handle, _pieces(bytes(MAX_PROBE)))
    return None


async def test_a_probe_that_is_announced_and_never_sent_ends(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "PROBE_S", 0.01)
    taken = Probes(pair.bravo.attempts.deps.plain)
    [alpha] = pair.bravo.peers.all()
    handle, _ = await taken.open(alpha, 10, 100)
    await until(lambda: not pair.bravo.attempts.deps.plain.is_open(handle))
    with pytest.raises(PeerRefused):
        await taken.take(alpha, handle, _pieces(bytes(10)))


@pytest.mark.parametrize("asked", [{"secure": 0, "plain": 0}, {"secure": MAX_PROBE + 1, "plain": 0}, {"secure": 1}])
async def test_a_probe_of_another_size_is_refused(pair: Pair, asked: dict[str, int]) -> None:
    link = pair.alpha.links.to(pair.alpha.peers.all()[0])
    with pytest.raises(PeerRefused, match="malformed"):
        await link.ask("POST", "/v1/probes", json=asked)


async def test_a_probe_whose_plain_bytes_are_lost_teaches_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lost(*_: object, **__: object) -> None:
        raise httpx.ConnectError("nobody listens")

    monkeypatch.setattr(probes, "PROBE_S", 0.05)
    monkeypatch.setattr(Link, "put_plain", lost)
    planning = Planning()
    found, peer = probing(pair, planning)
    assert await planning.is_probe_due(pair.alpha.database, peer.id, 0)
    await found.probe(peer)
    assert planning.peers[peer.id].costs.seen == 0


async def test_a_peer_that_never_ends_its_answer_does_not_hold_up_the_probes_of_others(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def endless(*_: object, **__: object) -> AsyncIterator[None]:
        await asyncio.Future()
        yield

    monkeypatch.setattr(probing_module, "ANSWER_S", 0.01)
    monkeypatch.setattr(Link, "stream", endless)
    planning = Planning()
    found, peer = probing(pair, planning)
    assert await planning.is_probe_due(pair.alpha.database, peer.id, 0)
    await found.probe(peer)
    assert planning.peers[peer.id].costs.seen == 0


async def test_a_busy_database_does_not_end_the_probes(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, again = 0, asyncio.Event()

    async def busy(*_: object) -> bool:
        nonlocal looked
        looked += 1
        if looked == 1:
            raise DatabaseBusy("the database is busy")
        again.set()
        return False

    monkeypatch.setattr(Planning, "is_probe_due", busy)
    found, _ = probing(pair, Planning())
    running = asyncio.create_task(found.run())
    async with asyncio.timeout(PATIENCE_S):
        await again.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
