"""What code inside a confined process can still reach: nothing, by every mechanism that this machine has.

The probes run in a process of their own that confines itself by the same calls as the product's processes do. Each
probe is tried in there, and what it reports must be a refusal. What the machine lacks is printed, and a machine with
neither seccomp nor Landlock fails here: the claims were not tested.
"""

import asyncio
import contextlib
import ctypes
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from any_files import GOOD, file_of
from gateway.reading_world import blobs, processes_of, reading
from gateway.two_gateways import LIMITS, until
from sieve.gateway.plain.listener import PlainListener
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.runtime.confinement import Confinement
from sieve.gateway.runtime.listeners import bind
from sieve.store.blobs import BlobStore

__all__ = ["blobs", "reading"]

NOBODY = 65_534

AS_READING = """
from sieve.gateway.reading.limits import ReadingLimits, confine, load_all
load_all()
_, enforced = confine(control, ReadingLimits())
"""
AS_PLAIN_LISTENER = """
from sieve.gateway.runtime.confinement import confine
from sieve.gateway.runtime.system_calls import of_plain_listener
enforced = confine(of_plain_listener())
"""

PROBES = """
import ctypes, errno, fcntl, json, os, resource, signal, socket, sys
from dataclasses import asdict
other, secret, tcp_port, udp_port, unix_path, control, address = json.loads(sys.argv[1])
%s
libc = ctypes.CDLL(None, use_errno=True)

def called(name, *arguments):
    if getattr(libc, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)

def by_number(number, *arguments):
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1:
        raise OSError(ctypes.get_errno(), str(number))

def connects(family, kind, to):
    with socket.socket(family, kind) as made:
        made.connect(to)

def sends_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"x", ("127.0.0.1", udp_port))

def reads_other():
    found = ctypes.create_string_buffer(8)
    class Vector(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))
    here = Vector(ctypes.addressof(found), 8)
    there = Vector(address, 8)
    called("process_vm_readv", other, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)

def forks():
    if os.fork() == 0:
        os._exit(0)

def has_other_signalled():
    fcntl.fcntl(control, fcntl.F_SETOWN, other)

probes = {
    "read the key": lambda: os.open(secret, os.O_RDONLY),
    "write the key": lambda: os.open(secret, os.O_RDWR),
    "read /etc/passwd": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "list /": lambda: os.listdir("/"),
    "look at the key": lambda: os.stat(secret),
    "read the other's memory file": lambda: os.open(f"/proc/{other}/mem", os.O_RDONLY),
    "make a file": lambda: os.open(secret + ".new", os.O_CREAT | os.O_WRONLY),
    "unlink": lambda: os.unlink(secret),
    "rename": lambda: os.rename(secret, secret + ".away"),
    "chmod": lambda: os.chmod(secret, 0o777),
    "truncate": lambda: os.truncate(secret, 0),
    "make a link": lambda: os.link(secret, secret + ".link"),
    "make a folder": lambda: os.mkdir(secret + ".folder"),
    "connect TCP": lambda: connects(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", tcp_port)),
    "send UDP": sends_datagram,
    "connect AF_UNIX": lambda: connects(socket.AF_UNIX, socket.SOCK_STREAM, unix_path),
    "connect abstract AF_UNIX": lambda: connects(socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + unix_path),
    "listen": lambda: socket.create_server(("127.0.0.1", 0)),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "fork": forks,
    "exec": lambda: os.execv("/bin/true", ["/bin/true"]),
    "trace the other": lambda: called("ptrace", 16, other, 0, 0),
    "read the other's memory": reads_other,
    "ask whether the other is there": lambda: os.kill(other, 0),
    "end the other": lambda: os.kill(other, signal.SIGTERM),
    "have the kernel signal the other": has_other_signalled,
    "open the other": lambda: os.pidfd_open(other),
    "bound the other": lambda: resource.prlimit(other, resource.RLIMIT_NOFILE),
    "slow the other": lambda: os.setpriority(os.PRIO_PROCESS, other, 19),
    "be traced again": lambda: called("prctl", 4, 1, 0, 0, 0),
    "enter namespaces": lambda: called("unshare", 0x10000000),
    "mount": lambda: called("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "chroot": lambda: os.chroot("/tmp"),
    "set up io_uring": lambda: by_number(425, 1, 0),
    "make a memory file": lambda: os.memfd_create("x"),
    "load BPF": lambda: by_number(321 if os.uname().machine == "x86_64" else 280, 0, 0, 0),
    "take a key of the kernel's": lambda: called("syscall", 250 if os.uname().machine == "x86_64" else 219, 0, 0, 0),
}
told = {}
for free in (False, True):
    if free:
        os.close(0)  # which makes room for a descriptor under any RLIMIT_NOFILE
    for name, probe in probes.items():
        try:
            probe()
            told[name + (" with a free descriptor" if free else "")] = "done"
        except OSError as error:
            told[name + (" with a free descriptor" if free else "")] = errno.errorcode.get(error.errno, str(error))
        except BaseException as error:
            told[name + (" with a free descriptor" if free else "")] = type(error).__name__
answering = socket.socket(fileno=3 if "_" in globals() else control)
answering.sendall(json.dumps({"confinement": asdict(enforced), "told": told}).encode() + b"\\n")
# It still takes a question and answers.
answering.sendall(answering.recv(100))
os._exit(0)
"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "master.key"
    path.write_text("secret")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("confined", [AS_READING, AS_PLAIN_LISTENER], ids=["reading", "plain listener"])
def test_code_inside_reaches_nothing(confined: str, key: Path) -> None:
    enforced, told = _probed(confined, key)
    _has_what_the_machine_has(enforced)
    assert "seccomp" not in enforced.by or key.stat().st_mode & 0o777 == 0o600
    if "seccomp" in enforced.by:
        assert {name for name, answer in told.items() if answer != "EPERM"} == set()
    else:
        _landlock_holds(enforced, told)


def test_landlock_and_namespaces_hold_without_seccomp(key: Path) -> None:
    without = "from sieve.gateway.runtime import confinement\nconfinement._Seccomp.find = lambda: None\n"
    _landlock_holds(*_probed(without + AS_READING, key))


def _landlock_holds(enforced: Confinement, told: dict[str, str]) -> None:
    """What is refused without seccomp: whatever opens or changes files, and with newer versions what reaches others."""
    version = next((int(name.removeprefix("Landlock ABI ")) for name in enforced.by if "Landlock" in name), 0)
    names = set[str]()
    if version >= 1:
        names |= {"read the key", "write the key", "read /etc/passwd", "make a file", "unlink", "rename", "exec"}
        names |= {"trace the other", "read the other's memory"}
    if version >= 3:
        names |= {"truncate"}
    if version >= 4 or "namespaces (user, network, IPC)" in enforced.by:
        names |= {"connect TCP"}
    if version >= 6:
        names |= {"connect abstract AF_UNIX", "end the other"}
    if "namespaces (user, network, IPC)" in enforced.by:
        names |= {"send UDP", "connect abstract AF_UNIX"}
    everywhere = names | {f"{name} with a free descriptor" for name in names}
    assert {name for name in everywhere if told[name] == "done"} == set()


def _probed(confined: str, key: Path) -> tuple[Confinement, dict[str, str]]:
    """What each probe came to in a process that confined itself: "done", or the error."""
    with (
        another_process() as (other, address),
        tcp_listener() as tcp,
        udp_socket() as udp,
        unix_listener(str(key) + ".sock") as path,
    ):
        ours, theirs = socket.socketpair()
        known = [other, str(key), tcp, udp, path, theirs.fileno(), address]
        process = subprocess.Popen(
            [sys.executable, "-c", PROBES % confined, json.dumps(known)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        ours.settimeout(60)
        with ours, ours.makefile("rb") as answers:
            report = json.loads(answers.readline())
            ours.sendall(b"next\n")
            assert answers.readline() == b"next\n"
        assert process.wait() == 0

    enforced = Confinement.from_json(report["confinement"])
    print(enforced)
    assert key.read_text() == "secret"
    assert [path.name for path in key.parent.iterdir()] == ["master.key"]
    return enforced, report["told"]


async def test_the_running_processes_are_confined_and_their_memory_is_private(
    reading: ReadingService, blobs: BlobStore
) -> None:
    file = file_of(blobs, "pay.csv", GOOD["pay.csv"][1], "csv")
    await reading.outline(file)
    with bind("127.0.0.1:0") as listening, bind("127.0.0.1:0") as lock:
        listener = PlainListener(listening, LIMITS, lock.fileno())
        running = asyncio.create_task(listener.run())
        try:
            await until(lambda: listener.confinement is not None)
            assert listener.pid is not None
            pids = [listener.pid, *(one.pid for one in processes_of(reading))]
            assert len(pids) >= 2
            for pid, enforced in zip(pids, [listener.confinement, *[reading.confinement] * len(pids)], strict=False):
                assert enforced is not None
                _has_what_the_machine_has(enforced)
                status = dict(
                    line.split(":\t", 1)
                    for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                    if ":\t" in line
                )
                assert status["NoNewPrivs"] == "1"
                assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
                assert status["Seccomp"] == ("2" if "seccomp" in enforced.by else "0")
                # As another process of an ordinary user sees it: root owns it, also when another user runs it.
                assert Path(f"/proc/{pid}/mem").stat().st_uid in (0, NOBODY)
                assert _read_by_a_process_without_capabilities(pid) == "Permission denied"
            await reading.outline(file)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


def test_what_is_missing_is_said_and_the_rest_still_holds() -> None:
    """As on a kernel without Landlock and without libseccomp, which test machines have. In a child, because what holds
    cannot be taken back."""
    script = """
import ctypes, os, sys
from unittest import mock
from sieve.gateway.runtime import confinement
from sieve.gateway.runtime.system_calls import of_reading
with mock.patch.object(confinement, "_LANDLOCK_CREATE_RULESET", 100_000), \\
        mock.patch.object(confinement._Seccomp, "find", return_value=None):
    sys.stdout.write(str(confinement.confine(of_reading())))
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    by, _, missing = ended.stdout.partition("; not available: ")
    assert "no new privileges" in by and "private memory" in by and "Landlock" not in by
    assert "Landlock (Function not implemented)" in missing
    assert "seccomp (libseccomp.so.2 is not installed)" in missing


def test_the_gateway_itself_is_private() -> None:
    script = "from sieve.gateway.runtime.confinement import keep_private; print(keep_private()); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "no new privileges, private memory\n"
        assert "NoNewPrivs:\t1" in Path(f"/proc/{process.pid}/status").read_text()
        assert _read_by_a_process_without_capabilities(process.pid) == "Permission denied"
        process.stdin.close()


def test_nonsense_about_the_confinement_is_refused() -> None:
    nonsense: tuple[object, ...] = (None, [], {}, {"by": []}, {"by": [], "missing": [], "more": 1})
    for told in nonsense:
        with pytest.raises(ValueError, match="by, missing"):
            Confinement.from_json(told)


def _has_what_the_machine_has(enforced: Confinement) -> None:
    """What this machine has by its own word is enforced; without any of it nothing was tested."""
    by = {name.split(" ABI")[0] for name in enforced.by}
    assert {"no new privileges", "private memory", "no capabilities"} <= by
    libc = ctypes.CDLL(None)
    landlock = libc.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint(1)) > 0
    assert ("Landlock" in by) == landlock
    try:
        ctypes.CDLL("libseccomp.so.2")
        seccomp = Path("/proc/sys/kernel/seccomp/actions_avail").exists()
    except OSError:
        seccomp = False
    assert ("seccomp" in by) == seccomp
    assert landlock or seccomp, "this machine has nothing to test"


def _read_by_a_process_without_capabilities(pid: int) -> str:
    """What a process of the same user without root's powers gets when it opens that one's memory."""
    script = (
        "import sys; from sieve.gateway.runtime import confinement; confinement.drop_capabilities()\n"
        "try: open(f'/proc/{sys.argv[1]}/mem', 'rb'); print('opened')\n"
        "except OSError as error: print(error.strerror)"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(pid)], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


@contextlib.contextmanager
def another_process() -> Iterator[tuple[int, int]]:
    """A process of the same user, such as the gateway: its number, and where a text of its memory is."""
    script = "import ctypes; s = ctypes.create_string_buffer(9); print(ctypes.addressof(s), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.pid, int(process.stdout.readline())
        process.kill()


@contextlib.contextmanager
def tcp_listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made.getsockname()[1]


@contextlib.contextmanager
def udp_socket() -> Iterator[int]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(("127.0.0.1", 0))
        yield made.getsockname()[1]


@contextlib.contextmanager
def unix_listener(path: str) -> Iterator[str]:
    """By path and by abstract name."""
    with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as abstract:
        named.bind(path)
        abstract.bind("\0" + path)
        named.listen()
        abstract.listen()
        yield path
    Path(path).unlink()
