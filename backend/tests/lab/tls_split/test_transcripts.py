"""Our records are OpenSSL's own, byte by byte, after handshakes of OpenSSL with itself."""

import pytest

from sieve.lab.tls_split.hand_over import decode, encode
from sieve.lab.tls_split.processes.identity import KeyKind
from sieve.lab.tls_split.record_phase import RecordPhase
from sieve.lab.tls_split.suites import SUITES, Suite, expand_label, key_and_iv
from tls_in_memory import ALL_SUITES, TLS12, TLS13, Talk, client_context, server_context

TEXTS = (b"x", b"GET / HTTP/1.1\r\n\r\n", bytes(16384), bytes(range(256)) * 200)


def talk(suite: Suite, early: bytes = b"") -> Talk:
    kind: KeyKind = "rsa" if "_RSA_" in suite.name else "ecdsa"
    client = client_context(kind, TLS13 if suite.is_tls13 else TLS12)
    if not suite.is_tls13:
        client.set_ciphers(_openssl_name(suite))
    return Talk(server_context(kind, suite), client, early=early)


def _openssl_name(suite: Suite) -> str:
    name = suite.name.removeprefix("TLS_").replace("WITH_", "").replace("AES_", "AES")
    return name.removesuffix("_SHA256").replace("_", "-") if "CHACHA" in name else name.replace("_", "-")


@pytest.mark.parametrize("suite", ALL_SUITES, ids=lambda suite: suite.name)
def test_a_worker_continues_exactly_where_openssl_would(suite: Suite) -> None:
    found = talk(suite)
    server = found.handshake.tls
    state = decode(encode(found.handshake.hand_over()))
    assert state.suite == suite
    ours = RecordPhase(state)
    for text in TEXTS:
        server.write(text)
        theirs = found.handshake.outgoing.read()
        assert ours.send(text) == theirs
        assert found.client_hears(theirs) == text
    for text in TEXTS:
        records = found.client_says(text)
        found.handshake.incoming.write(records)
        assert b"".join(server.read(2**20) for _ in range(-(-len(text) // 16384))) == text
        assert ours.receive(records) == text
    assert found.client_hears(ours.close()) == b""


@pytest.mark.parametrize("suite", [SUITES[0x1301], SUITES[0xC02B]], ids=lambda suite: suite.name)
def test_what_a_client_sends_early_is_handed_over(suite: Suite) -> None:
    # In one packet with Finished: in TLS 1.2 a client speaks only after the server's.
    early = b"GET /1 HTTP/1.1\r\n\r\n" if suite.is_tls13 else b""
    found = talk(suite, early)
    state = found.handshake.hand_over()
    records = found.client_says(b"half")
    assert RecordPhase(state).receive(state.unread + records) == early + b"half"


def test_resumed_sessions_are_handed_over_too() -> None:
    for version in (TLS12, TLS13):
        server, client = server_context(), client_context(version=version)
        first = Talk(server, client)
        first.client_hears(RecordPhase(first.handshake.hand_over()).send(b"a ticket came before"))
        again = Talk(server, client, session=first.client.session)
        assert again.handshake.is_resumed
        assert again.client.session_reused
        ours = RecordPhase(again.handshake.hand_over())
        assert again.client_hears(ours.send(b"resumed")) == b"resumed"
        assert ours.receive(again.client_says(b"indeed")) == b"indeed"


def test_the_key_schedule_of_rfc_8448() -> None:
    """Section 3, the server's application keys."""
    secret = bytes.fromhex("a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643")
    key, iv = key_and_iv(SUITES[0x1301], secret)
    assert key.hex() == "9f02283b6c9c07efc26bb9f2ac92e356"
    assert iv.hex() == "cf782b88dd83549aadf1e984"
    assert len(expand_label(SUITES[0x1302], bytes(48), b"traffic upd", 48)) == 48
