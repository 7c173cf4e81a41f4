"""Connections that are accepted, over real sockets: counted before TLS, and what happens when no descriptor is free."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gateway.two_gateways import PATIENCE_S, Pair, document, paired, until

FREE = 8
HEAD = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


def dial(stack: ExitStack, port: int, source: str = "127.0.0.1") -> socket.socket:
    """A TCP connection that says nothing."""
    sock = stack.enter_context(socket.create_connection(("127.0.0.1", port), source_address=(source, 0)))
    sock.setblocking(False)
    return sock


async def heard(sock: socket.socket) -> bytes:
    """What came until the other end was done."""
    loop, said = asyncio.get_running_loop(), b""
    async with asyncio.timeout(PATIENCE_S):
        try:
            while piece := await loop.sock_recv(sock, 65536):
                said += piece
        except ConnectionError:
            pass
    return said


def secure_port(pair: Pair) -> int:
    return int(pair.bravo.addresses["secure"].rpartition(":")[2])


@pytest.fixture
async def strict(tmp_path: Path, template: Path) -> AsyncIterator[Pair]:
    """Bravo keeps few connections of strangers."""
    async with paired(tmp_path, template) as pair:
        pair.bravo.secure.slots.per_source = 4
        pair.bravo.secure.slots.total = 24
        yield pair


@pytest.mark.parametrize(
    "said", [b"", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"], ids=["nothing", "half a hello"]
)
async def test_a_handshake_that_is_late_is_cut(pair: Pair, said: bytes) -> None:
    slots = pair.bravo.secure.slots
    with ExitStack() as stack:
        sock = dial(stack, secure_port(pair))
        sock.send(said)
        await until(lambda: slots.count == 1)
        assert await heard(sock) == b""
        await until(lambda: slots.count == 0)


async def test_silent_connections_do_not_stop_a_peer(strict: Pair) -> None:
    slots = strict.bravo.secure.slots
    with ExitStack() as stack:
        for number in range(60):
            dial(stack, secure_port(strict), f"127.0.0.{2 + number % 20}")
        await until(lambda: slots.count == slots.total)
        await strict.delivers(document())
        assert slots.count <= slots.total


async def test_nor_do_those_from_its_own_address(strict: Pair) -> None:
    with ExitStack() as stack:
        silent = [dial(stack, secure_port(strict)) for _ in range(12)]
        await strict.delivers(document())
        # Four at most were left alone.
        assert await heard(silent[0]) == b""


async def test_a_peer_has_a_share_and_the_rest_is_cut(strict: Pair) -> None:
    strict.bravo.secure.slots.per_peer = 2
    alpha = strict.alpha
    peer = alpha.peers.by_name("bravo")
    assert peer is not None
    host, port = strict.bravo.addresses["secure"].split(":")
    writers, ended = [], 0
    for _ in range(4):
        reader, writer = await asyncio.open_connection(host, int(port), ssl=alpha.links.context)
        writers.append(writer)
        writer.write(b"GET /v1/hello HTTP/1.1\r\nhost: x\r\n\r\n")
        try:
            async with asyncio.timeout(PATIENCE_S):
                ended += not await reader.read(1)
        except ConnectionError:
            ended += 1
    assert ended == 2
    for writer in writers:
        writer.transport.abort()


async def test_a_removed_peer_is_refused_and_cut(pair: Pair) -> None:
    """It was connected before, or still finishes a handshake: its authority stays in the context."""
    host, port = pair.bravo.addresses["secure"].split(":")
    await pair.bravo.peers.remove("alpha", by="admin")
    reader, writer = await asyncio.open_connection(host, int(port), ssl=pair.alpha.links.context)
    writer.write(b"POST /v1/recipients HTTP/1.1\r\nhost: x\r\ncontent-length: 12\r\n\r\n{}")
    async with asyncio.timeout(PATIENCE_S):
        said = await reader.readuntil(b"\r\n\r\n")
        assert said.startswith(b"HTTP/1.1 403") and b"connection: close" in said
        writer.write(b"0123456789")
        await reader.read()  # to its end
    await until(lambda: pair.bravo.secure.slots.count == 0)
    writer.close()


@pytest.mark.parametrize("kind", ["web", "plain"])
async def test_without_a_free_descriptor_it_waits_says_so_and_continues(kind: str) -> None:
    script = Path(__file__).with_name("small_listener.py")
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(script), kind, str(FREE), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            port = int(await process.stdout.readline())
            with ExitStack() as stack:
                for _ in range(2 * FREE):
                    dial(stack, port)
                said = await process.stderr.readline()
            assert (
                said
                == (
                    f"WARNING the {kind} listener cannot accept connections: Too many open files; "
                    "raise the limit of open files\n"
                ).encode()
            )
            # They are gone, and nobody started it again.
            with ExitStack() as stack:
                sock = dial(stack, port)
                await asyncio.get_running_loop().sock_sendall(sock, HEAD)
                assert (await asyncio.get_running_loop().sock_recv(sock, 12)) == b"HTTP/1.1 404"
    finally:
        process.kill()
        _, rest = await process.communicate()
    assert rest == b""  # it was said once
