"""The reading template, from which reading processes are forked: it has loaded their code, and never sees a file.

A new process for each document would otherwise take a second of processor time. The template takes requests over a
socket pair of messages:

    "fork", with the reading process's end of its own pair, and a pipe     answered by its process id, 0 if none starts
    the process id of a reading process                                    ends it; not answered

It writes how a reading process ended into that pipe, and closes it. Reading processes end with the template, and the
template with the gateway.
"""

import os
import select
import signal
import socket
from contextlib import suppress
from typing import Final

from sieve.gateway.runtime.confinement import end_with_parent

FORK: Final = b"fork"
MOST: Final = 64
"""Bytes of a message."""


def serve_forks(control: socket.socket, idle_s: float) -> socket.socket:
    """Forks reading processes on request. Returns in each of them, with its end of its own pair.

    Raises:
        SystemExit: in the template, when the gateway is gone, or asked for none for `idle_s` while none runs.
    """
    woken, waking = os.pipe()
    for fd in (woken, waking):
        os.set_blocking(fd, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    # Not `select`: of a gateway with many connections, the pair's number may be above 1,023.
    waiting = select.poll()
    for fd in (control.fileno(), woken):
        waiting.register(fd, select.POLLIN)
    ends: dict[int, int] = {}
    while True:
        ready = {fd for fd, _ in waiting.poll(None if ends else idle_s * 1000)}
        if woken in ready:
            with suppress(BlockingIOError):
                os.read(woken, 4096)
        _report(ends)
        if not ready and not ends:
            raise SystemExit
        if control.fileno() not in ready:
            continue
        said, descriptors, *_ = socket.recv_fds(control, MOST, 2)
        if not said:
            _end_all(ends)
            raise SystemExit
        if said != FORK:
            # Until `_report` has waited for it, its number belongs to nobody else.
            if int(said) in ends:
                os.kill(int(said), signal.SIGKILL)
            continue
        theirs, pipe = descriptors
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            pid = -1
        if pid == 0:
            end_with_parent(parent)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return socket.socket(fileno=theirs)
        os.close(theirs)
        if pid > 0:
            ends[pid] = pipe
        else:
            os.close(pipe)
        control.send(str(max(pid, 0)).encode())


def _end_all(ends: dict[int, int]) -> None:
    """Otherwise they would end after this process, and nobody might wait for them."""
    for pid in ends:
        os.kill(pid, signal.SIGKILL)
    _report(ends, 0)


def _report(ends: dict[int, int], options: int = os.WNOHANG) -> None:
    while ends:
        pid, status = os.waitpid(-1, options)
        if not pid:
            return
        pipe = ends.pop(pid)
        with suppress(OSError):  # nobody waits for it
            os.write(pipe, str(os.waitstatus_to_exitcode(status)).encode())
        os.close(pipe)
