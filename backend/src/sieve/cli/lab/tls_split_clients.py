"""Simulated clients of `tls_split_measured`: `python -m sieve.cli.lab.tls_split_clients`, with the certificate of the
servers as its argument. Each line on standard input is a burst, and begins at the line after it.

All clients of a burst connect before the first one shakes hands, so as many connections are open at a time as it has
clients. One process serves all of its clients in turn, as their data arrives.
"""

import json
import resource
import selectors
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from types import TracebackType
from typing import Final, Self

from sieve.lab.errors import LabError

CLIENT_S: Final = 60.0
READ: Final = 64 * 1024


@dataclass(slots=True)
class Times:
    """What clients saw, in seconds from connecting until the last byte of the answer."""

    initiation_s: list[float] = field(default_factory=list)
    resumption_s: list[float] = field(default_factory=list)
    failed: int = 0
    not_resumed: int = 0

    def add(self, other: "Times") -> None:
        """Adds those of other clients."""
        self.initiation_s += other.initiation_s
        self.resumption_s += other.resumption_s
        self.failed += other.failed
        self.not_resumed += other.not_resumed


@dataclass(frozen=True, slots=True)
class Burst:
    """`size`: of the document in bytes. Every second one of the `clients` resumes the session of an earlier one."""

    port: int
    size: int
    clients: int


class ClientProcesses:
    """Client processes; a context manager. `certificate`: of the servers, in PEM."""

    def __init__(self, certificate: str, processes: int) -> None:
        self._running = [
            subprocess.Popen(  # noqa: S603 -- this module
                [sys.executable, "-m", __name__, certificate], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(processes)
        ]

    def prepare(self, burst: Burst) -> None:
        """Divides the clients among the processes, and has each get a session to resume.

        Raises:
            LabError: the server does not serve.
        """
        count = len(self._running)
        for number, process in enumerate(self._running):
            clients = burst.clients // count + (number < burst.clients % count)
            share = replace(burst, clients=clients)
            self._say(process, json.dumps(asdict(share)))
        for process in self._running:
            self._hear(process)

    def go(self) -> Times:
        """Runs the burst that was prepared."""
        for process in self._running:
            self._say(process, "go")
        total = Times()
        for process in self._running:
            total.add(Times(**json.loads(self._hear(process))))
        return total

    def _say(self, process: subprocess.Popen[str], line: str) -> None:
        assert process.stdin  # noqa: S101 -- a pipe
        process.stdin.write(line + "\n")
        process.stdin.flush()

    def _hear(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout  # noqa: S101 -- a pipe
        line = process.stdout.readline()
        if not line:
            raise LabError("a process of clients ended; what it said is above")
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._running:
            if kind:
                process.kill()
            with process:  # closes its pipes, which ends it, and waits
                pass


def context_for(certificate: str) -> ssl.SSLContext:
    """A client's, which trusts this certificate only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=certificate)
    return context


class Client:
    """One connection with one request."""

    def __init__(self, port: int, size: int, context: ssl.SSLContext, session: ssl.SSLSession | None) -> None:
        self.is_resuming = session is not None
        self._size = size
        self._head, self._received = b"", -1
        self._begun = time.perf_counter()
        plain = socket.create_connection(("127.0.0.1", port), timeout=CLIENT_S)
        self.tls = context.wrap_socket(
            plain, server_hostname="localhost", session=session, do_handshake_on_connect=False
        )
        self._is_asked = False

    def step(self) -> float | None:
        """Goes on; the seconds since connecting if the whole document is here. Without blocking, None until then.

        Raises:
            OSError: the connection failed, or the answer is not the document.
        """
        try:
            if not self._is_asked:
                self.tls.do_handshake()
                self.tls.send(b"GET /%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % self._size)
                self._is_asked = True
            while self._received < self._size:
                more = self.tls.recv(READ)
                if not more:
                    raise ConnectionError("the answer is incomplete")
                self._take(more)
        except ssl.SSLWantReadError:
            return None
        return time.perf_counter() - self._begun

    def _take(self, more: bytes) -> None:
        if self._received >= 0:
            self._received += len(more)
            return
        self._head += more
        head, separator, body = self._head.partition(b"\r\n\r\n")
        if separator:
            if not head.startswith(b"HTTP/1.1 200 "):
                raise ConnectionError("the answer is not the document")
            self._received = len(body)


def one_after_the_other(port: int, size: int, context: ssl.SSLContext, requests: int, times: Times) -> None:
    """One client: an initiation, and then resumptions."""
    session = None
    for _ in range(requests):
        try:
            client = Client(port, size, context, session)
            with client.tls:
                seconds = client.step()
                following, is_resumed = client.tls.session, bool(client.tls.session_reused)
        except OSError:  # TLS errors are such errors, too
            times.failed += 1
            continue
        _note(times, client, seconds, is_resumed)
        session = following


def _note(times: Times, client: Client, seconds: float | None, is_resumed: bool) -> None:
    assert seconds is not None  # noqa: S101 -- a blocking client ends, and others are asked
    (times.resumption_s if client.is_resuming else times.initiation_s).append(seconds)
    times.not_resumed += client.is_resuming and not is_resumed


def session_of(burst: Burst, context: ssl.SSLContext) -> ssl.SSLSession | None:
    """Of one more client, for others to resume."""
    client = Client(burst.port, burst.size, context, None)
    with client.tls:
        client.step()
        return client.tls.session


def run(burst: Burst, context: ssl.SSLContext, session: ssl.SSLSession | None) -> Times:
    """All clients at once."""
    times = Times()
    with selectors.DefaultSelector() as waiting:
        clients = []
        for number in range(burst.clients):
            try:
                clients.append(Client(burst.port, burst.size, context, session if number % 2 else None))
            except OSError:
                times.failed += 1
        for client in clients:
            client.tls.setblocking(False)
            waiting.register(client.tls, selectors.EVENT_READ, client)
        ready: Sequence[Client] = clients
        while ready:
            for client in ready:
                try:
                    seconds = client.step()
                except OSError:
                    times.failed += 1
                else:
                    if seconds is None:
                        continue
                    _note(times, client, seconds, bool(client.tls.session_reused))
                waiting.unregister(client.tls)
                client.tls.close()
            ready = [key.data for key, _ in waiting.select(CLIENT_S)] if waiting.get_map() else []
        for key in list(waiting.get_map().values()):
            times.failed += 1
            key.data.tls.close()
    return times


def main() -> None:
    """Runs bursts until standard input closes."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    context = context_for(sys.argv[1])
    while line := sys.stdin.readline():
        burst = Burst(**json.loads(line))
        session = session_of(burst, context) if burst.clients > 1 else None
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(asdict(run(burst, context, session))), flush=True)


if __name__ == "__main__":
    main()
