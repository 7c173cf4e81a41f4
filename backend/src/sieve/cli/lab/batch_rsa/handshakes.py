"""Real handshakes: `openssl s_client`, clients of the paper's scheme, and clients that leave, against the server."""

import errno
import random
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any, Final

from tlslite.api import TLSConnection

from sieve.cli.errors import Failed
from sieve.cli.lab.batch_rsa.batcher import Batcher
from sieve.cli.lab.batch_rsa.certificates import issue
from sieve.cli.lab.batch_rsa.server import ANSWER, BatchServer, UniqueClient, settings
from sieve.lab.arrivals import Policy, figures, poisson_times, simulate
from sieve.lab.batch_rsa.keys import PLAIN_EXPONENT, BatchKey, make_key
from sieve.lab.batch_rsa.model import EXPONENTS
from sieve.lab.batch_rsa.tree import BatchDecryptor

REQUEST: Final = b"GET / HTTP/1.0\r\n\r\n"
CLIENT_S: Final = 60.0
FOREVER_S: Final = 3600.0
"""A longest wait that no batch of an experiment reaches."""


class Bench:
    """A running server with its key. `unique`: the paper's scheme, which stock clients cannot use."""

    def __init__(self, server: BatchServer, batcher: Batcher, authority: Path, request: Path) -> None:
        self.port, self.batcher = server.port, batcher
        self._server, self._authority, self._request = server, authority, request

    def openssl(self) -> "subprocess.Popen[bytes]":
        """Starts a client that checks the certificate, asks, and prints the answer."""
        program = shutil.which("openssl")
        if program is None:
            raise Failed(
                "openssl is not installed, whose s_client is the client: install it (Debian: apt install openssl)"
            )
        arguments = (
            *("s_client", "-quiet", "-tls1_2", "-cipher", "AES128-GCM-SHA256:@SECLEVEL=0"),
            *("-connect", f"127.0.0.1:{self.port}", "-verify_ip", "127.0.0.1"),
            *("-CAfile", str(self._authority), "-verify_return_error"),
        )
        with self._request.open("rb") as asked:
            return subprocess.Popen(  # noqa: S603 -- the machine's openssl, with our arguments
                [program, *arguments], stdin=asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )

    def paper_client(self) -> bytes:
        """What a client of the paper's scheme is answered."""
        with socket.create_connection(("127.0.0.1", self.port), CLIENT_S) as connected:
            tls = UniqueClient(connected)
            tls.handshakeClientCert(settings=settings())
            tls.write(REQUEST)
            answer = bytes(tls.read(min=len(ANSWER), max=len(ANSWER)))
            tls.close()
            return answer

    def leave(self, flights: int) -> None:
        """A client that closes its connection after that many flights: 1 is its hello, 2 its key exchange."""
        with (
            socket.create_connection(("127.0.0.1", self.port), CLIENT_S) as connected,
            suppress(ConnectionAbortedError),
        ):
            TLSConnection(_Leaver(connected, flights)).handshakeClientCert(settings=settings())

    def handshake_ms(self) -> list[float]:
        """Of the clients so far that did not leave."""
        return [1e3 * each.seconds for each in self._server.handshakes if each.seconds is not None]


class _Leaver:
    """A socket whose owner leaves instead of reading the answer to its last flight."""

    def __init__(self, connected: socket.socket, flights: int) -> None:
        self._connected, self._left = connected, flights

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connected, name)

    def send(self, flight: bytes) -> int:
        self._left -= 1
        return self._connected.send(flight)

    def sendall(self, flight: bytes) -> None:
        self._left -= 1
        self._connected.sendall(flight)

    def recv(self, size: int) -> bytes:
        if self._left <= 0:
            raise ConnectionAbortedError(errno.ECONNABORTED, "the client leaves")
        return self._connected.recv(size)


@contextmanager
def bench(key: BatchKey, longest_wait_s: float, unique: bool = False) -> Iterator[Bench]:
    """A server, until all its clients have ended."""
    made = issue(int(key.n), [PLAIN_EXPONENT] if unique else key.exponents)
    decryptor = BatchDecryptor(key, random.SystemRandom())
    with tempfile.TemporaryDirectory() as folder:
        authority, request = Path(folder, "authority.pem"), Path(folder, "request")
        authority.write_text(made.authority)
        request.write_bytes(REQUEST)
        with Batcher(decryptor, longest_wait_s) as batcher, BatchServer(batcher, made.chains) as server:
            yield Bench(server, batcher, authority, request)


def answers(clients: "Sequence[subprocess.Popen[bytes]]") -> list[bytes]:
    """What each client printed. A client that does not end is killed."""
    found = []
    try:
        for client in clients:
            with suppress(subprocess.TimeoutExpired):
                found.append(client.communicate(timeout=CLIENT_S)[0])
    finally:
        for client in clients:
            client.kill()
            client.wait()
            _close(client.stdout)
    return found


def _close(stream: "IO[bytes] | None") -> None:
    if stream is not None:
        stream.close()


def scenarios(bits: int, batch: int) -> Iterator[dict[str, Any]]:
    """A full batch, a partial one, clients that leave, and the paper's scheme."""
    key = make_key(bits, EXPONENTS[:batch], random.SystemRandom())
    with bench(key, FOREVER_S) as running:
        got = answers([running.openssl() for _ in range(batch)])
        yield _row(f"{batch} clients at once", running, batch, got)
    with bench(key, 0.2) as running:
        got = answers([running.openssl() for _ in range(batch - 1)])
        yield _row(f"{batch - 1} clients, longest wait 200 ms", running, batch - 1, got)
    with bench(key, FOREVER_S) as running:
        running.leave(1)
        got = answers([running.openssl() for _ in range(batch)])
        yield _row(f"one leaves after its hello, then {batch} come", running, batch, got)
    with bench(key, FOREVER_S) as running:
        running.leave(2)
        got = answers([running.openssl() for _ in range(batch - 1)])
        yield _row(f"one leaves while its batch waits, {batch - 1} stay", running, batch - 1, got)
    with bench(key, FOREVER_S, unique=True) as running:
        got = together(running, batch)
        yield _row(f"{batch} clients of the paper's scheme, one certificate", running, batch, got)


def together(running: Bench, clients: int) -> list[bytes]:
    """This many clients of the paper's scheme at once."""
    got: list[bytes] = []
    threads = [Thread(target=lambda: got.append(running.paper_client())) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got


def poisson(
    bits: int, batch: int, longest_wait_s: float, rate_per_s: float, clients: int, seed: int = 1
) -> Iterator[dict[str, Any]]:
    """OpenSSL's clients at random, beside a simulation of the same arrivals. The same seed gives the same arrivals."""
    draw = random.Random(seed)  # noqa: S311 -- the same each time
    arrived_s = poisson_times(rate_per_s, clients, draw)
    with bench(make_key(bits, EXPONENTS[:batch], random.SystemRandom()), longest_wait_s) as running:
        since, started = time.perf_counter(), []
        for due_s in arrived_s:
            # Until the next arrival.
            time.sleep(max(0.0, since + due_s - time.perf_counter()))
            started.append(running.openssl())
        row = _row(f"Poisson, {rate_per_s:g}/s", running, clients, answers(started))
    busy_s = running.batcher.busy_s
    mean_s = statistics.fmean(busy_s)
    run = simulate(arrived_s, lambda *_: mean_s, Policy(batch, longest_wait_s=longest_wait_s), draw)
    yield row | {
        "batch": batch,
        "longest_wait_ms": 1e3 * longest_wait_s,
        "decrypted_ms": 1e3 * statistics.fmean(running.batcher.waited_s),
        "simulated_ms": 1e3 * figures(run).mean_turnaround_s,
        "busy_ms": 1e3 * sum(busy_s),
    }


def _row(what: str, running: Bench, clients: int, got: Sequence[bytes]) -> dict[str, Any]:
    if list(got) != [ANSWER] * clients:
        raise Failed(f"{what}: {sum(each == ANSWER for each in got)} of {clients} clients got the answer")
    return {
        "what": what,
        "clients": clients,
        "sizes": list(running.batcher.sizes),
        "handshake_ms": statistics.fmean(running.handshake_ms()),
    }
