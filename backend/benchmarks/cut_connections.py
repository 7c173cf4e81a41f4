"""New connections for the next transfer: the sender's kept-open ones are shut down, from outside and without its help.

pidfd_getfd(2), Linux 5.6 and later, duplicates the socket of another process that this one may trace: its parent is
enough. To the gateway it looks like a peer that closed an idle connection, which happens in daily life, too.
"""

import ctypes
import os
import socket
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

# The same number on every architecture, as all system calls since 2019.
_PIDFD_GETFD = 438
_LIBC = ctypes.CDLL(None, use_errno=True)


def cut_connections(pids: Iterable[int], addresses: Iterable[str]) -> int:
    """Shuts down every connection of these processes to one of these addresses (host:port); how many they were.

    Raises:
        OSError: we may not.
    """
    wanted = set(addresses)
    return sum(_cut(pid, wanted) for pid in pids)


def _cut(pid: int, wanted: set[str]) -> int:
    count = 0
    process = os.pidfd_open(pid)
    try:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed since
                if not str(entry.readlink()).startswith("socket:"):
                    continue
                with closing(_borrowed(process, int(entry.name))) as sock:
                    if _peer(sock) in wanted:
                        sock.shutdown(socket.SHUT_RDWR)
                        count += 1
    finally:
        os.close(process)
    return count


def _borrowed(process: int, number: int) -> socket.socket:
    found = _LIBC.syscall(_PIDFD_GETFD, process, number, 0)
    if found < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"a socket of the gateway cannot be had: {os.strerror(code)}")
    return socket.socket(fileno=found)


def _peer(sock: socket.socket) -> str:
    with suppress(OSError):  # not connected
        name = sock.getpeername()
        if isinstance(name, tuple):
            return f"{name[0]}:{name[1]}"
    return ""
