"""Lets a forked gateway fork its child processes, too: each would take half a second or more to import its code.

The gateway forks a process before it starts anything else, and asks that one for each child. So children begin in a
process with one thread and without the gateway's secrets, as if they were executed. They are the gateway's children,
and have a session, an environment, standard streams and descriptors as it asked for.
"""

import asyncio
import contextlib
import ctypes
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

# <linux/prctl.h>
_PR_SET_NAME: Final = 15
_PR_SET_CHILD_SUBREAPER: Final = 36
_MOST: Final = 65_536
"""Bytes of a request."""
_MODULES: Final = ("sieve.gateway.plain.process", "sieve.gateway.reading.process")
"""What is forked, if this process has imported it; everything else is executed."""

_prctl: Final = ctypes.CDLL(None, use_errno=True).prctl


@dataclass(frozen=True, slots=True)
class _Request:
    """`passed`: the numbers of the descriptors in the gateway, in the order in which they are sent."""

    module: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    passed: Sequence[int]
    silent: bool


class Child:
    """A forked child with the part of `subprocess.Popen` that the gateway uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None
        self._reaping = threading.Lock()

    def poll(self) -> int | None:
        with self._reaping:
            if self._status is None:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
                if ended:
                    self._status = os.waitstatus_to_exitcode(status)
            return self._status

    def wait(self) -> int:
        # Without the lock: `kill` takes it, and would wait for an end that only it can bring.
        while self.poll() is None:
            with contextlib.suppress(ChildProcessError):  # `poll` was faster
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        assert self._status is not None
        return self._status

    def kill(self) -> None:
        with self._reaping:
            if self._status is None:
                os.kill(self.pid, signal.SIGKILL)


class AwaitedChild:
    """The same with the part of `asyncio.subprocess.Process`."""

    def __init__(self, child: Child) -> None:
        self.pid, self.kill, self._child = child.pid, child.kill, child

    async def wait(self) -> int:
        return await asyncio.to_thread(self._child.wait)


def fork_children() -> None:
    """From now on, this process forks its children as far as it has imported their code. Call it while there is one
    thread, and nothing secret in memory.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        ours.close()
        with contextlib.suppress(BaseException):
            _serve(theirs)
        os._exit(0)
    theirs.close()
    os.set_inheritable(ours.fileno(), False)
    # Children of the process above become ours when the one between ends.
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    forkable = {module for module in _MODULES if module in sys.modules}
    asking = threading.Lock()
    executes, executes_later = subprocess.Popen, asyncio.create_subprocess_exec

    def child(command: Sequence[str], *, silent: bool, **options: Any) -> Child | None:
        if command[1:2] != ["-m"] or command[2] not in forkable:
            return None
        passed = [*options["pass_fds"]]
        request = _Request(command[2], command[3:], options["env"], passed, silent)
        with asking:
            socket.send_fds(ours, [pickle.dumps(request)], [2, *passed])
            return Child(int(ours.recv(_MOST)))

    def popen(command: Any, *arguments: Any, **options: Any) -> Any:
        is_ours = isinstance(command, list) and "pass_fds" in options
        forked = child(command, silent=True, **options) if is_ours else None
        return forked or executes(command, *arguments, **options)

    async def create(*command: Any, **options: Any) -> Any:
        forked = child([*command], silent=False, **options) if "pass_fds" in options else None
        return AwaitedChild(forked) if forked else await executes_later(*command, **options)

    # Not by assignment: mypy then asks for a class like Popen, and for a function with the same arguments.
    setattr(subprocess, "Popen", popen)  # noqa: B010 -- see above
    setattr(asyncio, "create_subprocess_exec", create)  # noqa: B010 -- see above


def _serve(asked: socket.socket) -> None:
    """Forks a child for each request, until the gateway is gone."""
    while True:
        said, descriptors, *_ = socket.recv_fds(asked, _MOST, 64)
        if not said:
            return
        told, telling = os.pipe()
        between = os.fork()
        if between == 0:
            child = os.fork()
            if child == 0:
                for fd in (asked.fileno(), told, telling):
                    os.close(fd)
                _become(pickle.loads(said), descriptors)  # noqa: S301 -- the gateway's
            os.write(telling, str(child).encode())
            os._exit(0)
        os.waitpid(between, 0)
        # From now on it is the gateway's child.
        asked.send(os.read(told, _MOST))
        for fd in (told, telling, *descriptors):
            os.close(fd)


def _become(request: _Request, descriptors: Sequence[int]) -> None:
    """Runs the module's entry point in this process, which ends as a program of its own would."""
    status: object = 1
    try:
        os.setsid()
        os.environ.clear()
        os.environ.update(request.environment)
        errors, *passed = descriptors
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd, at in ((nothing, 0), (nothing if request.silent else 1, 1), (nothing if request.silent else errors, 2)):
            os.dup2(fd, at)
        os.close(nothing)
        os.close(errors)
        now = dict(zip(map(str, request.passed), map(str, passed), strict=True))
        numbered = [re.sub(r"(?<=-fd=)\d+$", lambda found: now[found[0]], each) for each in request.arguments]
        sys.argv = [request.module, *numbered]
        _prctl(_PR_SET_NAME, ctypes.c_char_p(name_of(request.module).encode()), 0, 0, 0)
        sys.modules[request.module].main()
        status = 0
    except SystemExit as ended:
        status = ended.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 1)


def name_of(module: str) -> str:
    """The name that a forked child has in the process table: the end of its module's name."""
    return ".".join(module.split(".")[-2:])
