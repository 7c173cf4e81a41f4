"""A paired peer that is hostile: its answers never end, are invalid, or have traps for rows, logs and readers.

A TLS server with bravo's identity, at bravo's address, answers what each test wants."""

import asyncio
import gzip
import json
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from gateway.by_hand import untraced
from gateway.two_gateways import RECIPIENT, WORKER, Pair, document, nobody_listens
from sieve.channel.attempt import Plan
from sieve.gateway.errors import PeerRefused, PeerUnreachable
from sieve.gateway.outbound import sending
from sieve.gateway.peering import links
from sieve.gateway.peering.links import Link
from sieve.gateway.peering.tls import server_context, trust
from sieve.gateway.telemetry.timing import ReceiverDurations, read_durations
from sieve.gateway.telemetry.timing_marks import TimingMarks
from sieve.store.models import Peer as PeerRow

DOCUMENT = document(1000, 1, spare=100)
HELLO = {"name": "bravo", "versions": [1], "max_document_bytes": 2**40, "plain_url": "http://127.0.0.1:9"}
HELLO_2 = HELLO | {
    "versions": [1, 2],
    "max_secure_channels": 8,
    "max_plain_channels": 8,
    "splits": ["range"],
    "max_batch": 64,
}
LINES = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


def answer(body: Any, status: int = 200, extra: str = "") -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\n{extra}\r\n".encode() + data


def line(said: Any) -> bytes:
    data = json.dumps(said).encode() + b"\n"
    return b"%x\r\n%b\r\n" % (len(data), data)


@dataclass
class Mallory:
    """The answers by path: bytes, or a function that gets the writer and may write for ever."""

    answers: dict[str, bytes | Callable[[asyncio.StreamWriter], Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    visits: set[asyncio.Task[Any]] = field(default_factory=set)

    async def visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.visits.add(task)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                path, _, _ = head.split()[1].partition("?")
                self.asked.append(head)
                length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
                await reader.readexactly(int(length[1]) if length else 0)
                said = self.answers.get(re.sub("[0-9a-f]{32}", "ID", path), answer({"detail": "no"}, 404))
                if isinstance(said, bytes):
                    writer.write(said)
                    await writer.drain()
                else:
                    await said(writer)
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()


@dataclass
class Stage:
    pair: Pair
    mallory: Mallory

    @property
    def link(self) -> Link:
        peer = self.pair.alpha.peers.by_name("bravo")
        assert peer is not None
        return self.pair.alpha.links.to(peer)

    async def reason(self) -> str:
        """Why a transfer waits or failed."""
        reason = (await self.pair.alpha.tried(await self.pair.send(DOCUMENT))).reason
        assert reason is not None
        return reason


@pytest.fixture
async def stage(pair: Pair) -> AsyncIterator[Stage]:
    await pair.bravo.stop()
    async with mallory_at(pair) as mallory:
        yield Stage(pair, mallory)


@asynccontextmanager
async def mallory_at(pair: Pair) -> AsyncIterator[Mallory]:
    context = server_context(pair.bravo.identity)
    trust(context, pair.alpha.identity.ca_der)
    host, port = pair.bravo.addresses["secure"].split(":")
    mallory = Mallory()
    mallory.answers["/v1/hello"] = answer(HELLO)
    mallory.answers["/v1/recipients"] = answer(
        {"recipients": [{"name": "bruno", "display_name": "B", "cleared": True}]}
    )
    mallory.answers["/v1/transfers/ID/receipt"] = answer({"receipt": None})
    server = await asyncio.start_server(mallory.visit, host, int(port), ssl=context)
    try:
        yield mallory
    finally:
        server.close()
        for visit in mallory.visits:
            visit.cancel()
        await asyncio.gather(*mallory.visits)


async def for_ever(writer: asyncio.StreamWriter, piece: bytes, pause_s: float = 0.0) -> None:
    while True:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause_s)


@pytest.mark.parametrize("status", [200, 500])
async def test_an_answer_without_end_is_cut(stage: Stage, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "MAX_ANSWER", 100_000)
    head = b"HTTP/1.1 %d X\r\ntransfer-encoding: chunked\r\n\r\n" % status

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await for_ever(writer, b"10000\r\n" + bytes(65536) + b"\r\n")

    stage.mallory.answers["/v1/hello"] = stage.mallory.answers["/v1/transfers"] = endless
    with pytest.raises(PeerRefused, match="bravo sent a response that is too long"):
        await stage.link.hello()
    if status == 500:
        stage.mallory.answers["/v1/hello"] = answer(HELLO)
        assert await stage.reason() == "bravo sent a response that is too long"


async def test_an_answer_that_drips_is_cut(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "ASK_S", 2.0)

    async def dripping(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        await for_ever(writer, b"x", 0.01)

    stage.mallory.answers["/v1/hello"] = dripping
    with pytest.raises(PeerUnreachable, match="bravo stopped answering"):
        await stage.link.hello()


async def test_nothing_is_unpacked(stage: Stage) -> None:
    stage.mallory.answers["/v1/hello"] = answer(
        gzip.compress(json.dumps(HELLO).encode()), extra="content-encoding: gzip\r\n"
    )
    with pytest.raises(PeerUnreachable, match="sent an invalid response"):
        await stage.link.hello()
    assert "accept-encoding: identity" in stage.mallory.asked[-1].lower()


async def test_a_hello_that_makes_no_sense(stage: Stage) -> None:
    bodies: list[Any] = [b"", b"nonsense", b"[]", {}]
    bodies += [HELLO | {"versions": 1}, HELLO | {"versions": None}, HELLO | {"max_document_bytes": "many"}]
    bodies += [HELLO | {"max_document_bytes": float("inf")}, b"[" * 100_000]
    for url in (
        "http://[",
        "https://127.0.0.1:9",
        "http://127.0.0.1:99999",
        "http://user@127.0.0.1:9",
        "http://127.0.0.1:9/path?query",
    ):
        bodies.append(HELLO | {"plain_url": url})
    for body in bodies:
        stage.mallory.answers["/v1/hello"] = answer(body)
        with pytest.raises((PeerUnreachable, PeerRefused), match="bravo sent an invalid response"):
            await stage.link.hello()


async def test_another_version_is_named(stage: Stage) -> None:
    stage.mallory.answers["/v1/hello"] = answer(HELLO | {"versions": ["one", 4, True, 3]})
    with pytest.raises(PeerRefused, match=r"bravo speaks protocol versions \[4, 3\], this gateway \[1, 2\]"):
        await stage.link.hello()


async def test_a_peer_of_version_1_has_one_channel_of_each_kind(stage: Stage) -> None:
    stage.mallory.answers["/v1/hello"] = answer(HELLO | {"versions": [1], "max_secure_channels": 9})
    hello = await stage.link.hello()
    assert (hello.version, hello.max_secure_channels, hello.max_plain_channels, hello.splits) == (1, 1, 1, ("range",))


async def test_a_peer_of_version_2_says_what_it_takes(stage: Stage) -> None:
    said = {"max_secure_channels": 4, "max_plain_channels": 6, "splits": ["range", "es"], "max_batch": 1}
    stage.mallory.answers["/v1/hello"] = answer(HELLO | {"versions": [1, 2, 3]} | said)
    hello = await stage.link.hello()
    assert (hello.version, hello.max_secure_channels, hello.max_plain_channels) == (2, 4, 6)
    assert (hello.splits, hello.max_batch) == (("range", "es"), 1)


async def test_recipients_that_make_no_sense(stage: Stage) -> None:
    bodies: list[Any] = [{}, {"recipients": 1}, {"recipients": [{}]}, {"recipients": [{"name": 1}]}]
    for body in bodies:
        stage.mallory.answers["/v1/recipients"] = answer(body)
        with pytest.raises(PeerUnreachable, match="bravo sent an invalid response"):
            await stage.link.recipients(["bruno"])


async def test_plain_chunks_go_to_the_paired_host_only(stage: Stage) -> None:
    paired = stage.link.peer.plain_url
    for offered, used in (
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
        ("http://evil.example:9", paired),
        ("http://localhost:9", paired),
    ):
        stage.mallory.answers["/v1/hello"] = answer(HELLO | {"plain_url": offered})
        stage.link.forget()
        await stage.link.hello()
        assert stage.link.plain_url() == used


async def test_no_answer_on_the_plain_channel_is_followed_or_remembered(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[bytes] = []

    async def redirects(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                heard.append(await reader.readuntil(b"\r\n\r\n"))
                await reader.readexactly(1)
                more = f"location: http://{where}/elsewhere\r\nset-cookie: a=b; path=/\r\ncontent-length: 0\r\n\r\n"
                writer.write(b"HTTP/1.1 307 Temporary Redirect\r\n" + more.encode())
        writer.close()

    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://{nobody_listens()}")
    server = await asyncio.start_server(redirects, "127.0.0.1", 0)
    where = "{}:{}".format(*server.sockets[0].getsockname())
    try:
        stage.mallory.answers["/v1/hello"] = answer(HELLO | {"plain_url": f"http://{where}"})
        await stage.link.hello()
        for index in range(3):
            await stage.link.put_plain(f"/handle/1/{index}", b"c", bytes(16), untraced, 3.0, "lane")
    finally:
        server.close()
    assert [head.split(b" ")[1] for head in heard] == [b"/handle/1/0", b"/handle/1/1", b"/handle/1/2"]
    assert not any(b"cookie" in head.lower() for head in heard)


async def test_a_new_hello_comes_over_a_new_connection(stage: Stage) -> None:
    """An idle connection may lead to another replica of the peer than the ones that follow."""
    await stage.link.hello()
    [first] = stage.mallory.visits
    stage.link.forget()
    await stage.link.hello()
    assert len(stage.mallory.visits) == 2
    await first


TRAP = "bad\nFAKE LOG LINE\x1b[31m \ud800 \u202egnp.exe" + "x" * 10_000


@pytest.mark.parametrize("where", ["refusal", "line"])
async def test_its_words_are_cleaned_before_they_are_kept_and_shown(stage: Stage, where: str) -> None:
    """Half a surrogate pair alone kept the outcome from ever being stored, and the transfer's lease for ever."""
    if where == "refusal":
        stage.mallory.answers["/v1/transfers"] = answer({"detail": TRAP, "kind": TRAP}, 409)
    else:
        failed = {"is": "failed", "detail": TRAP}
        stage.mallory.answers["/v1/transfers"] = LINES + line(failed) + b"0\r\n\r\n"
    reason = await stage.reason()
    assert reason.startswith("bravo") and "badFAKE LOG LINE[31m" in reason
    assert reason.isprintable() and len(reason) < 400


async def test_lines_that_make_no_sense_end_the_attempt(stage: Stage) -> None:
    sentences = ("sent an invalid response", "ended its answer without a receipt", "a receipt that does not count")
    some: list[Any] = [[], 1, "verified", None, {"is": []}]
    for said in [*some, {"is": "receipt"}, {"is": "receipt", "receipt": "{}", "durations": 7}]:
        stage.mallory.answers["/v1/transfers"] = LINES + line(said) + b"0\r\n\r\n"
        reason = await stage.reason()
        assert any(words in reason for words in sentences), (said, reason)


async def test_a_line_without_end(stage: Stage) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(LINES)
        await for_ever(writer, b"10000\r\n" + b"x" * 65536 + b"\r\n")

    stage.mallory.answers["/v1/transfers"] = endless
    assert await stage.reason() == "the peer's answer is too long"


@pytest.mark.parametrize("said", [{"is": "going-on"}, {"is": "verified"}])
async def test_a_peer_that_only_ever_says_that_it_continues_is_given_up(
    stage: Stage, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[TimingMarks] = []
    make = sending.Sending.__init__

    def impatient(self: sending.Sending, *arguments: Any, **more: Any) -> None:
        make(self, *arguments, **(more | {"stall_s": 0.3}))
        taken.extend(one for one in (*arguments, *more.values()) if isinstance(one, TimingMarks))

    monkeypatch.setattr(sending.Sending, "__init__", impatient)

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(LINES)
        await for_ever(writer, line(said), 0.001)

    stage.mallory.answers["/v1/transfers"] = endless
    unknown = answer({"detail": "no such attempt", "kind": "unknown-attempt"}, 409)
    stage.mallory.answers["/v1/attempts/ID"] = stage.mallory.answers["/v1/attempts/ID/plain/0"] = unknown
    assert (await stage.reason()).startswith("bravo made no progress for")
    assert len(taken[0].taken) < 20  # nor does it fill our memory


async def test_what_is_said_of_transfers_that_were_not_sent_is_kept_nowhere(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[sending.Sending] = []
    make = sending.Sending.__init__

    def noted(self: sending.Sending, *arguments: Any, **more: Any) -> None:
        make(self, *arguments, **more)
        made.append(self)

    monkeypatch.setattr(sending.Sending, "__init__", noted)
    pair, invented = stage.pair, {"is": "failed", "permanent": True, "kind": "protocol"}
    lines = b"".join(line(invented | {"transfer": f"{number:032x}"}) for number in range(2000))
    stage.mallory.answers["/v1/hello"] = answer(HELLO_2)
    stage.mallory.answers["/v1/batches"] = LINES + lines + b"0\r\n\r\n"
    kept = [await pair.alpha.keep(DOCUMENT, pair.anna) for _ in range(2)]
    sent = await pair.alpha.transfer_queue.send(pair.anna, kept, {"bravo": [RECIPIENT]}, Plan("secure-only"))
    for row in sent:
        await pair.alpha.tried(row.id)
    batch = made[0]
    assert set(batch.outcomes) == {row.id for row in sent} and not batch.misfits
    assert batch.events.empty(), "nothing is kept"


@pytest.mark.parametrize("lines", [b"{}\n" * 20_000, b'{"is": "going-on"}' + b" " * 100_000 + b"\n"])
async def test_an_answer_has_so_many_lines_and_bytes_and_no_more(stage: Stage, lines: bytes) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(LINES)
        await for_ever(writer, b"%x\r\n%b\r\n" % (len(lines), lines))

    stage.mallory.answers["/v1/transfers"] = endless
    assert await stage.reason() == "the peer's answer is too long"


async def test_a_receipt_of_another_key_does_not_count(stage: Stage) -> None:
    stage.mallory.answers["/v1/transfers"] = LINES + line({"is": "receipt", "receipt": "\ud800"}) + b"0\r\n\r\n"
    assert "a receipt that does not count" in await stage.reason()
    stage.mallory.answers["/v1/transfers/ID/receipt"] = answer(
        {"receipt": '{"receipt": {}, "key": "", "signature": ""}'}
    )
    transfer_id = await stage.pair.send(DOCUMENT)
    waiting = await stage.pair.alpha.becomes(
        transfer_id, lambda p: p.reason is not None and "has a receipt that does not count" in p.reason
    )
    assert waiting.state == "queued"


async def test_eight_hostile_peers_do_not_stop_the_worker(stage: Stage) -> None:
    """Each attempt ends, so that its place comes free."""
    stage.mallory.answers["/v1/transfers"] = answer({"detail": TRAP}, 500)
    ids = [await stage.pair.send(DOCUMENT) for _ in range(WORKER.at_once + 2)]
    for transfer_id in ids:
        await stage.pair.alpha.tried(transfer_id)


async def test_a_link_that_is_dropped_twice_at_once(pair: Pair) -> None:
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    link = pair.alpha.links.to(peer)
    await link.hello()
    async with pair.alpha.database.write() as session:
        row = await session.get(PeerRow, peer.id)
        assert row is not None
        row.plain_url = "http://127.0.0.1:1"
    await pair.alpha.peers.load()
    await asyncio.gather(pair.alpha.links.drop_stale(), pair.alpha.links.drop_stale())
    with pytest.raises(PeerUnreachable, match="the pairing with bravo was changed or removed in the meantime"):
        await link.ask("GET", "/v1/hello")
    assert pair.alpha.links.to(peer) is not link


async def test_a_listener_that_closes_at_once_gives_no_number_of_openssl(pair: Pair) -> None:
    """Such as a balancer without a gateway behind it."""
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    listener = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with listener:
        port = listener.sockets[0].getsockname()[1]
        cut = Link(replace(peer, secure_url=f"https://127.0.0.1:{port}"), pair.alpha.peers, pair.alpha.links.context)
        with pytest.raises(PeerUnreachable) as found:
            await cut.hello()
        await cut.aclose()
    assert "format" not in str(found.value), found.value
    assert str(found.value).startswith("bravo ")


async def test_sentences_for_a_peer_that_cannot_be_had(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    await pair.bravo.stop()
    peer = pair.alpha.peers.by_name("bravo")
    assert peer is not None
    for address, why in (
        (nobody_listens(), "the connection was refused"),
        ("bravo.example:8443", "no address is known for its host name"),
    ):
        gone = Link(replace(peer, secure_url=f"https://{address}"), pair.alpha.peers, pair.alpha.links.context)
        with pytest.raises(PeerUnreachable, match=f"^bravo cannot be reached: {why}$"):
            await gone.hello()
        await gone.aclose()
        monkeypatch.setattr(socket, "getaddrinfo", unknown)


def test_durations_that_make_no_sense_are_none() -> None:
    good = {"combine_ns": 1, "integrate_ns": 2, "verify_ns": 3, "commit_ns": 4}
    assert read_durations(good) == ReceiverDurations(1, 2, 3, 4)
    nonsense: tuple[Any, ...] = (
        None,
        {},
        [],
        7,
        good | {"more": 1},
        good | {"combine_ns": -1},
        good | {"combine_ns": 1.5},
    )
    for bad in nonsense:
        assert read_durations(bad) is None
    assert read_durations(good | {"combine_ns": 2**63}) is None
