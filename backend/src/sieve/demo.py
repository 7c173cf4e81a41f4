"""The demonstration: two real gateways, alpha and bravo, on loopback, with people, pairing and a document on its way.

`once` (make demo) works in a folder of its own on free ports, sends one marked document, downloads it again, compares
bytes, verifies the receipt and ends; its last line is JSON. `run` (make run) keeps the two gateways up on known ports.
Everything goes through what users have: the `sieve` command and the web API.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from sieve.core import markup
from sieve.core.errors import SieveError

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = Path(__file__).with_name("sample.md")
START_S = 60.0
AUTHOR, RECIPIENT, READER = "anna", "bruno", "rosa"
NAMES = ("alpha", "bravo")


class DemoError(Exception):
    """The demonstration cannot go on; the message says why."""


@dataclass(slots=True)
class Running:
    """A gateway that was started here."""

    name: str
    folder: Path
    process: subprocess.Popen[bytes]
    listeners: dict[str, str]
    admin_token: str

    @property
    def url(self) -> str:
        return f"http://{self.listeners['web']}"

    def api(self, method: str, path: str, **arguments: Any) -> Any:
        """One call of the web API as the admin; the answer's JSON."""
        answer = httpx.request(
            method,
            f"{self.url}/api/v1{path}",
            headers={"Authorization": f"Bearer {self.admin_token}"},
            timeout=30,
            trust_env=False,
            **arguments,
        )
        if answer.status_code >= 400:
            raise DemoError(f"{self.name}: {method} {path}: {answer.text}")
        return answer.json() if answer.content else None

    def stop(self) -> None:
        """Ends it in good order, or at once if that takes too long."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def sieve_command(*arguments: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[bytes]":
    """Runs the `sieve` command of this environment."""
    return subprocess.run(
        [sys.executable, "-m", "sieve.cli", *arguments],
        env={**_clean_environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=False,
    )


def _clean_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("SIEVE_")}


def make_identities(folder: Path) -> None:
    """A development CA, and an identity and a receipt key for each gateway."""
    script = ROOT / "certs" / "make.py"
    done = subprocess.run(
        [sys.executable, str(script), "--out", str(folder), *NAMES], stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        raise DemoError("the development certificates could not be made")


def start(
    name: str,
    folder: Path,
    identities: Path,
    binds: dict[str, str],
    *,
    extra: dict[str, str] | None = None,
    log_file: Path | None = None,
    command: tuple[str, ...] = (sys.executable, "-m", "sieve.cli", "gateway"),
) -> Running:
    """Starts gateway `name` on `binds` with its data in `folder`, and waits until it serves.

    `extra`: further settings, by their environment variables. `log_file`: where it logs, else our stderr.
    `command`: what starts the gateway.
    """
    data = folder / name
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    settings = {
        "SIEVE_NAME": name,
        "SIEVE_DATA_DIR": str(data),
        "SIEVE_IDENTITY_DIR": str(identities / name),
        **{f"SIEVE_{listener.upper()}_BIND": address for listener, address in binds.items()},
        **(extra or {}),
    }
    token_file = data / "admin.token"
    if not token_file.exists():
        made = sieve_command("admin", "create", "admin", "--out-token", str(token_file), env=settings)
        if made.returncode:
            raise DemoError(f"{name}: the first admin could not be made")
    listeners_file = data / "listeners.json"
    listeners_file.unlink(missing_ok=True)
    log = log_file.open("ab") if log_file else None
    process = subprocess.Popen(
        command,
        env={**_clean_environment(), **settings},
        stdin=subprocess.DEVNULL,
        stderr=log,
        # Its own group: a terminal's interrupt reaches us, and we end the gateways in good order.
        process_group=0,
    )
    if log:
        log.close()
    until = time.monotonic() + START_S
    while True:
        if process.poll() is not None:
            raise DemoError(f"{name} did not start; the line above says why")
        if time.monotonic() > until:
            process.kill()
            raise DemoError(f"{name} did not start within {START_S:.0f} s")
        with contextlib.suppress(OSError, ValueError, httpx.TransportError):
            listeners = json.loads(listeners_file.read_text())
            listeners.pop("name")
            if httpx.get(f"http://{listeners['web']}/readyz", trust_env=False).status_code == 200:
                return Running(name, data, process, listeners, token_file.read_text().strip())
        time.sleep(0.05)


def pair(alpha: Running, bravo: Running) -> None:
    """Each admin takes the other's invitation; both compare the code and confirm."""
    codes = []
    for ours, theirs in ((alpha, bravo), (bravo, alpha)):
        invitation = theirs.api("GET", "/peers/invitation")["invitation"]
        codes.append(ours.api("POST", "/peers", json={"invitation": invitation})["code"])
    if codes[0] != codes[1]:
        raise DemoError("the two gateways show different codes")
    for ours, theirs in ((alpha, bravo), (bravo, alpha)):
        ours.api("POST", f"/peers/{theirs.name}/confirm", json={"code": codes[0]})


def add_person(gateway: Running, name: str, display_name: str, **roles: bool) -> str:
    """Makes a person and a token for them; returns the token."""
    person = gateway.api("POST", "/people", json={"name": name, "display_name": display_name, **roles})
    token: str = gateway.api("POST", f"/people/{person['id']}/tokens", json={"label": "demo"})["token"]
    return token


@contextlib.contextmanager
def two_gateways(folder: Path, identities: Path, binds: dict[str, dict[str, str]]) -> Iterator[tuple[Running, Running]]:
    """Alpha and bravo, stopped at the end whatever happens."""
    running: list[Running] = []
    try:
        for name in NAMES:
            running.append(start(name, folder, identities, binds[name]))
        yield running[0], running[1]
    finally:
        for gateway in reversed(running):
            gateway.stop()


def once(file: Path, send_options: list[str]) -> int:
    """Sends `file` from alpha to bravo; prints what happened, last of all one line of JSON. 0 if everything fits."""
    try:
        marked = file.read_bytes()
        document = markup.parse(marked)
    except OSError as error:
        raise DemoError(f"{file}: {error.strerror}") from error
    except SieveError as error:
        raise DemoError(f"{file}: {error}") from error
    if "--mode" not in " ".join(send_options):
        send_options = ["--mode", "sieve", *send_options]
    free = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")
    with tempfile.TemporaryDirectory(prefix="sieve-demo-") as temporary:
        folder = Path(temporary)
        make_identities(folder / "identities")
        with two_gateways(folder, folder / "identities", dict.fromkeys(NAMES, free)) as (alpha, bravo):
            for gateway in (alpha, bravo):
                print(f"{gateway.name}: " + ", ".join(f"{kind} {where}" for kind, where in gateway.listeners.items()))
            pair(alpha, bravo)
            author = {
                "SIEVE_URL": alpha.url,
                "SIEVE_TOKEN": add_person(alpha, AUTHOR, "Anna", is_author=True),
            }
            recipient = {
                "SIEVE_URL": bravo.url,
                "SIEVE_TOKEN": add_person(bravo, RECIPIENT, "Bruno", is_recipient=True, cleared=True),
            }
            to = ["--peer", bravo.name, "--to", RECIPIENT]
            sent = sieve_command("send", str(file), *to, "--json", *send_options, env=author)
            if sent.returncode:
                raise DemoError("sending failed; the line above says why")
            result = json.loads(sent.stdout.splitlines()[-1])
            transfer = result["transfer_id"]
            full, again = folder / "full", folder / "marked"
            for edition, path in (("full", full), ("marked", again)):
                got = sieve_command("get", transfer, "--out", str(path), "--edition", edition, env=recipient)
                if got.returncode:
                    raise DemoError(f"the {edition} edition could not be downloaded")
            receipt = folder / "receipt.json"
            sieve_command("receipt", transfer, "--out", str(receipt), env=author)
            verified = sieve_command("verify", str(receipt), env=author)
            result["identical"] = full.read_bytes() == document.content and again.read_bytes() == marked
            result["receipt_verified"] = verified.returncode == 0
            result["listeners"] = {alpha.name: alpha.listeners, bravo.name: bravo.listeners}
            _tell(file, result)
            print(json.dumps(result))
            return 0 if result["identical"] and result["receipt_verified"] else 1


def _tell(file: Path, result: dict[str, Any]) -> None:
    timings = result["timings"]
    print(f"{file.name}: {result['document_bytes']} bytes, {result['classified_bytes']} classified, {result['mode']}")
    print(
        f"bravo has it: bytes {'identical' if result['identical'] else 'DIFFERENT'}, "
        f"receipt {'verified' if result['receipt_verified'] else 'NOT VERIFIED'}"
    )
    print(f"response {timings['response']:.1f} ms, total {timings['total']:.1f} ms, stored {timings['stored']:.1f} ms")


def keep_running(folder: Path) -> int:
    """Alpha and bravo on known ports, with people and a sample document, until interrupted."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    identities = folder / "identities"
    if not identities.exists():
        make_identities(identities)
    binds = {
        "alpha": {"web": "127.0.0.1:8080", "secure": "127.0.0.1:8443", "plain": "127.0.0.1:8081"},
        "bravo": {"web": "127.0.0.1:8090", "secure": "127.0.0.1:8453", "plain": "127.0.0.1:8091"},
    }
    people_file = folder / "people.json"
    with two_gateways(folder, identities, binds) as (alpha, bravo):
        if not people_file.exists():
            pair(alpha, bravo)
            tokens = {
                f"{AUTHOR} (author at alpha)": add_person(alpha, AUTHOR, "Anna", is_author=True),
                f"{RECIPIENT} (cleared recipient at bravo)": add_person(
                    bravo, RECIPIENT, "Bruno", is_recipient=True, cleared=True
                ),
                f"{READER} (recipient at bravo, not cleared)": add_person(bravo, READER, "Rosa", is_recipient=True),
            }
            author = next(iter(tokens.values()))
            httpx.post(
                f"{alpha.url}/api/v1/documents",
                params={"name": SAMPLE.name, "media_type": "text/markdown", "form": "marked"},
                content=SAMPLE.read_bytes(),
                headers={"Authorization": f"Bearer {author}"},
                trust_env=False,
            ).raise_for_status()
            tokens |= {"admin at alpha": alpha.admin_token, "admin at bravo": bravo.admin_token}
            descriptor = os.open(people_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as out:
                json.dump(tokens, out, indent=1)
        for gateway in (alpha, bravo):
            print(
                f"{gateway.name}: {gateway.url}/api/docs, secure {gateway.listeners['secure']}, "
                f"plain {gateway.listeners['plain']}"
            )
        for who, token in json.loads(people_file.read_text()).items():
            print(f"  {who}: {token}")
        print("Stop with Ctrl-C.", flush=True)
        stop: list[int] = []
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda received, _frame: stop.append(received))
        while not stop and all(gateway.process.poll() is None for gateway in (alpha, bravo)):
            time.sleep(0.2)
        return 0 if stop else 1


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="sieve.demo")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("once")
    one.add_argument("--file", type=Path, default=SAMPLE)
    one.add_argument("send_options", nargs="*")
    stay = commands.add_parser("run")
    stay.add_argument("--data", type=Path, default=ROOT / "data")
    arguments, more = parser.parse_known_args()
    try:
        if arguments.command == "once":
            return once(arguments.file, [option for option in [*arguments.send_options, *more] if option != "--"])
        return keep_running(arguments.data)
    except DemoError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
