"""Starts two gateways, alpha and bravo, pairs them and adds people, with the `sieve` command and the web API."""

import contextlib
import json
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import httpx

from sieve.demo import certificates

ROOT = Path(__file__).resolve().parents[4]
START_S = 60.0
AUTHOR, RECIPIENT, READER = "anna", "bruno", "rosa"
NAMES = ("alpha", "bravo")
SIEVE = (sys.executable, "-m", "sieve.cli")
"""The `sieve` command of this environment."""
# Requests here use plain HTTP on loopback. This context loads no certificates; httpx's own loads more than a hundred
# for each request.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class DemoError(Exception):
    """The demonstration failed; the message says why."""


class Process(Protocol):
    """What callers use of a gateway's process; `subprocess.Popen` has it."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


Launch = Callable[[Mapping[str, str], Path | None], Process]
"""Starts a gateway's process with environment variables and a log file; None: it logs to our stderr."""


@dataclass(slots=True)
class Running:
    """A running gateway. `settings`: those that it was started with, as environment variables."""

    name: str
    folder: Path
    process: Process
    listeners: dict[str, str]
    admin_token: str
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://{self.listeners['web']}"

    def api(self, method: str, path: str, *, content_type: str | None = None, **arguments: Any) -> Any:
        """Calls the web API as the admin; returns the answer's JSON."""
        headers = {"Authorization": f"Bearer {self.admin_token}"}
        if content_type is not None:
            headers["Content-Type"] = content_type
        return self.call(method, path, headers=headers, **arguments)

    def call(self, method: str, path: str, **arguments: Any) -> Any:
        """Calls the web API; returns the answer's JSON.

        Raises:
            DemoError: the gateway refuses, or does not answer.
        """
        try:
            answer = httpx.request(
                method, f"{self.url}/api/v1{path}", timeout=30, trust_env=False, verify=NO_TLS, **arguments
            )
        except httpx.HTTPError as error:
            raise DemoError(f"{self.name}: {method} {path}: no answer ({type(error).__name__})") from error
        if answer.status_code >= 400:
            raise DemoError(f"{self.name}: {method} {path}: {answer.text}")
        return answer.json() if answer.content else None

    def stop(self) -> None:
        """Stops the process; kills it if that takes too long."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def sieve_command(
    *arguments: str, env: dict[str, str] | None = None, program: Sequence[str] = SIEVE
) -> "subprocess.CompletedProcess[bytes]":
    """Runs the `sieve` command."""
    return subprocess.run(
        [*program, *arguments],
        env={**_clean_environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=False,
    )


def _clean_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("SIEVE_")}


def make_identities(folder: Path, names: Sequence[str] = NAMES) -> None:
    """Makes a development CA, and an identity and a receipt key for each gateway, as far as they are missing.

    Raises:
        DemoError: what is in the folder cannot be used.
    """
    now = datetime.now(UTC)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        authority, _ = certificates.keep_authority(folder, now)
        for name in names:
            certificates.keep_gateway(folder, name, authority, now)
    except certificates.MakeError as error:
        raise DemoError(str(error)) from error


def command(*words: str) -> Launch:
    """A `Launch` that runs this command."""

    def launch(environment: Mapping[str, str], log_file: Path | None) -> Process:
        with contextlib.nullcontext() if log_file is None else log_file.open("ab") as log:
            # In its own process group, so that Ctrl-C reaches only us, and we stop the gateways in order.
            return subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stderr=log, process_group=0)

    return launch


def start(
    name: str,
    folder: Path,
    identities: Path,
    binds: dict[str, str],
    *,
    extra: dict[str, str] | None = None,
    log_file: Path | None = None,
    program: Sequence[str] = SIEVE,
    launch: Launch | None = None,
) -> Running:
    """Starts gateway `name` on `binds` with its data in `folder`, and waits until it is ready.

    `extra`: further settings, as environment variables. `log_file`: its log; None: our stderr. `program`: the `sieve`
    command. `launch`: starts the process in another way.
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
        create = ("admin", "create", "admin", "--out-token", str(token_file))
        made = sieve_command(*create, env=settings, program=program)
        if made.returncode:
            raise DemoError(f"{name}: the first admin could not be made")
    listeners_file = data / "listeners.json"
    listeners_file.unlink(missing_ok=True)
    launch = launch or command(*program, "gateway")
    process = launch({**_clean_environment(), **settings}, log_file)
    running = Running(name, data, process, {}, token_file.read_text().strip(), settings)
    try:
        _wait(running, listeners_file, log_file)
    except BaseException:
        running.stop()
        raise
    return running


def _wait(gateway: Running, listeners_file: Path, log_file: Path | None) -> None:
    until = time.monotonic() + START_S
    said = ""
    while True:
        if gateway.process.poll() is not None:
            raise DemoError(f"{gateway.name} did not start; see {log_file or 'the line above'}")
        if time.monotonic() > until:
            raise DemoError(f"{gateway.name} was not ready within {START_S:.0f} s{said}")
        with contextlib.suppress(OSError, ValueError, httpx.TransportError):
            listeners = json.loads(listeners_file.read_text())
            listeners.pop("name")
            answer = httpx.get(f"http://{listeners['web']}/readyz", trust_env=False, verify=NO_TLS)
            if answer.status_code == 200:
                gateway.listeners = listeners
                return
            said = f": {answer.json()['detail']}"
        time.sleep(0.05)


def pair(alpha: Running, bravo: Running) -> None:
    """Pairs the two gateways if they are not paired, and updates addresses that have changed."""
    sides = (alpha, bravo), (bravo, alpha)
    stored = [_peer(ours, theirs) for ours, theirs in sides]
    # The first time, or after a stop in between: only a confirmed peer can be renewed.
    if any(peer is None or peer["state"] != "active" for peer in stored):
        for (ours, theirs), peer in zip(sides, stored, strict=True):
            if peer is not None:
                ours.api("DELETE", f"/peers/{theirs.name}")
            ours.api("POST", "/peers", json=_invitation(theirs))
        for ours, theirs in sides:
            code = theirs.api("GET", f"/peers/{ours.name}/code")["code"]
            ours.api("POST", f"/peers/{theirs.name}/confirm", json={"code": code})
        return
    for (ours, theirs), known in zip(sides, stored, strict=True):
        if known is not None and (known["secure_url"], known["plain_url"]) != _urls(theirs):
            code = theirs.api("POST", f"/peers/{ours.name}/renewal-code", json=_invitation(ours))["code"]
            ours.api("POST", f"/peers/{theirs.name}/renew", json={**_invitation(theirs), "code": code})


def _invitation(gateway: Running) -> dict[str, str]:
    return {"invitation": gateway.api("GET", "/peers/invitation")["invitation"]}


def _peer(ours: Running, theirs: Running) -> dict[str, Any] | None:
    peers: list[dict[str, Any]] = ours.api("GET", "/peers")
    return next((peer for peer in peers if peer["name"] == theirs.name), None)


def _urls(gateway: Running) -> tuple[str, str]:
    return f"https://{gateway.listeners['secure']}", f"http://{gateway.listeners['plain']}"


def add_person(gateway: Running, name: str, display_name: str, **roles: bool) -> str:
    """Adds a service account and creates a token for it, without the time that a password takes; returns the token."""
    asked = {"name": name, "display_name": display_name, "is_service": True, **roles}
    person = gateway.api("POST", "/people", json=asked)
    token: str = gateway.api("POST", f"/people/{person['id']}/tokens", json={"label": "demo"})["token"]
    return token


@contextlib.contextmanager
def two_gateways(
    folder: Path,
    identities: Path,
    binds: dict[str, dict[str, str]],
    start: Callable[[str, Path, Path, dict[str, str]], Running] = start,
) -> Iterator[tuple[Running, Running]]:
    """Alpha and bravo, which start side by side. They are stopped at the end in any case, and killed if stopping is
    interrupted."""
    starting: list[Future[Running]] = []
    try:
        with ThreadPoolExecutor() as threads:
            for name in NAMES:
                starting.append(threads.submit(start, name, folder, identities, binds[name]))
        alpha, bravo = (each.result() for each in starting)
        yield alpha, bravo
    finally:
        running = [each.result() for each in starting if each.done() and each.exception() is None]
        try:
            for gateway in running:
                gateway.process.terminate()
            for gateway in running:
                gateway.stop()
        except KeyboardInterrupt:
            for gateway in running:
                gateway.process.kill()
            raise
