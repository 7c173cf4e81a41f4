"""A TLS 1.2 server with RSA key exchange, whose private operation goes through the batcher; on loopback.

Stock clients know one exponent for each certificate, so they get one of several certificates for the same modulus.
Clients of the paper's scheme all get one certificate, and their exponent in `ServerHello.random`.
"""

import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Final, Self

from tlslite.api import HandshakeSettings, TLSConnection, X509CertChain
from tlslite.errors import BaseTLSException
from tlslite.keyexchange import RSAKeyExchange
from tlslite.utils.cryptomath import numberToByteArray, numBytes
from tlslite.utils.python_rsakey import Python_RSAKey

from sieve.cli.lab.batch_rsa.batcher import Batcher, Place
from sieve.lab.batch_rsa import certificate, printed_algorithms
from sieve.lab.batch_rsa.keys import PLAIN_EXPONENT, Root

CLIENT_S: Final = 20.0
"""How long the server waits for a client's next bytes."""
ANSWER: Final = b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nbatch\n"


class BatchedKey(Python_RSAKey):  # type: ignore[misc]  # tlslite has no types, so its classes are Any
    """tlslite's private key, for one exponent. `decrypt` stays tlslite's: it hides whether the padding was right."""

    def __init__(self, place: Place, root: Root) -> None:
        super().__init__(n=root.n, e=root.e, d=root.d)
        self._place = place

    def decrypt(self, ciphertext: bytearray) -> bytearray | None:
        """Clients of the paper's scheme send v' after v. Nothing uses it: a wrong one would hurt another client."""
        found: bytearray | None = super().decrypt(ciphertext[: numBytes(self.n)])
        return found

    def _rawPrivateKeyOp(self, message: int) -> int:  # noqa: N802 -- tlslite's name
        return self._place.decrypt(message)


class _UniqueServer(TLSConnection):  # type: ignore[misc]  # tlslite has no types, so its classes are Any
    """Says the exponents in `ServerHello.random`."""

    def __init__(self, connected: socket.socket, exponent: int, sibling: int | None) -> None:
        super().__init__(connected)
        self._exponents = exponent, sibling

    def _serverCertKeyExchange(  # noqa: N802 -- tlslite's name
        self, hello: Any, server_hello: Any, *rest: Any
    ) -> Iterator[Any]:
        certificate.write(server_hello.random, *self._exponents)
        steps: Iterator[Any] = super()._serverCertKeyExchange(hello, server_hello, *rest)
        return steps


class UniqueClient(TLSConnection):  # type: ignore[misc]  # tlslite has no types, so its classes are Any
    """A client of the paper's scheme: encrypts for the exponent in `ServerHello.random`, and sends v' after v."""

    def _clientKeyExchange(self, *given: Any) -> Iterator[Any]:  # noqa: N802 -- tlslite's name
        *rest, exchange = given
        exchange.__class__ = _UniqueExchange
        steps: Iterator[Any] = super()._clientKeyExchange(*rest, exchange)
        return steps


class _UniqueExchange(RSAKeyExchange):  # type: ignore[misc]  # tlslite has no types, so its classes are Any
    def processServerKeyExchange(self, public_key: Any, message: Any) -> Any:  # noqa: N802 -- tlslite's name
        exponent, sibling = certificate.read(self.serverHello.random)
        # The certificate proves who knows the factors of n; its own exponent is not used.
        secret = super().processServerKeyExchange(Python_RSAKey(n=public_key.n, e=exponent), message)
        if sibling is not None:
            v = int.from_bytes(self.encPremasterSecret)
            raised = printed_algorithms.raised(v, sibling, public_key.n)
            self.encPremasterSecret += numberToByteArray(raised, numBytes(public_key.n))
        return secret


@dataclass(frozen=True, slots=True)
class Handshake:
    """`seconds`: from the connection until the handshake was complete; None if the client left before."""

    exponent: int
    seconds: float | None


class BatchServer:
    """Use it as a context. `chains`: PEM by exponent; with that of 65537 alone, the paper's scheme is used."""

    def __init__(self, batcher: Batcher, chains: Mapping[int, str]) -> None:
        self.handshakes: list[Handshake] = []
        self._batcher = batcher
        self._roots = {exponent: batcher.key.root([exponent]) for exponent in batcher.key.exponents}
        self._chains = {exponent: X509CertChain() for exponent in chains}
        for exponent, chain in self._chains.items():
            chain.parsePemList(chains[exponent])
        exponents = batcher.key.exponents
        self._siblings = dict(zip(exponents, printed_algorithms.siblings(exponents), strict=True))
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._lock = Lock()
        self._threads: list[Thread] = []
        self._accepting = Thread(target=self._accept, name="batch-server")

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Lets open connections finish."""
        # Only shutdown wakes a thread in accept.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connected, _ = self._listener.accept()
                thread = Thread(target=self._serve, args=(connected, time.perf_counter()))
                self._threads.append(thread)
                thread.start()

    def _serve(self, connected: socket.socket, since: float) -> None:
        seconds = None
        # Whatever a client does, it only ends its own connection; nobody else notices.
        with connected, self._batcher.open() as place, suppress(OSError, BaseTLSException):
            connected.settimeout(CLIENT_S)
            exponent = place.exponent
            unique = self._chains.get(PLAIN_EXPONENT)
            tls = _UniqueServer(connected, exponent, self._siblings[exponent]) if unique else TLSConnection(connected)
            tls.handshakeServer(
                certChain=unique or self._chains[exponent],
                privateKey=BatchedKey(place, self._roots[exponent]),
                settings=settings(),
            )
            seconds = time.perf_counter() - since
            tls.read(max=4096, min=1)
            tls.write(ANSWER)
            tls.close()
        with self._lock:
            self.handshakes.append(Handshake(place.exponent, seconds))


def settings() -> HandshakeSettings:
    """TLS 1.2 with RSA key exchange alone, for keys of any size: for the laboratory, never for a document."""
    made = HandshakeSettings()
    made.minVersion = made.maxVersion = (3, 3)
    made.minKeySize = 512
    made.keyExchangeNames = ["rsa"]
    made.cipherNames = ["aes128gcm"]
    made.cipherImplementations = ["python"]
    return made
