"""Handshakes of OpenSSL with itself, without sockets, for the experiment with TLS in several processes."""

import os
import ssl
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from sieve.lab.tls_split.hand_over import HandOver
from sieve.lab.tls_split.processes.handshake import Handshake, TicketKeys
from sieve.lab.tls_split.processes.identity import KeyKind, make_identity
from sieve.lab.tls_split.processes.openssl import TICKET_KEY_SIZE, ServerContext
from sieve.lab.tls_split.suites import SUITES, Suite

TLS12, TLS13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
KEYS = TicketKeys([os.urandom(TICKET_KEY_SIZE)])


@cache
def identity(kind: KeyKind) -> tuple[bytes, bytes]:
    """The same one for all tests of a process."""
    return make_identity(kind)


def server_context(kind: KeyKind = "ecdsa", suite: Suite | None = None) -> ServerContext:
    """A context with this key, for all suites or one."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(identity(kind)[0])
        file.flush()
        context = ServerContext(Path(file.name))
    if suite and suite.is_tls13:
        # Python 3.11 has no name for it, and the product needs none.
        context._library.SSL_CTX_set_ciphersuites(context._pointer, suite.name.encode())
    return context


def client_context(kind: KeyKind = "ecdsa", version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """A context that trusts the identity, for one version or any."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=identity(kind)[1].decode())
    if version:
        context.minimum_version = context.maximum_version = version
    return context


class Talk:
    """A client and a server's handshake, finished. `early`: what the client sends with its Finished."""

    def __init__(
        self,
        server: ServerContext,
        client: ssl.SSLContext,
        *,
        early: bytes = b"",
        session: ssl.SSLSession | None = None,
        keys: TicketKeys = KEYS,
    ) -> None:
        self.handshake = Handshake(server, keys)
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.client = client.wrap_bio(self._in, self._out, server_hostname="localhost", session=session)
        is_done = False
        while not (is_done and self.handshake.is_done):
            if not is_done:
                try:
                    self.client.do_handshake()
                    is_done = True
                    if early:
                        self.client.write(early)
                except ssl.SSLWantReadError:
                    pass
            self._in.write(self.handshake.receive(self._out.read()))

    def client_says(self, data: bytes) -> bytes:
        """The client's records of this data."""
        self.client.write(data)
        return self._out.read()

    def client_hears(self, records: bytes | bytearray) -> bytes:
        """What the client reads in these records; empty at close_notify."""
        self._in.write(records)
        plain = b""
        try:
            while content := self.client.read(2**20):
                plain += content
        except ssl.SSLWantReadError:
            pass
        return plain


def example_state(suite: Suite, sequence: int = 0) -> HandOver:
    """The state of a connection that no handshake made."""
    size = suite.secret_size
    nonce = 2**64 - 2 if suite.has_explicit_nonce else 0
    return HandOver(suite, bytearray(b"\1" * size), bytearray(b"\2" * size), sequence, sequence, nonce)


def mirrored(state: HandOver) -> HandOver:
    """The client's side of a state, so that two record phases talk with each other."""
    return replace(state, read_secret=bytearray(state.write_secret), write_secret=bytearray(state.read_secret))


ALL_SUITES = list(SUITES.values())
