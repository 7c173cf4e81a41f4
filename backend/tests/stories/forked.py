"""Gateways that start in a fraction of the time: each is forked from a process that has imported the gateway's code.

Such a process then runs `sieve gateway` itself, but hashes passwords cheaply, or another `sieve` command. The stories
in the browser start gateways in the same way. `make demo`, and the stories of the start, of cipher suites, memory and
full disks start gateways with the command.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Final
from unittest import mock

from sieve import demo
from stories.forked_children import fork_children

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["stories.preloaded"])


OF_NEXT: Final = "of the next version"
_starting = threading.Lock()


def start_server() -> None:
    """Starts the process that gateways are forked from, unless it runs. It imports their code meanwhile.

    Python 3.11 passes it no path: the environment does.
    """
    with _starting, mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)):
        forkserver.ensure_running()


class Forked:
    """A forked process with the part of `subprocess.Popen` that stories use."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        status = self._process.exitcode
        if status is None:
            raise subprocess.TimeoutExpired("sieve gateway", timeout or 0)
        return status

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def fork(run: Callable[[], int], *, has_children: bool = True) -> demo.Launch:
    """Starts gateways by a function, which returns the exit status. `has_children`: see `fork_children`."""

    def launch(environment: Mapping[str, str], log_file: Path | None) -> demo.Process:
        start_server()
        process = CONTEXT.Process(target=_enter, args=(run, has_children, dict(environment), log_file))
        process.start()
        return Forked(process)

    return launch


def gateway() -> int:
    """`sieve gateway` with cheap password hashes: a real one takes a tenth of a second of two processors."""
    from cheap_hasher import CHEAP
    from sieve import composition, load_config, main, serving

    parts = composition.Parts(password_hasher=CHEAP)
    setattr(serving, "compose", partial(composition.compose, parts=parts))  # noqa: B010 -- mypy refuses an assignment
    return main.run(load_config.load)


def gateway_with_wrong_clock(ahead_s: int) -> int:
    """The same on a machine whose clock is ahead by that, or slow if it is negative."""
    true_time_ns = time.time_ns
    time.time_ns = lambda: true_time_ns() + ahead_s * 1_000_000_000
    time.time = lambda: time.time_ns() / 1e9
    return gateway()


def gateway_of_next_version(steps: Path) -> int:
    """The same of a version whose database has more steps: those in the folder `steps`. If one of them adds a column
    for notes, it writes there.
    """
    from sqlalchemy import String
    from sqlalchemy.orm import mapped_column

    from sieve.store import migrate
    from sieve.store.models import Document

    migrate.FOLDER = steps
    if "note_9001" in (steps / "versions" / "9001_next.py").read_text():
        setattr(Document, "note_9001", mapped_column(String, default=OF_NEXT))  # noqa: B010 -- mypy refuses an assignment
    return gateway()


def command(*arguments: str, env: Mapping[str, str], timeout: float = 60.0) -> "subprocess.CompletedProcess[str]":
    """Runs the `sieve` command with these arguments, in this environment alone.

    Raises:
        subprocess.TimeoutExpired: it takes longer than `timeout` seconds. It is killed.
    """
    with tempfile.TemporaryDirectory(prefix="sieve-command-") as folder:
        said = Path(folder)
        process = fork(partial(_command, said, arguments), has_children=False)(env, None)
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        return subprocess.CompletedProcess(arguments, status, (said / "out").read_text(), (said / "error").read_text())


def create_admin(data: Path) -> None:
    """`sieve admin create` for a gateway that keeps its data in `data`: it writes `admin.token` there.

    Raises:
        DemoError: the command failed.
    """
    token = str(data / "admin.token")
    made = command("admin", "create", "admin", "--out-token", token, env={"SIEVE_DATA_DIR": str(data)})
    if made.returncode:
        raise demo.DemoError(f"{data}: the first admin could not be created: {made.stderr}")


def _command(said: Path, arguments: Sequence[str]) -> int:
    """`sieve` with these arguments; what it prints goes to the files `out` and `error`."""
    from sieve.cli import app

    for name, fd in (("out", 1), ("error", 2)):
        with (said / name).open("wb") as file:
            os.dup2(file.fileno(), fd)
    return app.main(list(arguments))


def _enter(run: Callable[[], int], has_children: bool, environment: dict[str, str], log_file: Path | None) -> None:
    os.setpgid(0, 0)
    if has_children:
        fork_children()
    os.environ.clear()
    os.environ.update(environment)
    if log_file is not None:
        with log_file.open("ab") as log:
            os.dup2(log.fileno(), 2)
    sys.exit(run())
