"""A handler's handshakes: tickets under rotating keys, and clients that do not do a handshake."""

import os
import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieve.lab.tls_split.hello import client_random, server_random_and_suite, ticket_name
from sieve.lab.tls_split.processes.handshake import Handshake, Refused, TicketKeys
from sieve.lab.tls_split.processes.openssl import TICKET_KEY_SIZE
from sieve.lab.tls_split.record_phase import RecordPhase
from tls_in_memory import KEYS, TLS12, TLS13, Talk, client_context, server_context

OLD, NEW, NEWEST = (os.urandom(TICKET_KEY_SIZE) for _ in range(3))


def session_of(talk: Talk) -> ssl.SSLSession | None:
    talk.client_hears(RecordPhase(talk.handshake.hand_over()).send(b"."))
    return talk.client.session


@pytest.mark.parametrize("version", [TLS12, TLS13])
def test_a_ticket_resumes_in_another_process_and_until_its_key_is_gone(version: ssl.TLSVersion) -> None:
    client = client_context(version=version)
    session = session_of(Talk(server_context(), client, keys=TicketKeys([OLD])))
    # Another process has a context of its own, and only the ticket keys are the same.
    again = Talk(server_context(), client, keys=TicketKeys([NEW, OLD]), session=session)
    assert again.handshake.is_resumed
    if version == TLS13:  # a resumed connection gets a ticket under the current key
        session = session_of(again)
        assert Talk(server_context(), client, keys=TicketKeys([NEW]), session=session).handshake.is_resumed
        session = session_of(Talk(server_context(), client, keys=TicketKeys([OLD])))
    late = Talk(server_context(), client, keys=TicketKeys([NEWEST, NEW]), session=session)
    assert not late.handshake.is_resumed
    assert session_of(late) is not None


def test_an_old_version_is_refused_with_an_alert() -> None:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning):
        client.minimum_version, client.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    hello = client.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        hello.do_handshake()
    with pytest.raises(Refused) as refused:
        Handshake(server_context(), KEYS).receive(outgoing.read())
    incoming.write(refused.value.answer)
    with pytest.raises(ssl.SSLError, match="protocol version"):
        hello.do_handshake()


@pytest.mark.parametrize("noise", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\3\1\xff\xff\1", b"\x80\x2e\1\0\2"])
def test_what_is_no_record_is_refused_before_it_is_complete(noise: bytes) -> None:
    with pytest.raises(Refused):
        Handshake(CONTEXT, KEYS).receive(noise)


def test_an_encrypted_finished_is_never_read_as_a_hello() -> None:
    """In TLS 1.2 it begins with a random nonce, which looks like the type of a ServerHello once in 256 handshakes."""
    handshake = Handshake(CONTEXT, KEYS)
    hello = b"\x16\3\3\0\x2a\2\0\0\x26\3\3" + b"r" * 32 + b"\0\xc0\x2b\0"
    handshake.note(hello)
    handshake.note(b"\x14\3\3\0\1\1" + b"\x16\3\3\0\x28\2" + bytes(39))
    assert handshake.hello == (b"r" * 32, 0xC02B)
    assert handshake.explicit_nonce == 2 << 56


@given(st.binary(min_size=5, max_size=300))
def test_noise_is_refused_or_waited_for(noise: bytes) -> None:
    handshake = Handshake(CONTEXT, KEYS)
    try:
        assert handshake.receive(noise) == b""
    except Refused as refused:
        assert str(refused)
    assert not handshake.is_done
    handshake.forget()


CONTEXT = server_context()


@given(st.binary(max_size=300), st.booleans())
def test_hellos_that_are_none_have_no_ticket(noise: bytes, is_hello: bool) -> None:
    record = b"\x16\3\1\0\xff\1" + noise if is_hello else noise
    assert ticket_name(record) is None or len(record) > 60
    assert client_random(record) is None or is_hello
    assert server_random_and_suite(record) is None or record[5:6] == b"\2"
