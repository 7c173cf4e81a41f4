"""Connections to peers that end while they are made: none is left open, and none is used."""

import asyncio
import ssl
from typing import Any

import httpcore
import httpx
import pytest

from sieve.gateway.peering.secure_transport import SecureTransport

PATIENCE_S = 60.0


async def test_who_is_cancelled_within_a_handshake_leaves_no_connection() -> None:
    met, left = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.set()
        while await reader.read(1000):
            pass
        left.set()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server, asyncio.timeout(PATIENCE_S):
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        transport = SecureTransport(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), lambda _certificate: None)
        asking = asyncio.create_task(transport.handle_async_request(httpx.Request("GET", url)))
        await met.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await left.wait()


async def test_a_connection_that_comes_after_it_was_given_up_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, comes, closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    class Late(httpcore.AsyncNetworkStream):
        async def aclose(self) -> None:
            closed.set()

    async def connect(*_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        asked.set()
        await comes.wait()
        return Late()

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    async with asyncio.timeout(PATIENCE_S):
        async with SecureTransport(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), lambda _certificate: None) as transport:
            asking = asyncio.create_task(transport.handle_async_request(httpx.Request("GET", "https://127.0.0.1:9")))
            await asked.wait()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            comes.set()
            await closed.wait()


@pytest.mark.parametrize("late", ["connect", "handshake"])
async def test_a_connection_that_comes_after_its_link_is_closed_carries_nothing(
    late: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, comes, closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    class Late(httpcore.AsyncNetworkStream):
        async def aclose(self) -> None:
            closed.set()

        async def start_tls(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
            asked.set()
            await comes.wait()
            return Late()

    async def connect(*_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        if late == "connect":
            asked.set()
            await comes.wait()
        return Late()

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    async with asyncio.timeout(PATIENCE_S):
        transport = SecureTransport(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), lambda _certificate: None)
        asking = asyncio.create_task(transport.handle_async_request(httpx.Request("GET", "https://127.0.0.1:9")))
        await asked.wait()
        await transport.aclose()
        comes.set()
        with pytest.raises(httpx.ConnectError, match="the link was closed in the meantime"):
            await asking
        await closed.wait()
