"""Starts, stops and restarts real gateways for the browser's stories. One process serves a whole run of Playwright.

It listens on a Unix socket. Each connection has its own folder of gateways, and sends JSON lines: first the folder,
then orders. Each order has one response:

    {"folder": "/tmp/sieve-e2e-1234"}
    {"id": 1, "do": "start", "name": "alpha", "settings": {"SIEVE_LOG_LEVEL": "info"}, "with_admin": true}
    {"id": 1, "done": {"url": "http://127.0.0.1:40123", "listeners": {...}, "admin_token": "sieve_..."}}
    {"id": 2, "do": "stop", "name": "alpha"}
    {"id": 2, "error": "alpha does not run"}

- `start`: on free ports with data of its own; on the same ports with the same data if it ran before. Without
  `with_admin` nobody is let in yet, as in a new office, and `admin_token` is empty.
- `stop` in good order, `kill` at once.
- `pair`: alpha and gateway `name`, by invitation and compared code.
- `command`: the `sieve` command as the operator of gateway `name` runs it, with `arguments`; done is
  {"status": 0, "out": "..."}.

The orders of a connection run side by side. When a connection ends, its gateways stop; when stdin ends, all stop.

One process for the run saves processor time: gateways are forked, as in the backend's stories, from one process that
has imported their code, and each gateway with an admin gets a copy of data that was made once.
"""

import argparse
import json
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sieve import demo

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "backend" / "tests"))
from reserved_ports import ReservedPorts
from stories import forked

FORKED = forked.fork(forked.gateway)
forked.CONTEXT.set_forkserver_preload(["stories.preloaded", "stories.preloaded_readers"])
NAMES = ("alpha", "bravo", "charlie")


class Template:
    """What new gateways copy: the identities of all names and, for each name, the data of a gateway with an admin."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._making = {name: threading.Lock() for name in NAMES}
        demo.make_identities(folder / "identities", NAMES)

    def copy_identities(self, to: Path) -> None:
        shutil.copytree(self._folder / "identities", to)

    def copy_data(self, name: str, to: Path) -> None:
        """Makes the data at the first call for `name`."""
        data = self._folder / name
        with self._making[name]:
            if not data.exists():
                new = self._folder / f"{name}.new"
                new.mkdir(mode=0o700)
                forked.create_admin(new)
                new.rename(data)
        shutil.copytree(data, to)


@dataclass
class Gateways:
    """The gateways that were started in `folder`, by name. One order at a time for each name."""

    folder: Path
    template: Template
    running: dict[str, demo.Running] = field(default_factory=dict)
    _settings: dict[str, dict[str, str]] = field(default_factory=dict)
    _binds: dict[str, dict[str, str]] = field(default_factory=dict)
    _ports: ReservedPorts = field(default_factory=ReservedPorts)

    @property
    def identities(self) -> Path:
        return self.folder / "identities"

    def start(self, name: str, settings: dict[str, str] | None = None, with_admin: bool = True) -> dict[str, Any]:
        if name in self.running:
            raise demo.DemoError(f"{name} runs already")
        chosen = self._settings.setdefault(name, settings or {})
        data = self.folder / name
        if not data.exists():
            if with_admin:
                self.template.copy_data(name, data)
            else:
                data.mkdir(mode=0o700)
                (data / "admin.token").touch()  # what `demo.start` takes for "there is an admin"
        if name not in self._binds:
            self._binds[name] = self._ports.binds()
        gateway = demo.start(
            name,
            self.folder,
            self.identities,
            self._binds[name],
            extra=chosen,
            log_file=self.folder / f"{name}.log",
            launch=FORKED,
        )
        self.running[name] = gateway
        return {"url": gateway.url, "listeners": gateway.listeners, "admin_token": gateway.admin_token}

    def stop(self, name: str) -> None:
        self._end(name).stop()

    def kill(self, name: str) -> None:
        process = self._end(name).process
        process.kill()
        process.wait()

    def pair(self, name: str) -> None:
        demo.pair(self.running["alpha"], self.running[name])

    def command(self, name: str, arguments: list[str]) -> dict[str, Any]:
        data = self.folder / name
        settings = {
            "SIEVE_NAME": name,
            "SIEVE_DATA_DIR": str(data),
            "SIEVE_IDENTITY_DIR": str(self.identities / name),
            "SIEVE_WEB_BIND": self._binds[name]["web"],
            **self._settings.get(name, {}),
        }
        done = forked.command(*arguments, env=settings)
        return {"status": done.returncode, "out": done.stdout}

    def stop_all(self) -> None:
        with ThreadPoolExecutor() as threads:
            list(threads.map(self.stop, list(self.running)))
        self._ports.close()

    def _end(self, name: str) -> demo.Running:
        gateway = self.running.pop(name, None)
        if gateway is None:
            raise demo.DemoError(f"{name} does not run")
        return gateway


def serve(connection: socket.socket, template: Template) -> None:
    """Carries out the orders of a connection until it ends, then stops its gateways."""
    writing = threading.Lock()
    with connection, connection.makefile("r") as lines, connection.makefile("w") as responses:
        gateways = Gateways(Path(json.loads(lines.readline())["folder"]), template)
        template.copy_identities(gateways.identities)
        orders: dict[str, Callable[..., Any]] = {
            "start": gateways.start,
            "stop": gateways.stop,
            "kill": gateways.kill,
            "pair": gateways.pair,
            "command": gateways.command,
        }

        def carry_out(number: int, what: str, arguments: dict[str, Any]) -> None:
            response: dict[str, Any] = {"id": number}
            try:
                response["done"] = orders[what](**arguments)
            except Exception as error:
                response["error"] = f"{what}: {error if isinstance(error, demo.DemoError) else repr(error)}"
            with writing:
                print(json.dumps(response), file=responses, flush=True)

        try:
            with ThreadPoolExecutor() as threads:
                for line in lines:
                    order = json.loads(line)
                    threads.submit(carry_out, order.pop("id"), order.pop("do"), order)
        finally:
            gateways.stop_all()


def accept(listening: socket.socket, template: Template, serving: list[threading.Thread]) -> None:
    """Serves each connection in a thread until the listening socket is shut down."""
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            thread = threading.Thread(target=serve, args=(connection, template))
            serving.append(thread)
            thread.start()


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser()
    parser.add_argument("socket", type=Path, help="the path of the Unix socket to listen on")
    path: Path = parser.parse_args().socket
    # These signals are for the test runner, which then closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)  # SIG_IGN would pass to the gateways
    # Its imports take seconds: those in which Playwright starts its workers and browsers.
    forked.start_server()
    with tempfile.TemporaryDirectory(prefix="sieve-template-") as folder, socket.socket(socket.AF_UNIX) as listening:
        template = Template(Path(folder))
        listening.bind(str(path))
        listening.listen()
        print("ready", flush=True)
        serving: list[threading.Thread] = []
        accepting = threading.Thread(target=accept, args=(listening, template, serving))
        accepting.start()
        sys.stdin.read()
        listening.shutdown(socket.SHUT_RDWR)
        accepting.join()
        for thread in serving:
            thread.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
