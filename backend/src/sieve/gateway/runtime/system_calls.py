"""The system calls that confined processes may make: work on descriptors that are open, memory, time, and their end.

A call that takes a path, a process or an address to connect to is in no list. Names are the kernel's, of every
architecture; one that an architecture lacks is skipped there.
"""

import fcntl
import os
import socket
import termios
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias


class Condition(NamedTuple):
    """The call's argument of that number, as far as `mask` reaches, must be `value`."""

    argument: int
    value: int
    mask: int = 0xFFFF_FFFF


Allowed: TypeAlias = Mapping[str, tuple[Condition, ...]]
"""By name, the conditions of which one must hold; none: the call is allowed as it is."""

_ANY: Final[tuple[Condition, ...]] = ()
_WHOLE: Final = 2**64 - 1

# <linux/sched.h>: a thread, in no new namespace.
_CLONE_THREAD: Final = 0x00010000
_CLONE_NEW: Final = 0x7E020000

_COMMON: Final = (
    *("read", "readv", "write", "writev", "close", "lseek", "fstat"),
    *("recvfrom", "shutdown", "getsockopt", "getsockname", "getpeername"),
    *("poll", "ppoll", "select", "pselect6"),
    *("brk", "mmap", "munmap", "mremap", "mprotect", "madvise"),
    *("futex", "set_robust_list", "rseq", "membarrier", "sched_yield", "sched_getaffinity", "getcpu"),
    *("clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getrusage"),
    *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall"),
    *("getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getrlimit"),
    *("getrandom", "sysinfo", "uname", "exit", "exit_group"),
)

_PLAIN: Final = (
    *("accept", "accept4", "listen", "setsockopt", "recvmsg"),
    *("epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2"),
    *("pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2"),
)


def _own(pid: int) -> dict[str, tuple[Condition, ...]]:
    """What reaches other processes or addresses, too, but for these arguments."""
    return {
        # Signals to its own threads, as abort() sends them.
        "tgkill": (Condition(0, pid),),
        "prlimit64": (Condition(0, 0), Condition(0, pid)),
        # Not F_SETOWN, which has the kernel signal another process.
        "fcntl": tuple(
            Condition(1, command)
            for command in (fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_SETFL, fcntl.F_DUPFD_CLOEXEC)
        ),
        "ioctl": (Condition(1, termios.FIONBIO),),
        "sendto": (Condition(4, 0, _WHOLE),),
    }


def of_reading() -> Allowed:
    """A reading process's, which answers over one socket and starts no thread."""
    return dict.fromkeys(_COMMON, _ANY) | _own(os.getpid())


def of_plain_listener() -> Allowed:
    """The plain listener's, which takes connections, writes files that it was given, and starts threads."""
    return (
        dict.fromkeys((*_COMMON, *_PLAIN), _ANY)
        | _own(os.getpid())
        | {
            "clone": (Condition(0, _CLONE_THREAD, _CLONE_THREAD | _CLONE_NEW),),
            # Fast open would connect a listening socket that was shut down.
            "sendmsg": (Condition(2, 0, socket.MSG_FASTOPEN),),
        }
    )
