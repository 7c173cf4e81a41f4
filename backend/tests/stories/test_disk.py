"""A gateway whose disk takes nothing, while it runs or before it starts: it still reads, reports the problem, and stops
in order. If it cannot start, one line says why.
"""

import asyncio
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from chaos.trials import small_disk
from sieve import demo
from sieve.main import MUST_BE_MENDED, TRY_AGAIN
from stories.pair import FORKED, FREE, PATIENCE_S, client, installed

NOTHING = (0, resource.RLIM_INFINITY)
"""Each write to a file fails, also for root: the kernel limits files to 0 bytes."""
SHARED_MEMORY = 32 * 1024
"""The size of the file by which SQLite's connections share an index. If no file may be longer, the database can be
read, and takes nothing if its log is that long already."""
COMMAND = (sys.executable, "-m", "sieve.cli", "gateway")
PARAMS = {"name": "report.txt", "form": "marked"}
CONTENT = b"plain <$S>secret<$E>"


async def test_a_disk_that_takes_nothing(tmp_path: Path) -> None:
    shutil.copytree(installed(), tmp_path, dirs_exist_ok=True)
    # The log is no file: no disk takes one either.
    log = tmp_path / "log"
    os.mkfifo(log)
    logged = asyncio.create_task(asyncio.to_thread(log.read_text))
    gateway = await asyncio.to_thread(demo.start, "alpha", tmp_path, tmp_path / "identities", FREE, log_file=log)
    try:
        anna = demo.add_person(gateway, "anna", "Anna", is_author=True)
        async with client(gateway, anna) as api:
            kept = (await api.post("/documents", params=PARAMS, content=CONTENT)).json()
            resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, NOTHING)
            why = await reads_and_takes_nothing(gateway, api, kept["id"])
            assert "the database is not writable" in why
        # What cannot be removed either is no reason to end badly.
        listeners = gateway.folder / "listeners.json"
        listeners.unlink()
        listeners.mkdir()
    finally:
        gateway.process.send_signal(signal.SIGTERM)
        status = await asyncio.to_thread(gateway.process.wait, 30)
    text = await logged
    assert status == 0 and "Traceback" not in text, text
    assert "listeners.json cannot be changed: " in text


async def test_a_start_on_a_full_disk_after_a_crash(tmp_path: Path) -> None:
    """Where nothing may be mounted, a limit takes the disk's place."""
    data = tmp_path / "alpha"
    with small_disk(data) as is_mounted:
        kept = await killed_with_a_document(tmp_path)
        if is_mounted:
            fill(data / "filler")
        limits = () if is_mounted else limited(SHARED_MEMORY)
        async with started(tmp_path, limits) as gateway, client(gateway.running, kept.token) as api:
            why = await reads_and_takes_nothing(gateway.running, api, kept.document_id)
            assert ("no room" if is_mounted else "the database is not writable") in why
        assert gateway.status == 0 and "Traceback" not in gateway.log, gateway.log
        assert "the head of the audit log cannot be signed just now: " in gateway.log

        # With no room at all it cannot start. Systemd starts it again.
        line = refused(tmp_path, TRY_AGAIN, limited(0))
        assert line.startswith("the d") and line.endswith(f"; look at the disk of {data}/sieve.db")

        (data / "filler").unlink(missing_ok=True)
        again = await asyncio.to_thread(start_at_once, tmp_path)
        try:
            async with client(again, kept.token) as api:
                assert (await api.get(f"/documents/{kept.document_id}/content")).content == b"plain secret"
                assert (await api.post("/documents", params=PARAMS, content=CONTENT)).status_code == 201
        finally:
            await asyncio.to_thread(again.stop)


async def test_a_start_on_a_read_only_disk(tmp_path: Path) -> None:
    kept = await killed_with_a_document(tmp_path)
    data = tmp_path / "alpha"
    with read_only(data / "blobs") as disk:
        async with started(tmp_path, disk.launch) as gateway, client(gateway.running, kept.token) as api:
            why = await reads_and_takes_nothing(gateway.running, api, kept.document_id)
            assert why == f"the blob folder is not writable: {disk.error}"
        assert gateway.status == 0 and "Traceback" not in gateway.log, gateway.log
    with read_only(data) as disk:
        line = refused(tmp_path, disk.status, disk.launch)
        assert line == f"cannot use the data folder {data}: {disk.error}; make it writable or set SIEVE_DATA_DIR"


async def reads_and_takes_nothing(gateway: demo.Running, api: httpx.AsyncClient, document_id: str) -> str:
    """Checks that everything is read, that nothing is stored, and that it is not ready; what it says to that."""
    assert (await api.get("/me")).status_code == 200
    for path in ("/transfers", "/documents", "/drafts"):
        assert (await api.get(path)).status_code == 200
    assert (await api.get(f"/documents/{document_id}/content")).content == b"plain secret"
    refused = await api.post("/documents", params=PARAMS, content=b"more")
    assert refused.status_code in (503, 507), refused.text
    assert refused.headers["content-type"] == "application/problem+json"
    web = f"http://{gateway.listeners['web']}"
    assert (await api.get(f"{web}/healthz")).status_code == 200
    ready = await api.get(f"{web}/readyz")
    async with asyncio.timeout(PATIENCE_S):
        while ready.status_code != 503:  # an answer from before may count for two seconds
            await asyncio.sleep(0.1)
            ready = await api.get(f"{web}/readyz")
    return str(ready.json()["detail"])


# --- starts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kept:
    """What a gateway holds that was killed: a document, and the token of its author."""

    document_id: str
    token: str


async def killed_with_a_document(folder: Path) -> Kept:
    """Alpha's data, as a gateway leaves it that is killed before SQLite moved what its log holds into the database."""
    await asyncio.to_thread(shutil.copytree, installed(), folder, dirs_exist_ok=True)
    gateway = await asyncio.to_thread(start_at_once, folder)
    try:
        token = demo.add_person(gateway, "anna", "Anna", is_author=True)
        async with client(gateway, token) as api:
            document_id = (await api.post("/documents", params=PARAMS, content=CONTENT)).json()["id"]
    finally:
        gateway.process.kill()
        await asyncio.to_thread(gateway.process.wait)
    assert (gateway.folder / "sieve.db-wal").stat().st_size > SHARED_MEMORY
    return Kept(document_id, token)


def start_at_once(folder: Path) -> demo.Running:
    """Alpha, forked."""
    return demo.start("alpha", folder, folder / "identities", FREE, log_file=folder / "log", launch=FORKED)


@dataclass
class Started:
    """A gateway's process, and what it has logged."""

    running: demo.Running
    lines: list[str] = field(default_factory=list)
    status: int | None = None

    @property
    def log(self) -> str:
        return "".join(self.lines)


def settings(folder: Path) -> dict[str, str]:
    binds = {f"SIEVE_{listener.upper()}_BIND": address for listener, address in FREE.items()}
    own = {"SIEVE_DATA_DIR": str(folder / "alpha"), "SIEVE_IDENTITY_DIR": str(folder / "identities" / "alpha")}
    return {"SIEVE_NAME": "alpha", **own, **binds}


def launched(folder: Path, launch: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen([*launch, *COMMAND], env=settings(folder), stderr=subprocess.PIPE, text=True)


@asynccontextmanager
async def started(folder: Path, launch: Sequence[str] = ()) -> AsyncIterator[Started]:
    """A gateway that serves, whether it is ready or not; stopped at the end. `launch`: a command that starts it."""
    process = launched(folder, launch)
    assert process.stderr is not None
    gateway = Started(demo.Running("alpha", folder / "alpha", process, {}, ""))
    try:
        while "web" not in gateway.running.listeners:
            line = await asyncio.to_thread(process.stderr.readline)
            assert line, f"it ended: {gateway.log}"
            gateway.lines.append(line)
            gateway.running.listeners.update(re.findall(r"(web|secure|plain) ([\d.]+:\d+)", line))
        # What nobody reads would stop it.
        logged = asyncio.create_task(asyncio.to_thread(process.stderr.read))
        try:
            yield gateway
        finally:
            process.send_signal(signal.SIGTERM)
            gateway.status = await asyncio.to_thread(process.wait, 30)
            gateway.lines.append(await logged)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stderr.close()


def refused(folder: Path, status: int, launch: Sequence[str] = ()) -> str:
    """The one line that a start ends with, and with that status."""
    command = [*launch, *COMMAND]
    done = subprocess.run(command, env=settings(folder), capture_output=True, text=True, check=False, timeout=60)
    [line] = done.stderr.splitlines()
    assert done.returncode == status and line.startswith("sieve gateway: "), line
    return line.removeprefix("sieve gateway: ")


def limited(size: int) -> Sequence[str]:
    """Starts a program that can write no file beyond `size` bytes."""
    return ("prlimit", f"--fsize={size}")


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 20))
    with path.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))


@dataclass(frozen=True)
class ReadOnly:
    """What a disk that is not written says to a program that `launch` starts, and how a start without it ends."""

    launch: Sequence[str]
    error: str
    status: int


@contextmanager
def read_only(folder: Path) -> Iterator[ReadOnly]:
    """A folder in which nothing can be changed: mounted so, or where nothing may be mounted, without the right."""
    if mounted_read_only(folder):
        try:
            yield ReadOnly((), "Read-only file system", TRY_AGAIN)
        finally:
            subprocess.run(["/bin/umount", "-l", folder], check=True)
        return
    paths = [folder, *folder.rglob("*")]
    modes = [path.stat().st_mode for path in paths]
    for path, mode in zip(paths, modes, strict=True):
        path.chmod(mode & ~0o222)
    # Rights bind root, too, without this capability.
    launch = ("setpriv", "--bounding-set=-dac_override") if os.geteuid() == 0 else ()
    try:
        yield ReadOnly(launch, "Permission denied", MUST_BE_MENDED)
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


def mounted_read_only(folder: Path) -> bool:
    """Whether this account may mount, and the folder is its own mount, read-only, from now on."""
    bind: list[str | Path] = ["/bin/mount", "--bind", folder, folder]
    if os.geteuid() != 0 or subprocess.run(bind, check=False, capture_output=True).returncode:
        return False
    try:
        subprocess.run(["/bin/mount", "-o", "remount,bind,ro", folder], check=True)
    except subprocess.CalledProcessError:
        subprocess.run(["/bin/umount", "-l", folder], check=True)
        raise
    return True
