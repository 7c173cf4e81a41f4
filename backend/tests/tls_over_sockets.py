"""Clients of the experiment with TLS in several processes, and what they agreed on with it."""

import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sieve.lab.tls_split.hello import server_random_and_suite
from sieve.lab.tls_split.processes.site import Site
from sieve.lab.tls_split.records import record_at_start
from sieve.lab.tls_split.suites import NONCE_SIZE, SUITES, key_and_iv, tls12_secrets

T = TypeVar("T")
LIMIT_S = 60
TRAFFIC = (b"CLIENT_TRAFFIC_SECRET_0", b"SERVER_TRAFFIC_SECRET_0")


def get(
    site: Site, context: ssl.SSLContext, size: int = 100, session: ssl.SSLSession | None = None
) -> tuple[bytes, ssl.SSLSession | None, bool]:
    """The document, the session to resume, and whether this one was resumed."""
    with (
        socket.create_connection(("127.0.0.1", site.port), timeout=LIMIT_S) as plain,
        context.wrap_socket(plain, server_hostname="localhost", session=session) as tls,
    ):
        tls.sendall(b"GET /%d HTTP/1.1\r\nConnection: close\r\n\r\n" % size)
        answer = b""
        while more := tls.recv(2**16):
            answer += more
        return answer.partition(b"\r\n\r\n")[2], tls.session, bool(tls.session_reused)


class OpenConnection:
    """A client that keeps its connection, and knows the secrets of both directions."""

    def __init__(self, site: Site, context: ssl.SSLContext, keylog: Path) -> None:
        context.keylog_filename = str(keylog)
        self._plain = socket.create_connection(("127.0.0.1", site.port), timeout=LIMIT_S)
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_hostname="localhost")
        self._received = b""
        self._until(self._tls.do_handshake)
        self._keylog = {
            line.split()[0]: line.split()[1:] for line in keylog.read_bytes().splitlines() if line[:1] != b"#"
        }

    def ask(self, size: int) -> bytes:
        """The document."""
        self._tls.write(b"GET /%d HTTP/1.1\r\n\r\n" % size)
        answer = b""
        while len(answer.partition(b"\r\n\r\n")[2]) < size:
            answer += self._until(lambda: self._tls.read(2**16))
        return answer.partition(b"\r\n\r\n")[2]

    def break_record(self) -> None:
        """Sends a record that is not authentic, and waits until the server ends the connection."""
        with self._plain:
            self._plain.sendall(b"\x17\3\3\0\x30" + bytes(0x30))
            while self._plain.recv(2**16):
                pass

    def close(self) -> None:
        """Ends the connection from this side."""
        with self._plain:
            try:
                self._tls.unwrap()
            except ssl.SSLWantReadError:
                self._plain.sendall(self._out.read())

    def secrets(self) -> dict[str, bytes]:
        """Traffic secrets, keys and IVs, by name. A salt of four bytes is left out: it is in any memory."""
        size = record_at_start(self._received)
        assert size
        found = server_random_and_suite(self._received[:size])
        assert found
        suite = SUITES[found[1]]
        if suite.is_tls13:
            sides = [bytes.fromhex(self._keylog[label][1].decode()) for label in TRAFFIC]
        else:
            random, master = (bytes.fromhex(each.decode()) for each in self._keylog[b"CLIENT_RANDOM"])
            sides = [bytes(each) for each in tls12_secrets(suite, master, random, found[0])]
        secrets: dict[str, bytes] = {}
        for name, side in zip(("read", "write"), sides, strict=True):
            key, iv = key_and_iv(suite, side)
            secrets |= {f"{name} secret": side, f"{name} key": bytes(key), f"{name} digits": side.hex().encode()}
            if len(iv) == NONCE_SIZE:
                secrets[f"{name} IV"] = bytes(iv)
        return secrets

    def _until(self, step: Callable[[], T]) -> T:
        while True:
            try:
                found = step()
            except ssl.SSLWantReadError:
                self._plain.sendall(self._out.read())
                more = self._plain.recv(2**16)
                assert more, "the server closed the connection"
                self._received += more
                self._in.write(more)
            else:
                self._plain.sendall(self._out.read())
                return found
