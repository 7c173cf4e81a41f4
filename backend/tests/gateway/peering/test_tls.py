"""The contexts against each other, over real TLS on loopback: who gets in, and who does not."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pki import new_identity
from sieve.gateway.errors import PairingError, StartError
from sieve.gateway.peering.identity import Identity, spki_pin
from sieve.gateway.peering.tls import client_context, server_context, trust

LONG_AGO = datetime.now(UTC) - timedelta(days=500)


class TlsServer:
    """A TLS server that says "hello" to whom it lets in, and notes their certificates and the refusals."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.context = context
        self.visitors: list[bytes] = []

    async def __aenter__(self) -> "TlsServer":
        self._server = await asyncio.start_server(self._visit, "127.0.0.1", 0, ssl=self.context)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visitors.append(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))
        writer.write(b"hello")
        writer.close()


async def visit(port: int, context: ssl.SSLContext) -> tuple[bytes, bytes, str]:
    """What the server says, its certificate, and the protocol version."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="peer.invalid")
    tls = writer.get_extra_info("ssl_object")
    try:
        # In TLS 1.3 a server's refusal comes after the client's handshake is done: only reading shows it.
        said = await reader.read()
    finally:
        writer.close()
    return said, tls.getpeercert(binary_form=True), tls.version()


def a_pair(folder: Path) -> tuple[Identity, Identity]:
    """Two gateways with an authority each, as in life."""
    return new_identity(folder / "one", "alpha"), new_identity(folder / "two", "bravo")


async def refused(port: int, context: ssl.SSLContext) -> bool:
    """Whether the visitor gets no hello."""
    try:
        said, _, _ = await visit(port, context)
    except (ssl.SSLError, ConnectionError):
        return True
    return said == b""


async def test_gateways_that_trust_each_other_meet_over_tls_1_3(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    client, server = client_context(alpha), server_context(bravo)
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    async with TlsServer(server) as listener:
        said, certificate, version = await visit(listener.port, client)
    assert (said, version) == (b"hello", "TLSv1.3")
    assert spki_pin(certificate) == bravo.pin
    assert [spki_pin(visitor) for visitor in listener.visitors] == [alpha.pin]


async def test_trust_counts_from_the_next_connection_on(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    client, server = client_context(alpha), server_context(bravo)
    async with TlsServer(server) as listener:
        assert await refused(listener.port, client)
        trust(client, bravo.ca_der)
        assert await refused(listener.port, client)
        trust(server, alpha.ca_der)
        assert not await refused(listener.port, client)
    assert len(listener.visitors) == 1


async def test_many_authorities_can_be_trusted_and_one_twice(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    client, server = client_context(alpha), server_context(bravo)
    for number in range(3):
        trust(client, new_identity(tmp_path / str(number)).ca_der)
    for _ in range(2):
        trust(client, bravo.ca_der)
        trust(server, alpha.ca_der)
    async with TlsServer(server) as listener:
        assert not await refused(listener.port, client)


async def test_a_client_of_tls_1_2_is_refused(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    server = server_context(bravo)
    trust(server, alpha.ca_der)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_cert_chain(alpha.certificate_path, alpha.key_path)
    client.load_verify_locations(cadata=bravo.ca_der)
    async with TlsServer(server) as listener:
        assert not await refused(listener.port, client)
        client.maximum_version = ssl.TLSVersion.TLSv1_2
        assert await refused(listener.port, client)
    assert len(listener.visitors) == 1


async def test_a_server_of_tls_1_2_is_refused(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    client = client_context(alpha)
    trust(client, bravo.ca_der)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.maximum_version = ssl.TLSVersion.TLSv1_2
    server.load_cert_chain(bravo.certificate_path, bravo.key_path)
    async with TlsServer(server) as listener:
        assert await refused(listener.port, client)
    assert listener.visitors == []


async def test_a_client_without_a_certificate_is_refused(tmp_path: Path) -> None:
    _, bravo = a_pair(tmp_path)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_verify_locations(cadata=bravo.ca_der)
    async with TlsServer(server_context(bravo)) as listener:
        assert await refused(listener.port, client)
    assert listener.visitors == []


async def test_a_client_of_an_unknown_authority_is_refused(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    stranger = client_context(new_identity(tmp_path / "three", "alpha"))
    server = server_context(bravo)
    trust(server, alpha.ca_der)
    trust(stranger, bravo.ca_der)
    async with TlsServer(server) as listener:
        assert await refused(listener.port, stranger)
    assert listener.visitors == []


async def test_a_server_of_an_unknown_authority_is_refused_with_the_reason(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    server = server_context(bravo)
    trust(server, alpha.ca_der)
    async with TlsServer(server) as listener:
        with pytest.raises(ssl.SSLCertVerificationError):
            await visit(listener.port, client_context(alpha))
    assert listener.visitors == []


@pytest.mark.parametrize("expired", ["client", "server"])
async def test_an_expired_certificate_is_refused(tmp_path: Path, expired: str) -> None:
    made_at = {"client": datetime.now(UTC), "server": datetime.now(UTC), expired: LONG_AGO}
    alpha = new_identity(tmp_path / "one", "alpha", made_at=made_at["client"])
    bravo = new_identity(tmp_path / "two", "bravo", made_at=made_at["server"])
    client, server = client_context(alpha), server_context(bravo)
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    async with TlsServer(server) as listener:
        assert await refused(listener.port, client)
    assert listener.visitors == []


async def test_no_session_keys_are_written_and_none_are_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys.log"))
    alpha, bravo = a_pair(tmp_path)
    client, server = client_context(alpha), server_context(bravo)
    assert [context.keylog_filename for context in (client, server)] == [None, None]
    assert server.num_tickets == 0
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    async with TlsServer(server) as listener:
        await visit(listener.port, client)
    assert not (tmp_path / "keys.log").exists()


def test_nobody_is_trusted_at_first(tmp_path: Path) -> None:
    alpha, _ = a_pair(tmp_path)
    for context in (client_context(alpha), server_context(alpha)):
        assert context.get_ca_certs() == []
        assert context.verify_mode is ssl.CERT_REQUIRED


def test_a_key_that_went_away_is_reported_in_one_line(tmp_path: Path) -> None:
    alpha, _ = a_pair(tmp_path)
    alpha.key_path.unlink()
    with pytest.raises(StartError, match=r"identity\.pem: OpenSSL does not take this certificate and key"):
        server_context(alpha)


@pytest.mark.parametrize("data", [b"", b"hello"])
def test_what_is_no_authority_cannot_be_trusted(tmp_path: Path, data: bytes) -> None:
    alpha, _ = a_pair(tmp_path)
    with pytest.raises(PairingError, match="cannot be read"):
        trust(client_context(alpha), data)
