"""`sieve demo` and `make run`: run alpha and bravo with people, a pairing and a sample document, until interrupted."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sieve.config import Settings
from sieve.demo.control import Control
from sieve.demo.gateways import AUTHOR, NAMES, ROOT, DemoError, Running, make_identities, pair, start, two_gateways
from sieve.demo.history import send_history
from sieve.demo.people import CAST, SavedAccess, ensure_people
from sieve.demo.ports import Binds

POLL_S: Final = 0.2
EXAMPLES: Final = ("personal-data", "nato")
"""The policies that alpha starts with."""


def run_until_interrupted(
    folder: Path, sample: Path, binds: Binds, *, as_json: bool, with_history: bool, command: Callable[[str], str]
) -> int:
    """Creates missing data in `folder`, prints how to sign in, and waits for an interrupt; returns the exit status.

    The gateways log to files in `folder`, so that what this prints stays in one piece. If one of them ends, the other
    continues, and this says how to start it again.

    `with_history`: in a new folder, sends the demo's transfers of the last two days first. `command`: what to run in a
    second terminal for `stop bravo`.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Control(folder) as control:
        identities = folder / "identities"
        if not identities.exists():
            make_identities(identities)
        if with_history and not any((folder / name).exists() for name in NAMES):
            print("sending the demo's transfers of the last two days; only the first start does this", file=sys.stderr)
            try:
                send_history(folder, identities, binds)
            except DemoError as error:
                print(f"demo: the history is incomplete: {error}", file=sys.stderr)
        saved = SavedAccess.read(folder / "people.json")
        with two_gateways(folder, identities, binds, _start_logged) as gateways:
            prepare(gateways, saved, sample)
            shown = json.dumps(access(gateways, saved)) if as_json else _table(gateways, saved, command)
            print(shown, flush=True)
            watch = _Watch({gateway.name: gateway for gateway in gateways}, folder, identities, command)
            try:
                while True:
                    watch.notice()
                    # What is typed while both run is left for when one has stopped.
                    keyboard = sys.stdin if watch.stopped and sys.stdin.isatty() else None
                    if control.wait(POLL_S, keyboard):
                        sys.stdin.readline()
                        watch.start_stopped()
                    control.answer(watch.act)
            except KeyboardInterrupt:
                return 0


@dataclass(slots=True)
class _Watch:
    """Notices gateways that end, and stops and starts them. `stopped`: the names of those that ended."""

    gateways: dict[str, Running]
    folder: Path
    identities: Path
    command: Callable[[str], str]
    stopped: set[str] = field(default_factory=set)

    def notice(self) -> None:
        """Says which gateways have ended since the last time, and how to start them again."""
        for name, gateway in self.gateways.items():
            if name not in self.stopped and gateway.process.poll() is not None:
                self._has_stopped(name)

    def _has_stopped(self, name: str) -> None:
        self.stopped.add(name)
        enter = "press Enter, or " if sys.stdin.isatty() else ""
        again = self.command(f"start {name}")
        print(f"{name} stopped. To start it again, {enter}run: {again}", file=sys.stderr, flush=True)

    def start_stopped(self) -> None:
        """Starts the gateways that have ended; says so of each that does not start."""
        for name in sorted(self.stopped):
            try:
                self._start(name)
            except DemoError as error:
                print(f"demo: {error}", file=sys.stderr, flush=True)

    def act(self, verb: str, name: str) -> dict[str, Any]:
        """Stops or starts a gateway, for a second terminal.

        Raises:
            DemoError: it cannot; the message says why.
        """
        gateway = self.gateways.get(name)
        if gateway is None or verb not in ("stop", "start"):
            raise DemoError(f"the demo has no gateway {name}; it has {' and '.join(self.gateways)}")
        self.notice()
        runs = name not in self.stopped
        if runs == (verb == "start"):
            raise DemoError(f"{name} {'runs already' if runs else 'has stopped already'}")
        if runs:
            gateway.stop()
            self._has_stopped(name)
        else:
            self._start(name)
        return {"gateway": name, "running": not runs, "pid": None if runs else gateway.process.pid}

    def _start(self, name: str) -> None:
        """Starts it on the addresses that it had."""
        gateway = self.gateways[name]
        gateway.process = _start_logged(name, self.folder, self.identities, gateway.listeners).process
        self.stopped.discard(name)
        print(f"{name} runs again, as process {gateway.process.pid}", file=sys.stderr, flush=True)


def prepare(gateways: tuple[Running, Running], saved: SavedAccess, sample: Path) -> None:
    """Pairs alpha and bravo and adds the demo's people, policies and document, as far as they are missing."""
    alpha, bravo = gateways
    pair(alpha, bravo)
    for gateway in gateways:
        ensure_people(gateway, saved)
    if not saved.sample:
        _add_policies(alpha)
        _add_draft(alpha, saved.access[alpha.name, AUTHOR].token, sample)
        saved.sample = True
        saved.write()


def _start_logged(name: str, folder: Path, identities: Path, binds: dict[str, str]) -> Running:
    return start(name, folder, identities, binds, log_file=_log_of(name, folder))


def _log_of(name: str, folder: Path) -> Path:
    return folder / f"{name}.log"


def _add_policies(alpha: Running) -> None:
    """Adds the example policies if the gateway has none."""
    if alpha.api("GET", "/policies"):
        return
    for file in (_policies() / f"{name}.toml" for name in EXAMPLES):
        if file.is_file():
            alpha.api("POST", "/policies", content=file.read_bytes(), content_type="application/toml")


def _policies() -> Path:
    """The folder of the example policies, in the installed package or in this repository."""
    installed = Path(__file__).with_name("policies")
    return installed if installed.is_dir() else ROOT / "docs" / "policies"


def _add_draft(alpha: Running, token: str, sample: Path) -> None:
    alpha.call(
        "POST",
        "/drafts",
        params={"name": sample.name, "media_type": "text/markdown", "form": "marked"},
        content=sample.read_bytes(),
        headers={"Authorization": f"Bearer {token}"},
    )


def _table(gateways: tuple[Running, Running], saved: SavedAccess, command: Callable[[str], str]) -> str:
    return "\n".join(
        [
            *table(gateways, saved),
            "Logs are in " + " and ".join(str(_log_of(gateway.name, saved.path.parent)) for gateway in gateways) + ".",
            f"To try an outage, run in a second terminal: {command('stop bravo')}",
            f"Later, start it again: {command('start bravo')}",
            "Stop with Ctrl-C.",
        ]
    )


def table(gateways: tuple[Running, Running], saved: SavedAccess) -> list[str]:
    """Lines that say where the gateways are, and who signs in with which password."""
    has_ui = Settings.model_construct().ui_path is not None
    lines = [] if has_ui else ["The web interface is not built yet. Build it with: make ui"]
    for gateway in gateways:
        lines += ["", f"{gateway.name}   {gateway.url}{'/' if has_ui else '/api/docs'}"]
        for role in CAST:
            if role.gateway == gateway.name:
                lines.append(f"  {role.name:<7} {saved.of(role).password:<20} {role.does}")
    return [*lines, "", f"Sign in with a name and password from above. API tokens are in {saved.path}."]


def access(gateways: tuple[Running, Running], saved: SavedAccess) -> dict[str, Any]:
    """The same and more, for programs: by the gateway's name."""
    shown: dict[str, Any] = {}
    for gateway in gateways:
        people = {
            role.name: {"password": saved.of(role).password, "token": saved.of(role).token}
            for role in CAST
            if role.gateway == gateway.name
        }
        shown[gateway.name] = {
            "url": gateway.url,
            "pid": gateway.process.pid,
            "listeners": gateway.listeners,
            "people": people,
        }
    return shown
