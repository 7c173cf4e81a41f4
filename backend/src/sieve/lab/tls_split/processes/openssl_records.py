"""The record phase by OpenSSL, in the process that did the handshake: what the other designs are compared with."""

import contextlib
import ssl

from sieve.lab.tls_split.errors import UNEXPECTED_MESSAGE, RecordError
from sieve.lab.tls_split.processes.handshake import Handshake
from sieve.lab.tls_split.records import MAX_CONTENT


class OpensslRecords:
    """`RecordPhase`'s methods, done by the library."""

    def __init__(self, handshake: Handshake) -> None:
        handshake.forget()
        self._tls, self._incoming, self._outgoing = handshake.tls, handshake.incoming, handshake.outgoing
        self.is_closed_by_peer = False

    def receive(self, data: bytes) -> bytes:
        self._incoming.write(data)
        plain = []
        try:
            while content := self._tls.read(MAX_CONTENT):
                plain.append(content)
            self.is_closed_by_peer = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self.is_closed_by_peer = True
        except ssl.SSLError as error:
            raise RecordError(UNEXPECTED_MESSAGE, error.reason or "the record is not valid") from None
        return b"".join(plain)

    def send(self, data: bytes = b"") -> bytes:
        if data:
            self._tls.write(data)
        return self._outgoing.read()

    def close(self) -> bytes:
        with contextlib.suppress(ssl.SSLError):  # the client's close_notify has not come yet
            self._tls.unwrap()
        return self._outgoing.read()

    def refuse(self, error: RecordError) -> bytes:
        """The alert that the library has chosen."""
        return self._outgoing.read()

    def forget(self) -> None:
        """The library clears its keys when the connection is freed."""
