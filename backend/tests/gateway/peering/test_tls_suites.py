"""Real handshakes: the suite that is asked for is the one that is negotiated, and no other can be had.

Suites of TLS 1.3 are a matter of the process: each is tried between processes of their own in `tests/stories`.
"""

import asyncio
import ipaddress
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from gateway.peering.test_tls import TlsServer, a_pair, refused
from pki import new_identity
from sieve.cipher_suites import OLDER, TLS_1_2, TLS_1_3
from sieve.gateway.errors import StartError
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.tls import (
    NOT_NEGOTIATED,
    client_context,
    negotiated,
    server_context,
    tls_1_3_in_force,
    trust,
)

AES, CHACHA = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"


def rsa_identity(folder: Path) -> Identity:
    """A gateway with an RSA key, its own authority."""
    ours = new_identity(folder)
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "rsa")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, SHA256())
    )
    chosen = folder / "rsa"
    chosen.mkdir()
    for file in ("identity.pem", "ca.pem"):
        (chosen / file).write_bytes(certificate.public_bytes(Encoding.PEM))
    (chosen / "identity.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (chosen / "receipt.key").write_bytes((ours.key_path.parent / "receipt.key").read_bytes())
    for secret in ("identity.key", "receipt.key"):
        (chosen / secret).chmod(0o600)
    return Identity.load(chosen)


async def handshaken(client: ssl.SSLContext, server: ssl.SSLContext) -> tuple[str | None, str | None]:
    """Suite and version of a connection between the two, as the client sees them."""
    async with TlsServer(server) as listener:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", listener.port, ssl=client, server_hostname="x.invalid"
        )
        tls = writer.get_extra_info("ssl_object")
        assert await reader.read() == b"hello"
        writer.close()
        return negotiated(tls).suite, tls.version()


def contexts(
    alpha: Identity, bravo: Identity, ours: Sequence[str], theirs: Sequence[str]
) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    client, server = client_context(alpha, ours), server_context(bravo, theirs)
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    return client, server


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    folder = tmp_path_factory.mktemp("identities")
    alpha, bravo = a_pair(folder)
    return {"alpha": alpha, "ECDSA": bravo, "RSA": rsa_identity(folder)}


def serving(identities: dict[str, Identity], suite: str) -> Identity:
    """An identity whose key the suite is made for."""
    return identities["ECDSA" if "_ECDSA_" in suite else "RSA"]


@pytest.mark.parametrize("suite", [*TLS_1_2, *OLDER])
async def test_a_suite_of_tls_1_2_is_the_one_that_is_used(identities: dict[str, Identity], suite: str) -> None:
    client, server = contexts(identities["alpha"], serving(identities, suite), [suite], [suite])
    assert await handshaken(client, server) == (suite, "TLSv1.2")


@pytest.mark.parametrize("suite", TLS_1_2)
async def test_who_has_another_suite_does_not_get_in(identities: dict[str, Identity], suite: str) -> None:
    bravo = serving(identities, suite)
    for other in TLS_1_2:
        if other != suite:
            client = client_context(identities["alpha"], [other])
            server = server_context(bravo, [suite])
            trust(client, bravo.ca_der)
            trust(server, identities["alpha"].ca_der)
            async with TlsServer(server) as listener:
                assert await refused(listener.port, client)
            assert listener.visitors == []


async def test_the_default_is_tls_1_3_and_its_best_suite(identities: dict[str, Identity]) -> None:
    client, server = contexts(identities["alpha"], identities["ECDSA"], TLS_1_3, TLS_1_3)
    assert await handshaken(client, server) == (TLS_1_3[0], "TLSv1.3")


async def test_with_both_versions_tls_1_3_is_taken_wherever_it_can(identities: dict[str, Identity]) -> None:
    both, only = (TLS_1_2[0], *TLS_1_3), (TLS_1_2[0],)
    client, server = contexts(identities["alpha"], identities["ECDSA"], both, both)
    assert (await handshaken(client, server))[1] == "TLSv1.3"
    client, server = contexts(identities["alpha"], identities["ECDSA"], only, both)
    assert await handshaken(client, server) == (TLS_1_2[0], "TLSv1.2")


async def test_the_server_s_order_counts(identities: dict[str, Identity]) -> None:
    first, second = TLS_1_2[0], TLS_1_2[4]
    client, server = contexts(identities["alpha"], identities["ECDSA"], [first, second], [second, first])
    assert (await handshaken(client, server))[0] == second


@pytest.mark.parametrize(
    ("on_request", "chacha_is_first", "taken"), [(True, True, CHACHA), (True, False, AES), (False, True, AES)]
)
async def test_a_client_that_lists_chacha20_first_gets_it_on_request(
    identities: dict[str, Identity], on_request: bool, chacha_is_first: bool, taken: str
) -> None:
    alpha, bravo = identities["alpha"], identities["ECDSA"]
    client = client_context(alpha, [CHACHA, AES] if chacha_is_first else [AES, CHACHA])
    server = server_context(bravo, [AES, CHACHA], chacha_on_request=on_request)
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    assert (await handshaken(client, server))[0] == taken


async def test_no_session_of_tls_1_2_is_handed_out_as_a_ticket(identities: dict[str, Identity]) -> None:
    server = server_context(identities["ECDSA"], [TLS_1_2[0]])
    assert server.options & ssl.OP_NO_TICKET
    assert server.options & ssl.OP_NO_RENEGOTIATION


def test_suites_that_do_not_fit_the_key_stop_the_start(identities: dict[str, Identity]) -> None:
    for kind, other in (("ECDSA", "RSA"), ("RSA", "ECDSA")):
        unfit = [name for name in TLS_1_2 if f"_{other}_" in name]
        with pytest.raises(StartError, match=f"SIEVE_TLS_CIPHERS: none of these suites fits .* {kind} in it"):
            server_context(identities[kind], unfit)
        server_context(identities[kind], [*unfit, TLS_1_3[0], *TLS_1_3[1:]])
        client_context(identities[kind], unfit)


def test_suites_of_tls_1_3_that_openssl_does_not_have_set_stop_the_start(identities: dict[str, Identity]) -> None:
    others = tuple(reversed(tls_1_3_in_force()))
    for make in (client_context, server_context):
        with pytest.raises(StartError, match="SIEVE_TLS_CIPHERS: OpenSSL would use"):
            make(identities["alpha"], others)


def test_what_is_not_tls_or_has_no_handshake_yet_negotiated_nothing() -> None:
    assert negotiated(None) == NOT_NEGOTIATED
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    assert negotiated(context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO())) == NOT_NEGOTIATED
