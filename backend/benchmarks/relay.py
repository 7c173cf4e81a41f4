"""Additional processing on the secure channel: a relay that burns processor time for each byte it passes on.

It emulates a cipher that TLS no longer has. 3DES costs the sender and the receiver so many milliseconds for each MB of
secure data, while the plain channel continues beside it; no calculation from finished transfers shows that overlap. So
the secure channel goes through two relays, one for each end, with a process for each connection, as each end has a
thread. They use that time in pieces of a TLS record. TLS itself passes through them unchanged, with its real cipher:
rows say which, and that the rest is emulated. The product has no hook for it.

Run as a program, it is one relay: `python -m benchmarks.relay MS_PER_MB` prints its port, then reads the `HOST:PORT` to
which it passes everything on.
"""

import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

RECORD = 16 * 1024
MB = 1_000_000
ENDS_S = 30.0


class RelayMissing(Exception):
    """A relay did not start."""


@dataclass(frozen=True, slots=True)
class Relays:
    """`port`: where the sender connects. `pass_on` says where the receiver is, once that is known."""

    port: int
    pass_on: Callable[[str], None]


@contextmanager
def relays(ms_per_mb: float) -> Iterator[Relays]:
    """Two in a row: the sender's end and the receiver's, each burning `ms_per_mb`."""
    with ExitStack() as stack:
        ours, theirs = (stack.enter_context(_relay(ms_per_mb)) for _ in range(2))
        ours.pass_on(f"127.0.0.1:{theirs.port}")
        yield Relays(ours.port, theirs.pass_on)


def own_ms_per_mb(size: int = 10 * MB) -> float:
    """What two relays that burn nothing take for each MB, from its first byte to the last one's arrival: what passing
    bytes on costs, which is no part of any cipher."""
    with socket.create_server(("127.0.0.1", 0)) as listening, relays(0.0) as between, ThreadPoolExecutor(1) as beside:
        between.pass_on(f"127.0.0.1:{listening.getsockname()[1]}")
        with socket.create_connection(("127.0.0.1", between.port), ENDS_S) as ours:
            listening.settimeout(ENDS_S)
            theirs, _ = listening.accept()
            with theirs:
                theirs.settimeout(ENDS_S)
                began = time.perf_counter_ns()
                sending = beside.submit(ours.sendall, bytes(size))
                left = size
                while left and (came := len(theirs.recv(RECORD))):
                    left -= came
                took = time.perf_counter_ns() - began
                sending.result()
    if left:
        raise RelayMissing("a relay broke off")
    return took / 1e6 / (size / MB)


@contextmanager
def _relay(ms_per_mb: float) -> Iterator[Relays]:
    process = subprocess.Popen(  # noqa: S603 -- this module, by this interpreter
        [sys.executable, "-m", "benchmarks.relay", str(ms_per_mb)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Its own group: what it forks for each connection ends with it.
        process_group=0,
    )
    try:
        if process.stdin is None or process.stdout is None or not (port := process.stdout.readline()):
            raise RelayMissing("a relay did not start; the lines above say why")
        say = process.stdin

        def pass_on(where: str) -> None:
            say.write(where + "\n")
            say.flush()

        yield Relays(int(port), pass_on)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()


def burn(took_bytes: int, ms_per_mb: float) -> None:
    """Takes as much of this thread's processor time as so many bytes cost."""
    until = time.thread_time_ns() + round(took_bytes * ms_per_mb * 1e6 / MB)
    while time.thread_time_ns() < until:
        pass


def pump(ours: socket.socket, theirs: socket.socket, ms_per_mb: float) -> None:
    """Passes bytes both ways until either end is closed."""
    with selectors.DefaultSelector() as ready:
        ready.register(ours, selectors.EVENT_READ, theirs)
        ready.register(theirs, selectors.EVENT_READ, ours)
        while True:
            for key, _ in ready.select():
                data = os.read(key.fd, RECORD)
                if not data:
                    return
                burn(len(data), ms_per_mb)
                key.data.sendall(data)


def main() -> None:
    """Entry point of the other process."""
    ms_per_mb = float(sys.argv[1])
    # Nobody waits for those that end.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        host, _, port = sys.stdin.readline().strip().rpartition(":")
        while True:
            taken, _ = listening.accept()
            if os.fork():
                taken.close()
                continue
            # A connection that breaks is handled like one that ends: closing ours shows it to the other end.
            with suppress(OSError), taken, socket.create_connection((host, int(port))) as onward:
                for sock in (taken, onward):
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                pump(taken, onward, ms_per_mb)
            os._exit(0)


if __name__ == "__main__":
    main()
