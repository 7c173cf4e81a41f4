"""How a process that faces strangers gives up, through the kernel, what it does not need.

Invariant: a process calls `confine` once, after its code is loaded and before it sees a stranger's first byte. From
then on it can open no path and no socket, start no process, and reach no other process; nothing in it can undo that.

Each mechanism is tried, and the result says which of them the kernel enforces. One that is missing, on an old kernel or
in a container that forbids it, does not keep the process from starting: the others still hold, and the log says so.
"""

import ctypes
import errno
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from sieve.gateway.runtime.system_calls import Allowed, Condition

# <linux/prctl.h>
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38

# <linux/sched.h>
_CLONE_NEWIPC: Final = 0x08000000
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNET: Final = 0x40000000

# <linux/capability.h>
_CAPABILITY_VERSION_3: Final = 0x20080522

# https://docs.kernel.org/userspace-api/landlock.html; the numbers are the same on every architecture.
_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_RESTRICT_SELF: Final = 446
_LANDLOCK_CREATE_RULESET_VERSION: Final = 1
_LANDLOCK_FS: Final = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""The rights over files that each version added: 13 at first, then REFER, TRUNCATE and IOCTL_DEV."""
_LANDLOCK_NET: Final = {4: 0b11}
"""BIND_TCP and CONNECT_TCP."""
_LANDLOCK_SCOPED: Final = {6: 0b11}
"""Abstract UNIX sockets and signals."""

# <seccomp.h> of libseccomp
_ACT_KILL_PROCESS: Final = 0x80000000
_ACT_ERRNO: Final = 0x00050000
_ALLOW: Final = 0x7FFF0000
_FAIL: Final = _ACT_ERRNO | errno.EPERM
"""Not the process's end: a library that tries another call, such as a newer C library, continues without it."""
_ATTRIBUTE_BAD_ARCHITECTURE: Final = 2
_ATTRIBUTE_ALL_THREADS: Final = 4
_ATTRIBUTE_OPTIMIZE: Final = 8
_BINARY_TREE: Final = 2
_MASKED_EQUAL: Final = 7


@dataclass(frozen=True, slots=True)
class Confinement:
    """`by`: the mechanisms that the kernel enforces. `missing`: those that it does not, each with the reason."""

    by: tuple[str, ...]
    missing: tuple[str, ...]

    @classmethod
    def from_json(cls, value: Any) -> "Confinement":
        """What a process says of itself before it sees a stranger's first byte.

        Raises:
            ValueError: it is of another form.
        """
        if not isinstance(value, dict) or value.keys() != {"by", "missing"}:
            raise ValueError("a process reports its confinement as {by, missing}")
        return cls(tuple(map(str, value["by"])), tuple(map(str, value["missing"])))

    def __str__(self) -> str:
        missing = f"; not available: {', '.join(self.missing)}" if self.missing else ""
        return f"{', '.join(self.by) or 'nothing'}{missing}"


class _NotAvailable(Exception):
    """The kernel does not enforce the mechanism here; the text says why."""


def keep_private() -> Confinement:
    """What every process of a gateway does: no program that it starts gains rights, and no other process of its user
    reads its memory. That also ends core dumps which RLIMIT_CORE does not: those piped to a handler.
    """
    return _tried({"no new privileges": _no_new_privileges, "private memory": _private_memory})


def confine(allowed: Allowed) -> Confinement:
    """Gives up everything but the descriptors that are open and the system calls `allowed`, for good.

    Call it while the process has one thread: Landlock confines the calling thread and those that it starts.
    """
    seccomp = _Seccomp.find()  # loads its library, which Landlock would forbid
    # The new user namespace grants capabilities in it, so these go after it.
    return _tried(
        {
            "namespaces (user, network, IPC)": _namespaces,
            "no capabilities": drop_capabilities,
            "no new privileges": _no_new_privileges,
            "private memory": _private_memory,
            "Landlock": _landlock,
            "seccomp": lambda: _seccomp(seccomp, allowed),
        }
    )


def end_with_parent(parent: int) -> None:
    """The kernel ends this process when its parent, the process `parent`, ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(0)


def refuse_io_uring() -> None:
    """For a process whose event loop would set up a ring before `confine`: no filter sees the calls made through it."""
    seccomp = _Seccomp.find()
    if seccomp is not None:
        with suppress(_NotAvailable):  # `confine` says so
            seccomp.load(_ALLOW, [(_FAIL, "io_uring_setup", ())])


def _tried(steps: Mapping[str, Callable[[], str | None]]) -> Confinement:
    by, missing = [], []
    for name, step in steps.items():
        try:
            detail = step()
            by.append(f"{name} {detail}" if detail else name)
        except _NotAvailable as error:
            missing.append(f"{name} ({error})")
    return Confinement(tuple(by), tuple(missing))


_libc: Final = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int) -> int:
    if result < 0:
        raise _NotAvailable(os.strerror(ctypes.get_errno()))
    return result


def _no_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _private_memory() -> None:
    _prctl(_PR_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    _checked(_libc.prctl(option, *(ctypes.c_ulong(argument) for argument in (value, 0, 0, 0))))


def _namespaces() -> None:
    """A network without interfaces. Sockets that are open stay in the network where they were made."""
    _checked(_libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC))


def drop_capabilities() -> None:
    """Gives up root's powers."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, (ctypes.c_uint32 * 6)()))


class _LandlockRuleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


def _landlock() -> str:
    """A rule set without rules forbids all that it handles; the version decides what it can."""
    version = _system_call(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)
    handled = (_handled(rights, version) for rights in (_LANDLOCK_FS, _LANDLOCK_NET, _LANDLOCK_SCOPED))
    ruleset = _LandlockRuleset(*handled)
    # An older kernel takes a longer structure whose rest is zero.
    number = _system_call(_LANDLOCK_CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    try:
        _system_call(_LANDLOCK_RESTRICT_SELF, ctypes.c_long(number), 0, 0)
    finally:
        os.close(number)
    return f"ABI {version}"


def _handled(rights: Mapping[int, int], version: int) -> int:
    return sum(added for since, added in rights.items() if since <= version)


def _system_call(number: int, first: Any, second: int, third: int) -> int:
    return _checked(_libc.syscall(ctypes.c_long(number), first, ctypes.c_size_t(second), ctypes.c_uint(third)))


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("how", ctypes.c_int),
        ("mask", ctypes.c_uint64),
        ("value", ctypes.c_uint64),
    )


def _seccomp(library: "_Seccomp | None", allowed: Allowed) -> None:
    if library is None:
        raise _NotAvailable("libseccomp.so.2 is not installed")
    rules = [(_ALLOW, name, conditions) for name, conditions in allowed.items()]
    # The C library starts threads by clone only where clone3, whose flags no filter sees, does not exist.
    library.load(_FAIL, [(_ACT_ERRNO | errno.ENOSYS, "clone3", ()), *rules])


class _Seccomp:
    """libseccomp writes the filter: it knows each architecture's numbers, and guards against calls by another's."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        library.seccomp_init.restype = ctypes.c_void_p

    @classmethod
    def find(cls) -> "_Seccomp | None":
        """None where the library is not installed."""
        try:
            return cls(ctypes.CDLL("libseccomp.so.2"))
        except OSError:
            return None

    def load(self, otherwise: int, rules: Iterable[tuple[int, str, tuple[Condition, ...]]]) -> None:
        """`rules`: of each the action, the call's name, and the conditions of which one must hold, if any."""
        library = self._library
        context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(otherwise)))
        if not context:
            raise _NotAvailable("libseccomp does not know this machine")
        try:
            self._set(context, _ATTRIBUTE_BAD_ARCHITECTURE, _ACT_KILL_PROCESS)
            self._set(context, _ATTRIBUTE_ALL_THREADS, 1)
            library.seccomp_attr_set(context, _ATTRIBUTE_OPTIMIZE, ctypes.c_uint32(_BINARY_TREE))  # from 2.5 on
            for action, name, conditions in rules:
                if not conditions:
                    self._add(context, action, name)
                for condition in conditions:
                    self._add(context, action, name, condition)
            self._check(library.seccomp_load(context))
        finally:
            library.seccomp_release(context)

    def _add(self, context: ctypes.c_void_p, action: int, name: str, *conditions: Condition) -> None:
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            return  # another architecture's, or one that this library does not know yet
        compared = (_Comparison * len(conditions))(
            *(_Comparison(each.argument, _MASKED_EQUAL, each.mask, each.value) for each in conditions)
        )
        added = self._library.seccomp_rule_add_array(
            context, ctypes.c_uint32(action), number, ctypes.c_uint(len(conditions)), compared
        )
        self._check(added)

    def _set(self, context: ctypes.c_void_p, attribute: int, value: int) -> None:
        self._check(self._library.seccomp_attr_set(context, attribute, ctypes.c_uint32(value)))

    def _check(self, result: int) -> None:
        if result < 0:
            raise _NotAvailable(os.strerror(-result))
