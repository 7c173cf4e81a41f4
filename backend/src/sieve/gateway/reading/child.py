"""Reading processes and the reading template, seen from the gateway. A reading process answers one request at a time,
and is ended if it breaks a limit.

Blocking; each process for one thread at a time.
"""

import errno
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
from threading import Lock, Thread
from typing import Any, Final, NamedTuple

from sieve.gateway.reading.errors import NotAvailable, ReadingBusy, ReadingFailed, Unreadable
from sieve.gateway.reading.limits import IDLE, TOO_MUCH, ReadingLimits
from sieve.gateway.reading.template import FORK, MOST
from sieve.gateway.reading.wire import Disconnected, InvalidMessage, Message, Part, Sink, TimedOut, Wire
from sieve.gateway.runtime.child_environment import child_environment
from sieve.gateway.runtime.confinement import Confinement

log = logging.getLogger(__name__)

START_S: Final = 60.0
"""Until a reading process is there, or has confined itself."""
ANSWER_S: Final = 5.0
"""Until a template that runs has answered."""
MOST_ANSWERED: Final = 512 * 1024 * 1024
MAX_SENTENCE: Final = 1000
_NAME: Final = re.compile(r"[\w.:]{0,100}", re.ASCII)
_PARTS: Final = {"read": 0, "mark": 2}
"""How many parts an answer has; one if not listed."""
_NOT_AVAILABLE: Final = frozenset({"Unsupported", "RedactionFailed"})


class IdleEnded(Exception):
    """The process ended by itself before the request; a new one will answer."""


class _Running:
    """A reading template that runs: its process, and our end of the pair."""

    def __init__(self, limits: ReadingLimits) -> None:
        """Raises:
        OSError: it does not start.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        with theirs, ExitStack() as if_none_starts:
            if_none_starts.callback(ours.close)
            self._process = subprocess.Popen(  # noqa: S603 -- our own program, with arguments of ours
                [
                    sys.executable,
                    "-m",
                    "sieve.gateway.reading.process",
                    f"--control-fd={theirs.fileno()}",
                    f"--limits={json.dumps(asdict(limits))}",
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
        self._closing = Lock()
        # It may end by itself, and would stay a zombie until somebody waits for it.
        self._waiting = Thread(target=self._process.wait, name="reading-template", daemon=True)
        self._waiting.start()

    def fork(self, theirs: int, ends: int, until: float) -> int:
        """The id of a new reading process, 0 if none starts.

        Raises:
            OSError: the template is gone or does not answer until then, by the monotonic clock.
            ValueError: what it answers is no number.
        """
        socket.send_fds(self._control, [FORK], [theirs, ends])
        if not _can_read(self._control.fileno(), until - time.monotonic()):
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        return int(self._control.recv(MOST))

    def end(self, pid: int) -> None:
        """Asks it to end a reading process. Any thread, at any time; does not wait."""
        with self._closing, suppress(OSError):  # it is gone, and its reading processes with it; or it does not answer
            self._control.send(str(pid).encode())

    def stop(self, within: float = 0) -> None:
        """Ends the template and all its reading processes: it has so many seconds to do so. Any thread, at any time."""
        with self._closing, suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        self._waiting.join(within)
        if self._waiting.is_alive():
            self._process.kill()
            self._waiting.join()

    def close(self) -> None:
        """Frees what it used, after `stop`, while no other thread is in `fork`."""
        with self._closing:
            self._control.close()


class Forked(NamedTuple):
    """A new reading process: its id, our end of its pair, the pipe that says how it ended, and who forked it."""

    pid: int
    end: socket.socket
    ended: int
    by: _Running


class Template:
    """The reading template, seen from the gateway; see `template`. It starts when needed. Any thread may use it."""

    def __init__(self, limits: ReadingLimits) -> None:
        self.limits: Final = limits
        self._lock = Lock()
        """Held by the thread that forks, at most `START_S`."""
        self._running: _Running | None = None
        self._closed = False

    def fork(self) -> Forked:
        """A new reading process, within `START_S`.

        Raises:
            ReadingBusy: none starts.
        """
        reason = "the reading process does not start; see the log"
        with ExitStack() as ours, ExitStack() as theirs:
            try:
                end, its_end = socket.socketpair()
                ours.callback(end.close)
                theirs.callback(its_end.close)
                ended, ends = os.pipe()
                ours.callback(os.close, ended)
                theirs.callback(os.close, ends)
                made = self._asked(its_end.fileno(), ends)
            except OSError as error:
                made, reason = None, error.strerror or type(error).__name__
            if made is not None:
                ours.pop_all()
                return Forked(made[0], end, ended, made[1])
        log.error("no reading process starts: %s", reason)
        raise ReadingBusy(f"no file can be read right now: {reason}; try again")

    def close(self) -> None:
        """Ends the template and all its reading processes, for good. A thread in `fork` stops waiting."""
        self._closed = True
        if (running := self._running) is not None:
            running.stop(ANSWER_S)
        with self._lock:
            self._stop()

    def _asked(self, theirs: int, ends: int) -> tuple[int, _Running] | None:
        """The id of a new reading process, and who forked it."""
        until = time.monotonic() + START_S
        if not self._lock.acquire(timeout=START_S):
            return None
        try:
            # One that ran before may have ended by itself, after a long time without a request, or may not answer.
            if self._running is not None:
                with suppress(OSError, ValueError):
                    return self._of(self._running, theirs, ends, min(until, time.monotonic() + ANSWER_S))
                self._stop()
            self._running = _Running(self.limits)
            if self._closed:  # `close` may not have seen it
                self._running.stop()
            try:
                return self._of(self._running, theirs, ends, until)
            except (OSError, ValueError):
                self._stop()
                return None
        finally:
            self._lock.release()

    def _of(self, running: _Running, theirs: int, ends: int, until: float) -> tuple[int, _Running] | None:
        pid = running.fork(theirs, ends, until)
        return (pid, running) if pid > 0 else None

    def _stop(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running.close()
            self._running = None


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
        self._limits = template.limits
        self._status: int | None = None
        self.pid, ours, self._ended, self._template = template.fork()
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
        # Its end of the pair closes before the template can say how it ended.
        return self._status is None and not _can_read(self._wire.fileno(), 0)

    def end(self) -> None:
        """Ends the process, from any thread: the caller that waits for its answer stops waiting, and calls `kill`."""
        if self._status is None:  # afterwards its id may be another's
            self._template.end(self.pid)

    def kill(self) -> int:
        """Ends the process and frees what it used. Returns how it ended, as `subprocess.Popen.wait` says it.

        A reading template that does not say so within `ANSWER_S` ends, and all its processes with it.
        """
        self.end()
        if self._status is None:
            if not _can_read(self._ended, ANSWER_S):
                log.error("the reading template does not answer; another one starts")
                self._template.stop()
            # Nothing is said if the template was killed, and it with it.
            said = os.read(self._ended, MOST) if _can_read(self._ended, ANSWER_S) else b""
            os.close(self._ended)
            self._status = int(said) if said else -signal.SIGKILL
        self._wire.close()
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
        status = self.kill()
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


def _can_read(descriptor: int, within: float) -> bool:
    """Whether something can be read from it, or its other end is gone, in so many seconds."""
    waits = select.poll()
    waits.register(descriptor, select.POLLIN)
    return bool(waits.poll(max(within, 0) * 1000))


def _name(said: Any) -> str:
    """The name of an error or of a line of our code: nothing else that the process sends goes into the log."""
    return said if isinstance(said, str) and _NAME.fullmatch(said) else "?"


def _sentence(said: Any) -> str:
    """It may quote an address with half a surrogate pair, which no response can contain."""
    return str(said)[:MAX_SENTENCE].encode("utf-8", "replace").decode()
