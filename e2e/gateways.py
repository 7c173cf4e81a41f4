"""Starts, ends and starts again real gateways for the browser's stories: JSON lines in, JSON lines out.

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

Orders are carried out side by side. Everything that runs is stopped when the input ends. Gateways are forked as in the
backend's stories, which saves more than a second of processor time for each start.
"""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sieve import demo

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "backend" / "tests"))
from stories import forked

FORKED = forked.fork(forked.gateway)
FREE = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")


@dataclass
class Gateways:
    """The gateways that were started in `folder`, by name. One order at a time for each name."""

    folder: Path
    running: dict[str, demo.Running] = field(default_factory=dict)
    _settings: dict[str, dict[str, str]] = field(default_factory=dict)
    _binds: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def identities(self) -> Path:
        return self.folder / "identities"

    def start(self, name: str, settings: dict[str, str] | None = None, with_admin: bool = True) -> dict[str, Any]:
        if name in self.running:
            raise demo.DemoError(f"{name} runs already")
        chosen = self._settings.setdefault(name, settings or {})
        data = self.folder / name
        if not with_admin:
            data.mkdir(mode=0o700, exist_ok=True)
            (data / "admin.token").touch()  # what `demo.start` takes for "there is an admin"
        if not (self.identities / name).exists():
            demo.make_identities(self.identities, [name])
        gateway = demo.start(
            name,
            self.folder,
            self.identities,
            self._binds.get(name, FREE),
            extra=chosen,
            log_file=self.folder / f"{name}.log",
            launch=FORKED,
        )
        self.running[name] = gateway
        self._binds[name] = gateway.listeners
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
        done = demo.sieve_command(*arguments, env=settings)
        return {"status": done.returncode, "out": done.stdout.decode()}

    def stop_all(self) -> None:
        with ThreadPoolExecutor() as threads:
            list(threads.map(self.stop, list(self.running)))

    def _end(self, name: str) -> demo.Running:
        gateway = self.running.pop(name, None)
        if gateway is None:
            raise demo.DemoError(f"{name} does not run")
        return gateway


def serve(gateways: Gateways) -> None:
    """Carries out the orders on stdin until it ends."""
    writing = threading.Lock()
    orders: dict[str, Callable[..., Any]] = {
        "start": gateways.start,
        "stop": gateways.stop,
        "kill": gateways.kill,
        "pair": gateways.pair,
        "command": gateways.command,
    }

    def carry_out(number: int, what: str, arguments: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"id": number}
        try:
            answer["done"] = orders[what](**arguments)
        except Exception as error:
            answer["error"] = f"{what}: {error if isinstance(error, demo.DemoError) else repr(error)}"
        with writing:
            print(json.dumps(answer), flush=True)

    with ThreadPoolExecutor() as threads:
        for line in sys.stdin:
            order = json.loads(line)
            threads.submit(carry_out, order.pop("id"), order.pop("do"), order)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="the data, logs and identities; made if need be")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # A terminal's interrupt is for the test runner, which then closes our input. SIGTERM ends us in good order, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    gateways = Gateways(folder)
    demo.make_identities(gateways.identities)
    try:
        serve(gateways)
    finally:
        gateways.stop_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
