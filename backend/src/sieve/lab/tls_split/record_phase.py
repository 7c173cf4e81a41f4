"""The record phase of one connection, after its handshake: bytes of the client in, application data out, and back.

It does what TLS asks of a server after the handshake: close_notify, KeyUpdate in both directions, alerts, and refusal
of everything else. A worker cannot do a handshake: it has no key for that.
"""

from typing import Final

from sieve.lab.tls_split.errors import DECODE_ERROR, RECORD_OVERFLOW, UNEXPECTED_MESSAGE, RecordError
from sieve.lab.tls_split.hand_over import HandOver
from sieve.lab.tls_split.records import (
    ALERT,
    APPLICATION_DATA,
    HANDSHAKE,
    HEADER_SIZE,
    MAX_CONTENT,
    Opener,
    Sealer,
    record_at_start,
)

CLOSE_NOTIFY, USER_CANCELED, NO_RENEGOTIATION = 0, 90, 100
_WARNING, _FATAL = 1, 2
_KEY_UPDATE: Final = 24
_CLIENT_HELLO: Final = 1
RECORDS_PER_KEY: Final = 2**24
"""AES-GCM is safe for 2^24.5 full records under one key (RFC 8446, section 5.5)."""
MAX_WITHOUT_DATA: Final = 32
"""Records in a row that carry no application data: more are a flood."""
_MAX_BUFFERED: Final = HEADER_SIZE + MAX_CONTENT + 2048


class RecordPhase:
    """The server's side of one connection. Wipe its keys with `forget`."""

    def __init__(self, state: HandOver, records_per_key: int = RECORDS_PER_KEY) -> None:
        self._suite = state.suite
        self._opener = Opener(state.suite, state.read_secret, state.read_sequence)
        self._sealer = Sealer(state.suite, state.write_secret, state.write_sequence, state.explicit_nonce)
        self._records_per_key = records_per_key
        self._buffered = bytearray()
        self._message = bytearray()
        self._without_data = 0
        self._outgoing: list[bytes | bytearray] = []
        self.is_closed_by_peer = False
        """The client sent close_notify or a fatal alert. Nothing that follows is read."""

    def receive(self, data: bytes | bytearray) -> bytes:
        """The application data in the records that are complete now. What must be sent in answer comes with `send`.

        Raises:
            RecordError: the client broke the protocol: send what `refuse` returns, and close.
        """
        self._buffered += data
        plain = []
        while not self.is_closed_by_peer and (size := record_at_start(self._buffered)):
            record = bytes(self._buffered[:size])
            del self._buffered[:size]
            kind, content = self._opener.open(record)
            if kind != HANDSHAKE and self._message:
                raise RecordError(UNEXPECTED_MESSAGE, "a handshake message is interrupted")
            self._without_data = 0 if kind == APPLICATION_DATA and content else self._without_data + 1
            if self._without_data > MAX_WITHOUT_DATA:
                raise RecordError(UNEXPECTED_MESSAGE, f"more than {MAX_WITHOUT_DATA} records without data")
            if kind == APPLICATION_DATA:
                plain.append(content)
            elif kind == ALERT:
                self._alert(content)
            elif kind == HANDSHAKE and content:
                self._message += content
                self._handshake_messages()
            else:
                raise RecordError(UNEXPECTED_MESSAGE, f"a record of type {kind}, or an empty one")
        if len(self._buffered) > _MAX_BUFFERED:
            raise RecordError(RECORD_OVERFLOW, "a record is too long")
        return b"".join(plain)

    def send(self, data: bytes | memoryview = b"") -> bytes | bytearray:
        """The records that carry `data`, after what the protocol has to answer."""
        view = memoryview(data)
        while view:
            most = len(view)
            if self._suite.is_tls13:
                if self._sealer.sequence >= self._records_per_key:
                    self._update_sealer()
                most = (self._records_per_key - self._sealer.sequence) * MAX_CONTENT
            self._outgoing.append(self._sealer.seal(APPLICATION_DATA, view[:most]))
            view = view[most:]
        out = self._outgoing[0] if len(self._outgoing) == 1 else b"".join(self._outgoing)
        self._outgoing.clear()
        return out

    def close(self) -> bytes | bytearray:
        """The rest to send, with close_notify."""
        self._outgoing.append(self._sealer.seal(ALERT, bytes((_WARNING, CLOSE_NOTIFY))))
        return self.send()

    def refuse(self, error: RecordError) -> bytes | bytearray:
        """The fatal alert that answers an error."""
        self._outgoing.append(self._sealer.seal(ALERT, bytes((_FATAL, error.alert))))
        return self.send()

    def forget(self) -> None:
        """Overwrites the secrets. Nothing can be received or sent after that."""
        self._opener.forget()
        self._sealer.forget()

    def _alert(self, content: bytes) -> None:
        if len(content) != 2:
            raise RecordError(DECODE_ERROR, "an alert has two bytes")
        level, description = content
        # In TLS 1.3 every other alert is fatal, whatever its level says (RFC 8446, section 6).
        if level == _FATAL or description == CLOSE_NOTIFY or (self._suite.is_tls13 and description != USER_CANCELED):
            self.is_closed_by_peer = True

    def _handshake_messages(self) -> None:
        kind = self._message[0]
        if not self._suite.is_tls13:
            # A client that wants to renegotiate. It decides whether to go on without (RFC 5246, section 7.2.2).
            if kind != _CLIENT_HELLO:
                raise RecordError(UNEXPECTED_MESSAGE, f"a handshake message of type {kind}")
            self._message.clear()
            self._outgoing.append(self._sealer.seal(ALERT, bytes((_WARNING, NO_RENEGOTIATION))))
            return
        if kind != _KEY_UPDATE:
            raise RecordError(UNEXPECTED_MESSAGE, f"a handshake message of type {kind}")
        if len(self._message) < 5 and self._message[1:4] == b"\0\0\1"[: len(self._message) - 1]:
            return
        if len(self._message) != 5 or self._message[1:4] != b"\0\0\1" or self._message[4] > 1:
            # A KeyUpdate ends its record, because the next one is under other keys.
            raise RecordError(DECODE_ERROR, "a KeyUpdate is not valid")
        is_requested = self._message[4] == 1
        self._message.clear()
        self._opener.update()
        if is_requested:
            self._update_sealer()

    def _update_sealer(self) -> None:
        self._outgoing.append(self._sealer.seal(HANDSHAKE, bytes((_KEY_UPDATE, 0, 0, 1, 0))))
        self._sealer.update()
