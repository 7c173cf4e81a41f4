"""A server's handshake on memory buffers: bytes of the client in, bytes for it out, and at the end the hand-over.

OpenSSL gets one record at a time, so that it has read nothing beyond the client's Finished when the handshake ends.
What was received after that belongs to the worker, also half a record.
"""

import ssl
from collections.abc import Sequence
from typing import Final

from sieve.lab.tls_split.hand_over import HandOver
from sieve.lab.tls_split.hello import client_random, server_random_and_suite, ticket_name
from sieve.lab.tls_split.processes.openssl import (
    CLIENT_SECRET,
    MASTER_SECRET,
    SERVER_SECRET,
    TICKET_KEY_SIZE,
    ServerContext,
)
from sieve.lab.tls_split.records import (
    APPLICATION_DATA,
    CHANGE_CIPHER_SPEC,
    HANDSHAKE,
    HEADER_SIZE,
    is_header,
    record_at_start,
)
from sieve.lab.tls_split.secrets_in_memory import wipe
from sieve.lab.tls_split.suites import SUITES, tls12_secrets

_NAME: Final = 16


class Refused(Exception):
    """The handshake failed. `answer`: the alert to send, if any."""

    def __init__(self, answer: bytes, reason: str) -> None:
        super().__init__(reason)
        self.answer = answer


class TicketKeys:
    """The ticket keys of a handler: the first seals new tickets, and all open tickets."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self.current = keys[0]
        self._by_name = {key[:_NAME]: key for key in keys}

    @classmethod
    def of(cls, joined: bytes) -> "TicketKeys":
        """From keys one after the other."""
        return cls([joined[at : at + TICKET_KEY_SIZE] for at in range(0, len(joined), TICKET_KEY_SIZE)])

    def for_ticket(self, name: bytes | None) -> bytes:
        """The key of a ticket; or the current one, under which the ticket does not open: then the handshake is full."""
        return self._by_name.get(name or b"", self.current)


class Handshake:
    """One handshake. `receive` until `is_done`; then either `hand_over`, or go on with `tls` and its buffers."""

    def __init__(self, context: ServerContext, keys: TicketKeys) -> None:
        self._context, self._keys = context, keys
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.unread = bytearray()
        self.is_done = False
        self._ticket_key: bytes | None = None
        self._secrets: dict[bytes, bytearray] = {}
        self._client_random = b""
        self.hello: tuple[bytes, int] | None = None
        self._is_ciphered = False
        self.explicit_nonce = 0
        self._sent_after = 0

    @property
    def is_resumed(self) -> bool:
        return bool(self.tls.session_reused)

    def receive(self, data: bytes) -> bytes:
        """What must be sent to the client.

        Raises:
            Refused: the client does not do a handshake that this server accepts.
        """
        self.unread += data
        out = b""
        while not self.is_done and (size := record_at_start(self.unread)):
            record = bytes(self.unread[:size])
            del self.unread[:size]
            out += self._step(record)
        if not self.is_done and len(self.unread) >= HEADER_SIZE and not is_header(self.unread):
            # What is no record would never be complete. OpenSSL has the right alert for it.
            out += self._step(bytes(self.unread))
            raise Refused(out, "this is no TLS")
        return out

    def _step(self, record: bytes) -> bytes:
        if self._ticket_key is None:
            self._client_random = client_random(record) or b""
            self._ticket_key = self._keys.for_ticket(ticket_name(record))
        # The client's ticket is opened before secrets are agreed on; new ones are sealed after that.
        self._context.use_ticket_key(self._keys.current if self._secrets else self._ticket_key)
        self.incoming.write(record)
        try:
            self.tls.do_handshake()
            self.is_done = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self.forget()
            raise Refused(self.outgoing.read(), error.reason or "the handshake failed") from None
        self._secrets.update(self._context.take_secrets())
        out = self.outgoing.read()
        self.note(out)
        return out

    def note(self, out: bytes) -> None:
        """Notes what the worker must know of the records that OpenSSL sends."""
        at = 0
        self._sent_after = 0
        while size := record_at_start(memoryview(out)[at:]):
            record = out[at : at + size]
            at += size
            if record[0] == CHANGE_CIPHER_SPEC:
                self._is_ciphered = True
            elif record[0] == HANDSHAKE and self._is_ciphered:
                self.explicit_nonce = int.from_bytes(record[HEADER_SIZE : HEADER_SIZE + 8], "big")
            elif record[0] == APPLICATION_DATA:
                self._sent_after += 1
            else:
                # Not of encrypted records, which may look like anything.
                self.hello = server_random_and_suite(record) or self.hello

    def hand_over(self) -> HandOver:
        """The state of the connection. The handshake keeps no secret, and OpenSSL frees its own copies.

        Raises:
            Refused: the connection cannot go on in another process.
        """
        if self.hello is None or (suite := SUITES.get(self.hello[1])) is None:
            self.forget()
            raise Refused(b"", "the cipher suite cannot be handed over")
        secrets, self._secrets = self._secrets, {}
        del self.tls
        unread = bytes(self.unread)
        if suite.is_tls13:
            # What OpenSSL sent after the client's Finished are tickets, under the keys that the worker continues with.
            return HandOver(suite, secrets[CLIENT_SECRET], secrets[SERVER_SECRET], 0, self._sent_after, 0, unread)
        master = secrets[MASTER_SECRET]
        read, write = tls12_secrets(suite, master, self._client_random, self.hello[0])
        wipe(master)
        # Each side's Finished was its first record under these keys.
        explicit = (self.explicit_nonce + 1) % 2**64 if suite.has_explicit_nonce else 0
        return HandOver(suite, read, write, 1, 1, explicit, unread)

    def forget(self) -> None:
        """Overwrites the secrets of a handshake that is not handed over."""
        wipe(*self._secrets.values(), *self._context.take_secrets().values())
        self._secrets = {}
