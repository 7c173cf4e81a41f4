"""`make run`: runs alpha and bravo with people, a pairing and a sample document, until interrupted."""

import json
import sys
import time
from pathlib import Path
from typing import Any, Final

from sieve.demo.gateways import AUTHOR, NAMES, ROOT, DemoError, Running, make_identities, pair, start, two_gateways
from sieve.demo.history import send_history
from sieve.demo.people import CAST, SavedAccess, ensure_people
from sieve.demo.ports import Binds

POLL_S: Final = 0.2
EXAMPLES: Final = ("personal-data", "nato")
"""The policies of docs/policies that alpha starts with."""


def run_until_interrupted(folder: Path, sample: Path, binds: Binds, *, as_json: bool, with_history: bool) -> int:
    """Creates missing data in `folder`, prints how to sign in, and waits for an interrupt; returns the exit status.

    The gateways log to files in `folder`, so that what this prints stays in one piece.

    `with_history`: in a new folder, sends the demo's transfers of the last two days first.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
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
        print(json.dumps(access(gateways, saved)) if as_json else _table(gateways, saved), flush=True)
        try:
            while True:
                for gateway in gateways:
                    if gateway.process.poll() is not None:
                        _start_again(gateway, folder, identities)
                time.sleep(POLL_S)  # no single call waits for two processes
        except KeyboardInterrupt:
            return 0


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


def _start_again(gateway: Running, folder: Path, identities: Path) -> None:
    """Waits for Enter, and starts a gateway that stopped on the addresses that it had.

    Raises:
        DemoError: it does not start, or nobody can press Enter.
    """
    if not sys.stdin.isatty():
        raise DemoError(f"{gateway.name} stopped; see {_log_of(gateway.name, folder)}")
    print(f"{gateway.name} stopped. Press Enter to start it again, or Ctrl-C to end.", file=sys.stderr)
    sys.stdin.readline()
    gateway.process = _start_logged(gateway.name, folder, identities, gateway.listeners).process
    print(f"{gateway.name} runs again, as process {gateway.process.pid}", file=sys.stderr)


def _add_policies(alpha: Running) -> None:
    """Adds the example policies if the gateway has none."""
    if alpha.api("GET", "/policies"):
        return
    for name in EXAMPLES:
        content = (ROOT / "docs" / "policies" / f"{name}.toml").read_bytes()
        alpha.api("POST", "/policies", content=content, content_type="application/toml")


def _add_draft(alpha: Running, token: str, sample: Path) -> None:
    alpha.call(
        "POST",
        "/drafts",
        params={"name": sample.name, "media_type": "text/markdown", "form": "marked"},
        content=sample.read_bytes(),
        headers={"Authorization": f"Bearer {token}"},
    )


def _table(gateways: tuple[Running, Running], saved: SavedAccess) -> str:
    stop = " or ".join(f"kill {gateway.process.pid} ({gateway.name})" for gateway in gateways)
    return "\n".join(
        [
            *table(gateways, saved),
            "Logs are in " + " and ".join(str(_log_of(gateway.name, saved.path.parent)) for gateway in gateways) + ".",
            *([f"To try an outage, stop a gateway: {stop}. Enter here starts it again."] if sys.stdin.isatty() else []),
            "Stop with Ctrl-C.",
        ]
    )


def table(gateways: tuple[Running, Running], saved: SavedAccess) -> list[str]:
    """Lines that say where the gateways are, and who signs in with which password."""
    has_ui = (ROOT / "frontend" / "dist" / "index.html").is_file()
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
