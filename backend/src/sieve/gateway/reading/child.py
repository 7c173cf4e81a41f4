"""Reading processes and their template, seen from the gateway. A reading process answers one request at a time, and is
ended if it breaks a limit.

Blocking; each process for one thread at a time.
"""

import json
import logging
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from threading import Lock
from typing import Any, Final, cast

from sieve.gateway.reading.errors import NotAvailable, ReadingBusy, ReadingFailed, Unreadable
from sieve.gateway.reading.limits import IDLE, TOO_MUCH, ReadingLimits
from sieve.gateway.reading.template import FORK, MOST
from sieve.gateway.reading.wire import Disconnected, InvalidMessage, Message, Part, Sink, TimedOut, Wire
from sieve.gateway.runtime.child_environment import child_environment
from sieve.gateway.runtime.confinement import Confinement

log = logging.getLogger(__name__)

START_S: Final = 60.0
MOST_ANSWERED: Final = 512 * 1024 * 1024
MAX_SENTENCE: Final = 1000
_NAME: Final = re.compile(r"[\w.:]{0,100}", re.ASCII)
_PARTS: Final = {"read": 0, "mark": 2}
"""How many parts an answer has; one if not listed."""
_NOT_AVAILABLE: Final = frozenset({"Unsupported", "RedactionFailed"})


class IdleEnded(Exception):
    """The process ended by itself before the request; a new one will answer."""


class Template:
    """The process that reading processes are forked from, seen from the gateway; see `template`. It starts when it is
    needed. Any thread may use it.
    """

    def __init__(self, limits: ReadingLimits) -> None:
        self.limits: Final = limits
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def fork(self) -> tuple[int, socket.socket, int]:
        """A new reading process: its id, our end of its pair, and the pipe that says how it ended.

        Raises:
            ReadingBusy: none starts.
        """
        ours, theirs = socket.socketpair()
        ended, ends = os.pipe()
        try:
            with theirs, self._lock:
                pid = self._asked(theirs, ends)
        except OSError as error:
            pid, reason = 0, error.strerror or type(error).__name__
        else:
            reason = "the reading process does not start; see the log"
        finally:
            os.close(ends)
        if pid == 0:
            ours.close()
            os.close(ended)
            log.error("no reading process starts: %s", reason)
            raise ReadingBusy(f"no file can be read right now: {reason}; try again")
        return pid, ours, ended

    def end(self, pid: int) -> None:
        """Ends a reading process, which may have ended."""
        with self._lock, suppress(OSError):  # the template is gone, and its reading processes with it
            if self._control is not None:
                self._control.send(str(pid).encode())

    def close(self) -> None:
        """Ends the template and all its reading processes."""
        with self._lock:
            self._stop()

    def _asked(self, theirs: socket.socket, ends: int) -> int:
        for is_last in (False, True):
            if self._control is None:
                self._start()
            try:
                # It may have ended by itself, after a long time without a request.
                socket.send_fds(cast(socket.socket, self._control), [FORK], [theirs.fileno(), ends])
                said = cast(socket.socket, self._control).recv(MOST)
                if said:
                    return int(said)
            except (OSError, ValueError):
                if is_last:
                    raise
            self._stop()
        return 0

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(START_S)
        with theirs, ExitStack() as if_none_starts:
            if_none_starts.callback(ours.close)
            self._process = subprocess.Popen(  # noqa: S603 -- our own program, with arguments of ours
                [
                    sys.executable,
                    "-m",
                    "sieve.gateway.reading.process",
                    f"--control-fd={theirs.fileno()}",
                    f"--limits={json.dumps(asdict(self.limits))}",
                ],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # Libraries may quote the file there.
                stderr=subprocess.DEVNULL,
                # Its processes read files from strangers.
                env=child_environment(),
                start_new_session=True,
            )
            if_none_starts.pop_all()
        self._control = ours

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Child:
    """`reads`: the only document that it may read; None: it ends after its request. `key`: the `File.key` of the file
    that it holds. `confinement`: what the kernel enforces on it.
    """

    def __init__(self, template: Template, reads: str | None = None) -> None:
        """Starts the process.

        Raises:
            ReadingBusy: it does not start.
        """
        self.key: str | None = None
        self.reads: Final = reads
        self._template, self._limits = template, template.limits
        self._status: int | None = None
        self._lock = Lock()
        self.pid, ours, self._ended = template.fork()
        self._wire = Wire(ours)
        self._wire.until = time.monotonic() + START_S
        try:
            self.confinement: Final = Confinement.from_json(self._wire.receive(0).head.get("confinement"))
        except (Disconnected, InvalidMessage, ValueError) as error:
            self.kill()
            log.error("a reading process did not start: %s", type(error).__name__)
            complaint = "no file can be read right now: the reading process does not start; see the log"
            raise ReadingBusy(complaint) from None

    @property
    def alive(self) -> bool:
        """Whether it can take a request."""
        with self._lock:
            if self._status is not None:
                return False
            waits = select.poll()
            waits.register(self._ended, select.POLLIN)
            return not waits.poll(0)

    def end(self) -> None:
        """Ends the process, from any thread: the caller that waits for its answer stops waiting, and calls `kill`."""
        self._template.end(self.pid)

    def kill(self) -> None:
        """Ends the process and frees what it used."""
        self.end()
        self._wait()
        self._wire.close()

    def _wait(self) -> int:
        """How it ended, as `subprocess.Popen.wait` says it."""
        with self._lock:
            if self._status is None:
                said = os.read(self._ended, MOST)
                os.close(self._ended)
                # Nothing is said if the template was killed, and it with it.
                self._status = int(said) if said else -signal.SIGKILL
            return self._status

    def begin(self) -> None:
        """Starts the time of one request."""
        self._wire.until = time.monotonic() + self._limits.seconds

    def ask(self, question: dict[str, Any], parts: Sequence[Part] = (), into: Sink | None = None) -> Message:
        """The answer. `into`: receives its parts, which then are not kept in memory; after an error, they are
        incomplete. Any error except Unreadable kills the process.

        Raises:
            Unreadable: the process refused, with a sentence.
            ReadingFailed: it took too long or too much, or ended.
            IdleEnded: it had ended before the request.
            Also the errors of the parts' pieces and of `into`.
        """
        try:
            self._wire.send(question, parts)
            answer = self._wire.receive(MOST_ANSWERED, into)
        except TimedOut:
            self.kill()
            raise self._too_slow() from None
        except Disconnected:
            raise self._died() from None
        except InvalidMessage:
            raise self.invalid_answer() from None
        except BaseException:
            # A part could not be read or stored, in the middle of a message.
            self.kill()
            raise
        match answer.head.get("is"):
            case "answer" if len(answer.parts) == _PARTS.get(question["do"], 1):
                return answer
            case "refused":
                kind, says = _name(answer.head.get("kind")), _sentence(answer.head.get("says"))
                is_unavailable = kind in _NOT_AVAILABLE and question["do"] != "read"
                raise (NotAvailable if is_unavailable else Unreadable)(kind, says)
            case _:
                self.kill()
                log.error(
                    "reading a file failed: %s in %s", _name(answer.head.get("kind")), _name(answer.head.get("where"))
                )
                raise ReadingFailed(
                    "the file could not be read: it is damaged or not supported; save it again from its program, or "
                    "send all of it as classified"
                )

    def invalid_answer(self) -> ReadingFailed:
        """Ends the process, which sent an invalid answer; returns the error to raise."""
        self.kill()
        return ReadingFailed("the file could not be read: its content is too large or invalid")

    def _beyond(self, limit: str) -> ReadingFailed:
        return ReadingFailed(
            f"the file could not be read within {limit}: it is damaged or too large; save it again, or split it into "
            "several files"
        )

    def _too_slow(self) -> ReadingFailed:
        return self._beyond(f"{self._limits.seconds:g} s")

    def _died(self) -> Exception:
        self.end()
        status = self._wait()
        self._wire.close()
        if status == -signal.SIGXCPU:
            return self._too_slow()
        if status == IDLE:
            return IdleEnded()
        if status == TOO_MUCH:
            return self._beyond(f"{self._limits.memory // 2**20} MiB of memory")
        return ReadingFailed(
            "the reading process ended early: the file is damaged or too large; save it again, or send all of it as "
            "classified"
        )


def _name(said: Any) -> str:
    """The name of an error or of a line of our code: nothing else that the process sends goes into the log."""
    return said if isinstance(said, str) and _NAME.fullmatch(said) else "?"


def _sentence(said: Any) -> str:
    """It may quote an address with half a surrogate pair, which no response can contain."""
    return str(said)[:MAX_SENTENCE].encode("utf-8", "replace").decode()
