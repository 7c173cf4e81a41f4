"""The groups of the key exchange: curves only, over real handshakes, and the hybrid first where OpenSSL knows it."""

import _ssl
import asyncio
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.peering.test_tls import TlsServer, a_pair, refused, visit
from sieve.gateway.peering import key_exchange
from sieve.gateway.peering.key_exchange import CURVES, HYBRID, NIST_CURVES, choose_groups
from sieve.gateway.peering.tls import client_context, server_context, trust


def _set(context: ssl.SSLContext, groups: str) -> None:
    setter = key_exchange.groups_setter(context)
    assert setter is not None and setter(groups)


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
    setter = key_exchange.groups_setter(context)
    assert setter is not None
    assert setter(HYBRID) is (ssl.OPENSSL_VERSION_INFO >= (3, 5))


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
