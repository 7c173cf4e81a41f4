"""Suites for measuring stay on this machine: with them, no secure connection goes elsewhere."""

import ssl
from typing import Any

import httpcore
import httpx
import pytest

from sieve.gateway.errors import WrongPeer
from sieve.gateway.peering import secure_transport as transport
from sieve.gateway.peering.secure_transport import SecureTransport


class Elsewhere(httpcore.AsyncMockBackend):
    """A network in which every name leads to one address; nobody answers there."""

    def __init__(self, address: str) -> None:
        super().__init__([])
        self.address = address
        self.closed = 0

    async def connect_tcp(self, *arguments: Any, **options: Any) -> httpcore.AsyncNetworkStream:
        network = self

        class Stream(httpcore.AsyncMockStream):
            def get_extra_info(self, info: str) -> Any:
                return (network.address, 443) if info == "server_addr" else super().get_extra_info(info)

            async def start_tls(self, *arguments: Any, **options: Any) -> httpcore.AsyncNetworkStream:
                raise httpcore.ConnectError("it came to a handshake")

            async def aclose(self) -> None:
                network.closed += 1

        return Stream([])


async def asked(monkeypatch: pytest.MonkeyPatch, address: str, *, loopback_only: bool) -> tuple[Elsewhere, Exception]:
    """What comes of a request to that address."""
    network = Elsewhere(address)
    monkeypatch.setattr(transport, "AutoBackend", lambda: network)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx.AsyncClient(
        transport=SecureTransport(context, lambda _: None, loopback_only=loopback_only), trust_env=False
    ) as client:
        with pytest.raises((WrongPeer, httpx.ConnectError)) as caught:
            await client.get("https://bravo.example")
    return network, caught.value


@pytest.mark.parametrize("address", ["192.0.2.1", "10.0.0.1", "2001:db8::1"])
async def test_another_machine_is_refused_before_any_handshake(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    network, error = await asked(monkeypatch, address, loopback_only=True)
    assert isinstance(error, WrongPeer)
    assert "SIEVE_RESEARCH_TLS_CIPHERS" in str(error)
    assert network.closed == 1


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.9", "::1"])
async def test_this_machine_is_not(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    _, error = await asked(monkeypatch, address, loopback_only=True)
    assert "it came to a handshake" in str(error)


async def test_nor_is_another_one_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    _, error = await asked(monkeypatch, "192.0.2.1", loopback_only=False)
    assert "it came to a handshake" in str(error)
