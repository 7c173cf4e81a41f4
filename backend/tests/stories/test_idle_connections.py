"""An attacker opens connections and sends nothing or incomplete requests: people and peers are still served."""

import asyncio
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

from sieve import demo
from stories.pair import again, client, pair

FILES = 300
"""How many files the gateway may have open."""
MANY = 285
LISTEN = "0A"
"""The state of a listening socket in /proc/net/tcp."""
HALF_A_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
HALF_A_BODY = (
    b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n"
    b'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":'
)


def occupy(stack: ExitStack, address: str, said: bytes) -> None:
    """Many connections to a listener, each with the beginning of something."""
    host, _, port = address.rpartition(":")
    for _ in range(MANY):
        sock = stack.enter_context(socket.create_connection((host, int(port)), timeout=10))
        sock.sendall(said)


def kept(*addresses: str) -> int:
    """How many connections the gateway keeps that came to these addresses. Those that the kernel holds for it, and
    those that it closed, have no inode.
    """
    # An ordinary account may not list the descriptors of a gateway.
    ports = {f"{int(address.rpartition(':')[2]):04X}" for address in addresses}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].rpartition(":")[2] in ports and row[3] != LISTEN and row[9] != "0" for row in rows)


async def test_half_handshakes_and_half_bodies_stop_nothing(tmp_path: Path) -> None:
    limited = demo.command(
        "sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh", sys.executable, "-m", "sieve.cli", "gateway"
    )
    async with pair(tmp_path) as both:
        await asyncio.to_thread(both.bravo.stop)
        # No deadline makes room for others meanwhile.
        settings = both.settings["bravo"] | {"SIEVE_HEADER_DEADLINE_S": "300"}
        bravo = await asyncio.to_thread(again, both.bravo, tmp_path, settings, launch=limited)
        try:
            with ExitStack() as stack:
                await asyncio.to_thread(occupy, stack, bravo.listeners["secure"], HALF_A_HELLO)
                await asyncio.to_thread(occupy, stack, bravo.listeners["plain"], b"PUT ")
                await asyncio.to_thread(occupy, stack, bravo.listeners["web"], HALF_A_BODY)
                _, ended = await both.send(b"plain [[secret]] plain")
                assert ended["state"] == "delivered", ended
                assert 0 < kept(bravo.listeners["secure"], bravo.listeners["web"]) <= FILES / 2
                async with client(bravo, both.cleared_token) as api:
                    assert len((await api.get("/inbox")).json()["items"]) == 1
        finally:
            await asyncio.to_thread(bravo.stop)
