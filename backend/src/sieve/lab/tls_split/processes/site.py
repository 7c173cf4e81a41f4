"""A server of the experiment: starts the processes of a design on loopback, replaces those that die, ends them all."""

import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sieve.lab.errors import LabError
from sieve.lab.tls_split.processes.assignment import Assignment, Design, Role
from sieve.lab.tls_split.processes.openssl import TICKET_KEY_SIZE
from sieve.lab.tls_split.processes.tally import Tally, Totals

BACKLOG: Final = 2048
ROLES: Final = ("one-process", "handler-agent", "handler", "delegate-agent", "worker")
_WORKER_SLOT: Final = 32
"""Of the first worker; those before belong to handlers."""
_HAVE_KEYS: Final = ("handler", "one-process")
_START_S: Final = 30.0
_END_S: Final = 5.0


@dataclass(eq=False, slots=True)
class _Process:
    given: Assignment
    running: subprocess.Popen[bytes]
    control: socket.socket


class Site:
    """A running server; a context manager. `identity`: certificate and private key in PEM. It is kept in memory of the
    kernel (a memfd) for handlers that replace others, not in this process.

    Raises:
        LabError: a process does not start.
    """

    def __init__(
        self,
        design: Design,
        identity: bytes,
        *,
        front_ends: int = 1,
        handlers: int = 1,
        workers: int = 1,
        cores: Sequence[int] = (),
    ) -> None:
        self._cores = cores
        self._identity = os.memfd_create("identity")
        os.write(self._identity, identity)
        self._ticket_keys = [os.urandom(TICKET_KEY_SIZE)]
        self._tally = Tally()
        self._workers = workers if design in ("through-handler", "direct") else 0
        self._sockets: list[socket.socket] = []
        self._processes: list[_Process] = []
        self._lock = threading.RLock()
        self._is_closing = False
        self.port = 0
        self._stop, self._stopped = os.pipe()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        try:
            self._start_all(design, front_ends, handlers)
        except BaseException:
            self.close()
            raise
        self._watcher.start()

    def _start_all(self, design: Design, front_ends: int, handlers: int) -> None:
        back_end = self._pair() if self._workers else None
        if back_end:
            self._start("delegate-agent", design, [back_end[1]], _WORKER_SLOT)
        for front_end in range(front_ends):
            listener = self._listen()
            if back_end is None:
                self._start("one-process", design, [listener], front_end)
                continue
            connections = listener
            if design == "through-handler":
                agents, connections = self._pair()
                self._start("handler-agent", design, [listener, agents])
            for number in range(handlers):
                self._start("handler", design, [connections, back_end[0]], front_end * handlers + number)

    def _listen(self) -> socket.socket:
        """Each front end has a listener of its own on the same address; the kernel divides connections among them."""
        listener = socket.socket()
        self._sockets.append(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # Accepted connections inherit it.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(BACKLOG)
        self.port = listener.getsockname()[1]
        return listener

    def _pair(self) -> tuple[socket.socket, socket.socket]:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._sockets += pair
        return pair

    def _start(self, role: Role, design: Design, sockets: Sequence[socket.socket], slot: int = 0) -> None:
        descriptors = [each.fileno() for each in sockets]
        identity = self._identity if role in _HAVE_KEYS else None
        given = Assignment(
            role, design, descriptors, self._tally.descriptor, identity, slot, self._workers, self._cores
        )
        self._processes.append(self._started(given))

    def _started(self, given: Assignment) -> _Process:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            running = subprocess.Popen(  # noqa: S603 -- this package
                [sys.executable, "-m", __package__, given.to_json()],
                stdin=theirs.fileno(),
                pass_fds=[*given.descriptors, given.tally, *([] if given.identity is None else [given.identity])],
                # Ctrl-C is for the command, which ends the others. A session also has its own share of a core.
                start_new_session=True,
            )
        process = _Process(given, running, ours)
        ours.settimeout(_START_S)
        if given.role != "handler-agent":  # its listener takes connections before it runs
            try:
                if given.role in _HAVE_KEYS:
                    ours.send(b"".join(self._ticket_keys))
                _await(ours)
            except OSError:
                running.kill()
                running.wait()
                ours.close()
                raise LabError(f"the {given.role} did not start; what it said is above") from None
        return process

    def _watch(self) -> None:
        """Replaces processes that die. Their queues and listeners stay, so clients only wait."""
        while True:
            with self._lock:
                watched = {os.pidfd_open(process.running.pid): process for process in self._processes}
            ready, _, _ = select.select([self._stop, *watched], [], [])
            with self._lock:
                if self._is_closing:
                    ready = [self._stop]
                for descriptor, process in watched.items():
                    os.close(descriptor)
                    if descriptor in ready and self._stop not in ready:
                        process.running.wait()
                        process.control.close()
                        self._processes[self._processes.index(process)] = self._started(process.given)
            if self._stop in ready:
                return

    def rotate_ticket_keys(self) -> None:
        """Makes a new key for tickets. Tickets under the one before still resume; older ones do not.

        In two steps, so that no front end gets a ticket whose key it does not know yet.
        """
        with self._lock:
            key = os.urandom(TICKET_KEY_SIZE)
            for keys in ([self._ticket_keys[0], key], [key, self._ticket_keys[0]]):
                self._ticket_keys = keys
                for process in self._processes:
                    if process.given.role in _HAVE_KEYS:
                        process.control.send(b"".join(keys))
                        _await(process.control)

    def pids(self, role: str) -> list[int]:
        """The processes of a role; `worker` is one, too."""
        if role == "worker":
            return self._tally.pids(range(_WORKER_SLOT, _WORKER_SLOT + self._workers))
        with self._lock:
            return [process.running.pid for process in self._processes if process.given.role == role]

    def totals(self) -> Totals:
        """What the processes counted until now."""
        return self._tally.totals()

    def handshakes_by_handler(self) -> list[int]:
        """How many each handler did, or each single process."""
        with self._lock:
            slots = [process.given.slot for process in self._processes if process.given.role in _HAVE_KEYS]
        return [self._tally.handshakes(slot) for slot in slots]

    def processor_s(self) -> dict[str, float]:
        """Processor time until now by role, in seconds, of user and kernel together; only roles of this design."""
        times = {role: [_processor_s(pid) for pid in self.pids(role)] for role in ROLES}
        return {role: sum(each) for role, each in times.items() if each}

    def close(self) -> None:
        """Ends all processes, at once."""
        with self._lock:
            if self._is_closing:
                return
            self._is_closing = True
            os.write(self._stopped, b"\0")
            for process in self._processes:
                process.control.close()
            for process in self._processes:
                try:
                    process.running.wait(_END_S)
                except subprocess.TimeoutExpired:
                    process.running.kill()
                    process.running.wait()
        if self._watcher.ident:
            self._watcher.join()
        for each in self._sockets:
            each.close()
        for descriptor in (self._stop, self._stopped, self._identity):
            os.close(descriptor)
        self._tally.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _await(control: socket.socket) -> None:
    """Waits until the process says that it is ready."""
    if not control.recv(1):
        raise ConnectionResetError


def _processor_s(pid: int) -> float:
    # The first number of each thread: nanoseconds on a processor.
    return sum(int(each.read_text().split()[0]) for each in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9
