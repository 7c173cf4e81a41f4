"""No process of the experiment writes a key or a secret to a file or a log, or lets other users see one."""

import os
import resource
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sieve.cli.lab import tls_split_measured
from sieve.lab.tls_split.answers import document
from sieve.lab.tls_split.processes.assignment import DESIGNS, Design
from sieve.lab.tls_split.processes.identity import KeyKind
from sieve.lab.tls_split.processes.site import ROLES, Site
from tls_in_memory import TLS12, TLS13, client_context, identity
from tls_over_sockets import LIMIT_S, OpenConnection, get
from tls_secrets import agreed, files_with, private_forms

WRITING = """
import os, sys
report = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        os.write(report, f"{arguments[0]}\\n".encode())
sys.addaudithook(note)
"""
"""Imported at the start of each process: notes which files Python opens for writing."""


class Home:
    """Where the processes that a test starts can leave files, and what they opened for writing anywhere."""

    def __init__(self, folder: Path) -> None:
        self.written, self.report, self._code = folder / "home", folder / "opened", folder / "code"
        self.written.mkdir()
        self._code.mkdir()
        (self._code / "sitecustomize.py").write_text(WRITING)

    def settings(self) -> dict[str, str]:
        home = str(self.written)
        return {
            **dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), home),
            "OPENED": str(self.report),
            "PYTHONPATH": str(self._code),
            "PYTHONDONTWRITEBYTECODE": "1",
            # Some libraries and programs write the secrets of all connections there.
            "SSLKEYLOGFILE": str(self.written / "keylog"),
        }

    def opened(self) -> list[str]:
        return self.report.read_text().splitlines()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path)
    for name, value in home.settings().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home.written)
    return home


def pids_of(site: Site) -> list[int]:
    return [pid for role in ROLES for pid in site.pids(role)]


def open_files_of(pid: int) -> Iterator[Path]:
    """Files on a disk that a process has open for writing, besides its output, which a test captures."""
    for each in Path(f"/proc/{pid}/fd").iterdir():
        writes = int(Path(f"/proc/{pid}/fdinfo/{each.name}").read_text().split()[3], 8) & os.O_ACCMODE
        if writes and int(each.name) > 2 and stat.S_ISREG(each.stat().st_mode):
            target = each.readlink()
            if not str(target).startswith("/memfd:"):
                yield target


def shown_to_all(pid: int) -> bytes:
    """What `ps` shows of a process, and its environment."""
    return Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()


def test_the_watch_notices_files(home: Home) -> None:
    subprocess.run([sys.executable, "-c", "open('left', 'w')"], check=True)
    assert home.opened() == ["left"]
    assert [path.name for path in home.written.iterdir()] == ["left"]


@pytest.mark.parametrize("design", DESIGNS)
def test_servers_write_no_file_and_say_nothing(
    design: Design, home: Home, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    # Else the processes would have inherited theirs.
    assert hard != 1
    # Where the system allows no core dumps at all, only a process with CAP_SYS_RESOURCE raises the limit.
    allowed = {(1, 1)} if hard else {(0, 0), (1, 1)}
    pem, keylogs = identity("rsa")[0], tmp_path / "keylogs"
    keylogs.mkdir()
    with Site(design, pem) as site:
        for version in (TLS12, TLS13):
            context = client_context("rsa", version)
            kept = OpenConnection(site, context, keylogs / f"{version.name}-open")
            assert kept.ask(50_000) == document(50_000)
            context.keylog_filename = str(keylogs / version.name)
            session = get(site, context)[1]
            assert get(site, context, 200_000, session)[2]
            kept.close()
        # Errors, too, say nothing about a connection.
        with socket.create_connection(("127.0.0.1", site.port), timeout=LIMIT_S) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while plain.recv(100):
                pass
        broken = OpenConnection(site, client_context("rsa"), keylogs / "broken")
        broken.break_record()
        secrets = [*private_forms(pem), *agreed(keylogs.iterdir())]
        # Else the search would find nothing anywhere.
        assert len(files_with(secrets, keylogs)) == 5
        for pid in pids_of(site):
            assert list(open_files_of(pid)) == [home.report]
            assert resource.prlimit(pid, resource.RLIMIT_CORE) in allowed
            assert not any(secret in shown_to_all(pid) for secret in secrets)
        # A process that crashes would leave its memory in a file.
        (victim,) = site.pids("one-process" if design == "one-process" else "worker")
        os.kill(victim, signal.SIGSEGV)
        assert get(site, client_context("rsa"))[0] == document(100)
    assert not list(home.written.iterdir())
    assert not home.opened()
    assert capfd.readouterr() == ("", "")


def test_the_command_keeps_keys_in_memory(
    home: Home, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pem, certificate = identity("rsa")
    plan = tls_split_measured.Plan((4,), (2,), rounds=1, alone=1, gentle=True)
    before = resource.getrlimit(resource.RLIMIT_CORE)
    made_under = list[tuple[int, int]]()

    def made(_kind: KeyKind) -> tuple[bytes, bytes]:
        made_under.append(resource.getrlimit(resource.RLIMIT_CORE))
        return pem, certificate

    monkeypatch.setattr(tls_split_measured, "make_identity", made)
    found = tls_split_measured.measure(plan)
    assert found["cells"]
    assert made_under == [(1 if before[1] else 0, before[1])]
    assert resource.getrlimit(resource.RLIMIT_CORE) == before
    said = "".join(capfd.readouterr()) + str(found)
    assert not any(secret in said.encode() for secret in private_forms(pem))
    assert not list(home.written.iterdir())
    assert not home.opened()


LIMIT_OF_NONE = """
import resource
from sieve.gateway.runtime.confinement import drop_capabilities
from sieve.lab.tls_split.processes import core_dumps
drop_capabilities()
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
with core_dumps.forbidden():
    core_dumps.forbid()
print(*resource.getrlimit(resource.RLIMIT_CORE))
"""


def test_a_limit_that_only_root_may_raise_stays() -> None:
    """A gateway's own processes inherit it."""
    said = subprocess.run([sys.executable, "-c", LIMIT_OF_NONE], check=True, capture_output=True, text=True)
    assert said.stdout.split() == ["0", "0"]
