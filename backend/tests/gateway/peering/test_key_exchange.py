"""The groups of the key exchange: curves only, over real handshakes, and the hybrid first where OpenSSL knows it; and
which one a connection used.
"""

import _ssl
import asyncio
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gateway.peering.test_tls import TlsServer, a_pair, refused, visit
from sieve import cipher_suites
from sieve.gateway.peering import key_exchange
from sieve.gateway.peering.identity import Identity
from sieve.gateway.peering.key_exchange import (
    CURVES,
    HYBRID,
    NIST_CURVES,
    choose_groups,
    group_by_handle,
    group_of,
)
from sieve.gateway.peering.tls import client_context, server_context, trust

IANA_NAMES = {
    "X25519MLKEM768": "X25519MLKEM768",
    "X25519": "x25519",
    "P-256": "secp256r1",
    "X448": "x448",
    "P-384": "secp384r1",
    "P-521": "secp521r1",
}


def _set(context: ssl.SSLContext, groups: str) -> None:
    assert _knows(context, groups)


def _knows(context: ssl.SSLContext, groups: str) -> bool:
    setter = key_exchange.groups_setter(context)
    assert setter is not None
    return setter(groups)


@pytest.mark.parametrize("side", ["client", "server"])
async def test_a_peer_with_finite_field_groups_only_is_refused(tmp_path: Path, side: str) -> None:
    alpha, bravo = a_pair(tmp_path)
    client, server = client_context(alpha), server_context(bravo)
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    async with TlsServer(server) as listener:
        assert (await visit(listener.port, client))[0] == b"hello"
        _set(client if side == "client" else server, "ffdhe2048:ffdhe3072")
        assert await refused(listener.port, client)


@pytest.mark.parametrize("group", ["X25519", "P-256", "P-384"])
async def test_every_curve_is_accepted(tmp_path: Path, group: str) -> None:
    alpha, bravo = a_pair(tmp_path)
    client, server = client_context(alpha), server_context(bravo)
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    _set(client, group)
    async with TlsServer(server) as listener:
        assert (await visit(listener.port, client))[0] == b"hello"


async def test_the_secure_listener_refuses_another_program_with_ffdhe(tmp_path: Path) -> None:
    alpha, bravo = a_pair(tmp_path)
    server = server_context(bravo)
    trust(server, alpha.ca_der)

    async with TlsServer(server) as listener:
        command = ["openssl", "s_client", "-connect", f"127.0.0.1:{listener.port}", "-tls1_3", "-groups"]
        ffdhe, curve = [await _told([*command, group]) for group in ("ffdhe2048", "X25519")]

    assert "Cipher is (NONE)" in ffdhe and "Server Temp Key" not in ffdhe
    assert "Server Temp Key: X25519" in curve


async def _told(command: list[str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return (await process.communicate())[0].decode()


@pytest.mark.parametrize(
    ("known", "set_in_the_end"),
    [
        ({"X25519MLKEM768", "X25519", "X448", "P-256", "P-384", "P-521"}, HYBRID),
        ({"X25519", "X448", "P-256", "P-384", "P-521"}, CURVES),
        ({"P-256", "P-384", "P-521"}, NIST_CURVES),
        ({"ffdhe2048"}, None),
    ],
    ids=["OpenSSL 3.5", "OpenSSL 3.0", "approved curves", "none"],
)
def test_the_best_list_that_openssl_knows(known: set[str], set_in_the_end: str | None) -> None:
    took: list[str] = []

    def setter_of(_: ssl.SSLContext) -> Callable[[str], bool]:
        def take(groups: str) -> bool:
            if not {name.lstrip("*") for name in groups.split(":")} <= known:
                return False
            took.append(groups)
            return True

        return take

    chosen = choose_groups(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), setter_of)

    assert took == ([set_in_the_end] if set_in_the_end else [])
    assert chosen is (set_in_the_end is not None)


def test_this_openssl_gets_the_hybrid_if_it_has_it() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    assert _knows(context, HYBRID) is (ssl.OPENSSL_VERSION_INFO >= (3, 5))


def test_a_python_that_sets_groups_itself_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Newer(ssl.SSLContext):
        def set_groups(self, groups: str) -> None:
            if "MLKEM" in groups:
                raise ssl.SSLError("unknown group")
            took.append(groups)

    took: list[str] = []
    monkeypatch.setattr(key_exchange, "groups_setter_by_handle", None)
    assert choose_groups(Newer(ssl.PROTOCOL_TLS_CLIENT))
    assert took == [CURVES]


def test_no_handle_is_used_where_its_place_is_not_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "version_info", (3, 15))
        assert key_exchange.groups_setter_by_handle(context) is None
    with monkeypatch.context() as patched:
        patched.delattr(_ssl, "__file__")
        assert not choose_groups(context)


def test_a_list_that_openssl_refuses_leaves_no_error_behind() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    setter = key_exchange.groups_setter(context)
    assert setter is not None and not setter("no-such-group")
    with pytest.raises(ssl.SSLError, match="No cipher can be selected"):
        context.set_ciphers("no-such-suite")
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname="peer.invalid").do_handshake()


@pytest.fixture(scope="module")
def gateways(tmp_path_factory: pytest.TempPathFactory) -> tuple[Identity, Identity]:
    return a_pair(tmp_path_factory.mktemp("gateways"))


def _contexts(
    gateways: tuple[Identity, Identity], suites: tuple[str, ...] = cipher_suites.TLS_1_3
) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    alpha, bravo = gateways
    client, server = client_context(alpha, suites), server_context(bravo, suites)
    trust(client, bravo.ca_der)
    trust(server, alpha.ca_der)
    return client, server


def _connected(client: ssl.SSLContext, server: ssl.SSLContext) -> tuple[ssl.SSLObject, ssl.SSLObject]:
    """Both ends of a connection after a handshake in memory."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(back, there, server_hostname="peer.invalid"),
        server.wrap_bio(there, back, server_side=True),
    )
    left = [*ends]
    while left:
        for end in [*left]:
            try:
                end.do_handshake()
                left.remove(end)
            except ssl.SSLWantReadError:
                pass
    return ends


@pytest.mark.parametrize("suites", [cipher_suites.TLS_1_3, cipher_suites.TLS_1_2[:1]], ids=["TLS 1.3", "TLS 1.2"])
def test_both_ends_name_the_group_that_they_used(gateways: tuple[Identity, Identity], suites: tuple[str, ...]) -> None:
    for group in CURVES.split(":"):
        client, server = _contexts(gateways, suites)
        for context in (client, server):
            # In TLS 1.2 the curve of the certificate, P-256, must be among them.
            _set(context, group if group == "P-256" else f"{group}:P-256")
        assert [group_of(end) for end in _connected(client, server)] == [IANA_NAMES[group]] * 2


def test_the_first_group_that_this_openssl_knows_is_used(gateways: tuple[Identity, Identity]) -> None:
    client, server = _contexts(gateways)
    ends = _connected(client, server)
    scratch = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    best = next(groups for groups in (HYBRID, CURVES, NIST_CURVES) if _knows(scratch, groups))
    first = best.split(":")[0].lstrip("*")
    assert [group_of(end) for end in ends] == [IANA_NAMES[first]] * 2


def test_after_a_second_try_it_is_the_group_of_the_second(gateways: tuple[Identity, Identity]) -> None:
    client, server = _contexts(gateways)
    _set(client, "X25519:P-384")  # a key for the first only
    _set(server, "P-384")
    assert [group_of(end) for end in _connected(client, server)] == ["secp384r1"] * 2


def test_openssl_is_not_asked_before_the_handshake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_exchange, "group_by_handle", None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    assert group_of(context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="peer.invalid")) is None


def _seen_as(connection: ssl.SSLObject, **changed: Any) -> Any:
    """The connection, as if Python had something else in these places."""
    inner = connection._sslobj  # type: ignore[attr-defined]  # what the handle is read from
    return SimpleNamespace(**{"_sslobj": inner, "context": connection.context, **changed})


def test_no_group_is_shown_where_a_handle_is_not_where_it_should_be(
    gateways: tuple[Identity, Identity], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server = _contexts(gateways)
    connection, _ = _connected(client, server)
    assert group_by_handle(_seen_as(connection)) == group_of(connection) is not None
    # The context does not follow the handle.
    assert group_by_handle(_seen_as(connection, context=server)) is None
    # Not an object of Python's own.
    assert group_by_handle(_seen_as(connection, _sslobj=None)) is None
    assert group_by_handle(_seen_as(connection, _sslobj=bytes(96))) is None

    # OpenSSL reads another context from the handle, or none can be compared.
    # Python's module and ours would have to be built with different libraries.
    ours = key_exchange.handle_of
    with monkeypatch.context() as patched:
        patched.setattr(key_exchange, "handle_of", lambda library, _: ours(library, server))
        assert group_by_handle(connection) is None
    with monkeypatch.context() as patched:
        patched.setattr(key_exchange, "handle_of", lambda library, _: None)
        assert group_by_handle(connection) is None


def test_no_group_is_shown_where_the_layout_or_openssl_s_functions_are_not_known(
    gateways: tuple[Identity, Identity], monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, _ = _connected(*_contexts(gateways))
    with monkeypatch.context() as patched:
        patched.setattr(sys, "version_info", (3, 15))
        assert group_by_handle(connection) is None
    with monkeypatch.context() as patched:
        patched.delattr(_ssl, "__file__")
        assert group_of(connection) is None


def test_a_python_that_reads_groups_itself_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_exchange, "group_by_handle", None)

    def unknown() -> str:
        raise NotImplementedError

    newer: Any = SimpleNamespace(cipher=lambda: ("TLS_AES_256_GCM_SHA384", "TLSv1.3", 256), group=lambda: "x448")
    older: Any = SimpleNamespace(cipher=newer.cipher, group=unknown)
    assert (group_of(newer), group_of(older)) == ("x448", None)
