"""OpenSSL's handshakes, by Python's `ssl`, with two things that `ssl` does not offer: secrets that go to the caller
instead of a file, and the ticket key. Both come through ctypes from the libssl that `ssl` itself uses.

For the laboratory only: it relies on where CPython keeps a pointer, which it checks.
"""

import _ssl
import binascii
import ctypes
import ssl
from functools import cache
from pathlib import Path
from typing import Final

from sieve.lab.errors import LabError
from sieve.lab.tls_split.secrets_in_memory import wipe

TICKET_KEY_SIZE: Final = 80
"""Name, HMAC key, AES key."""
_SET_SESSION_CACHE_MODE, _GET_TICKET_KEYS, _SET_TICKET_KEYS = 44, 58, 59
_CACHE_OFF: Final = 0
CIPHERS_12: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
CLIENT_SECRET, SERVER_SECRET, MASTER_SECRET = b"CLIENT_TRAFFIC_SECRET_0", b"SERVER_TRAFFIC_SECRET_0", b"CLIENT_RANDOM"
_RANDOM_DIGITS: Final = 64
_LABEL_SEEN: Final = 32
"""Enough for a label, and too short to reach a secret."""
_KEYLOG: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class ServerContext:
    """A context for servers whose secrets are read by `take_secrets` right after each step of a handshake.

    Raises:
        LabError: this Python's `ssl` is not linked to a shared libssl.
    """

    def __init__(self, certificate_file: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(CIPHERS_12)
        context.load_cert_chain(certificate_file)
        context.options |= ssl.OP_NO_RENEGOTIATION
        self.context = context
        self._library = _library()
        # The pointer is the first thing after the head of the object.
        self._pointer = ctypes.c_void_p.from_address(id(context) + object.__basicsize__)
        if self._control(_GET_TICKET_KEYS, 0, None) != TICKET_KEY_SIZE:
            raise LabError("this build of Python keeps its TLS contexts in another way: use CPython 3.11 to 3.14")
        # Tickets hold sessions. A cache would keep their secrets in memory, and no other process sees it.
        self._control(_SET_SESSION_CACHE_MODE, _CACHE_OFF, None)
        self._secrets: dict[bytes, bytearray] = {}
        self._keylog = _KEYLOG(self._log)
        self._library.SSL_CTX_set_keylog_callback(self._pointer, self._keylog)
        self._ticket_key = b""

    def use_ticket_key(self, key: bytes) -> None:
        """Seals and opens tickets with this key from now on."""
        if key != self._ticket_key:
            self._control(_SET_TICKET_KEYS, len(key), key)
            self._ticket_key = key

    def take_secrets(self) -> dict[bytes, bytearray]:
        """The secrets that were agreed on since the last call, by the labels of the key log format. The caller wipes
        them."""
        taken, self._secrets = self._secrets, {}
        return taken

    def _control(self, command: int, number: int, data: bytes | None) -> int:
        found: int = self._library.SSL_CTX_ctrl(self._pointer, command, ctypes.c_long(number), data)
        return found

    def _log(self, _connection: int, line: int) -> None:
        label = ctypes.string_at(line, _LABEL_SEEN).partition(b" ")[0]
        if label in (CLIENT_SECRET, SERVER_SECRET, MASTER_SECRET):
            # Only the secret's own digits are copied, and the copies overwritten; OpenSSL clears the line itself.
            skipped = len(label) + 1 + _RANDOM_DIGITS + 1
            digits = (ctypes.c_char * (self._library.strlen(ctypes.c_void_p(line)) - skipped)).from_address(
                line + skipped
            )
            secret = binascii.unhexlify(digits)
            self._secrets[label] = bytearray(secret)
            wipe(secret)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(getattr(_ssl, "__file__", None))
    try:
        library.SSL_CTX_ctrl.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_long, ctypes.c_char_p)
        library.SSL_CTX_ctrl.restype = ctypes.c_long
        library.SSL_CTX_set_keylog_callback.argtypes = (ctypes.c_void_p, _KEYLOG)
        library.SSL_CTX_set_keylog_callback.restype = None
        library.strlen.restype = ctypes.c_size_t
    except AttributeError:
        raise LabError(
            "this experiment needs a Python whose ssl module uses a shared libssl, such as Debian's"
        ) from None
    return library
