"""Holds deploy/observability against a real Prometheus that scrapes two real gateways: `make check-observability`.

promtool checks the configuration and the rules, and runs the tests of the rules. Then two gateways send documents, one
transfer fails, and Prometheus scrapes both each second. Every query of the dashboard must return data, and every rule
must be evaluated without an error. Grafana itself is not started. Ends with 1 if something does not hold, and with 2 if
a program is missing.
"""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx

import monitoring_queries
from monitoring_queries import Query
from scripts.producers import PROMETHEUS, PROMTOOL, Missing
from sieve import demo

TOKEN: Final = "only-for-this-check"
SETTINGS: Final = {"SIEVE_METRICS_TOKEN": TOKEN, "SIEVE_OPEN_FINDINGS": "off"}
FIRES: Final = "SieveTransfersFail"
PATIENCE_S: Final = 90.0
FREE: Final = dict.fromkeys(("web", "secure", "plain"), "127.0.0.1:0")
VARIABLES: Final = {
    "$__rate_interval": "30s",
    "$__range": "5m",
    "$gateway": ".*",
    "$direction": "sent",
    "$mode": ".*",
}


class Failed(Exception):
    """Something does not hold; the message says what."""


def main() -> int:
    """Runs all checks; prints what was checked."""
    try:
        print(f"{PROMETHEUS.version()}, {PROMTOOL.version()}")
        with tempfile.TemporaryDirectory(prefix="sieve-observability-") as temporary:
            _check(Path(temporary))
    except Missing as missing:
        print(f"check-observability: {missing}", file=sys.stderr)
        return 2
    except (Failed, demo.DemoError) as failed:
        print(f"check-observability: {failed}", file=sys.stderr)
        return 1
    return 0


def _check(folder: Path) -> None:
    for name in (monitoring_queries.RULES, monitoring_queries.RULES_TEST, monitoring_queries.CONFIG):
        (folder / name).write_bytes((monitoring_queries.FOLDER / name).read_bytes())
    (folder / "metrics-token").write_text(TOKEN)
    for arguments in (
        ("check", "config", monitoring_queries.CONFIG),
        ("check", "rules", monitoring_queries.RULES),
        ("test", "rules", monitoring_queries.RULES_TEST),
    ):
        _promtool(arguments, folder)
        print(f"promtool {' '.join(arguments)}: passed")
    start = partial(demo.start, extra=SETTINGS, log_file=folder / "gateways.log")
    demo.make_identities(folder / "identities")
    binds = dict.fromkeys(demo.NAMES, FREE)
    with demo.two_gateways(folder, folder / "identities", binds, start) as (alpha, bravo):
        demo.pair(alpha, bravo)
        office = _Office(alpha, bravo)
        office.send()
        _aim_at(
            folder / monitoring_queries.CONFIG, {gateway.name: gateway.listeners["web"] for gateway in (alpha, bravo)}
        )
        with _prometheus(folder) as ask:
            _check_targets(ask)
            office.fail()
            _check_queries(ask, office.send)
            _check_rules(ask)


def _promtool(arguments: Sequence[str], folder: Path) -> None:
    try:
        PROMTOOL.run(arguments, folder)
    except subprocess.CalledProcessError as error:
        raise Failed(f"promtool {' '.join(arguments)}: {error.stdout}") from error


class _Office:
    """Anna, who sends documents from alpha, and those who receive them at bravo."""

    def __init__(self, alpha: demo.Running, bravo: demo.Running) -> None:
        self._alpha, self._bravo = alpha, bravo
        token = demo.add_person(alpha, demo.AUTHOR, "Anna", is_author=True)
        self._headers = {"Authorization": f"Bearer {token}"}
        demo.add_person(bravo, demo.RECIPIENT, "Bruno", is_recipient=True, cleared=True)
        self._leaving = bravo.api(
            "POST", "/people", json={"name": "vera", "display_name": "Vera", "is_recipient": True}
        )

    def send(self) -> None:
        """Sends a document in each mode."""
        for mode in ("sieve", "secure-only"):
            self._send(mode, demo.RECIPIENT)

    def fail(self) -> None:
        """Makes a transfer fail: bravo disables its recipient after alpha asked for them, and before they receive."""
        self._send("sieve", self._leaving["name"])
        self._bravo.api("PATCH", f"/people/{self._leaving['id']}", json={"disabled": True})
        self._send("sieve", self._leaving["name"])

    def _send(self, mode: str, to: str) -> None:
        marked = b"Meet at <$S>pier seven<$E> on Monday.\n" * 100
        params = {"name": "note.txt", "form": "marked"}
        made = self._alpha.call("POST", "/documents", params=params, content=marked, headers=self._headers)
        asked = {"document_id": made["id"], "peer": self._bravo.name, "recipients": [to], "mode": mode}
        self._alpha.call("POST", "/transfers", json=asked, headers=self._headers)


def _aim_at(config: Path, targets: dict[str, str]) -> None:
    """Puts the gateways' addresses into the example, and shortens its intervals."""
    text = config.read_text().replace("15s", "1s")
    for example, name in (("127.0.0.1:8080", "alpha"), ("127.0.0.1:8090", "bravo")):
        if text.count(f'"{example}"') != 1:
            raise Failed(f"{config.name} does not name {example} once")
        text = text.replace(example, targets[name])
    config.write_text(text)


Ask = Callable[..., Any]
"""Asks Prometheus's API: a path and parameters; returns the data of the response."""


@contextmanager
def _prometheus(folder: Path) -> Iterator[Ask]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            [
                PROMETHEUS.path(),
                f"--config.file={folder / monitoring_queries.CONFIG}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                f"--web.listen-address={address}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        with httpx.Client(base_url=f"http://{address}", trust_env=False, verify=demo.NO_TLS) as client:

            def ask(path: str, **params: str) -> Any:
                answer = client.get(f"/api/v1{path}", params=params).json()
                if answer["status"] != "success":
                    raise Failed(f"Prometheus: {answer.get('error')}")
                return answer["data"]

            def is_ready() -> bool:
                if process.poll() is not None:
                    raise Failed(f"Prometheus did not start: {(folder / 'prometheus.log').read_text()}")
                try:
                    return client.get("/-/ready").status_code == 200
                except httpx.TransportError:
                    return False

            _until(is_ready, "Prometheus is not ready")
            yield ask
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _check_targets(ask: Ask) -> None:
    def up() -> list[str]:
        return sorted(
            target["labels"]["gateway"] for target in ask("/targets")["activeTargets"] if target["health"] == "up"
        )

    _until(lambda: up() == sorted(demo.NAMES), "not every gateway is scraped")
    print(f"targets that are up: {', '.join(up())}")


def _check_queries(ask: Ask, send: Callable[[], None]) -> None:
    """Sends documents until each query returns data."""
    missing = [*monitoring_queries.panel_queries(), *monitoring_queries.variable_queries()]
    count = len(missing)
    until = time.monotonic() + PATIENCE_S
    while missing:
        if time.monotonic() > until:
            raise Failed("these queries return no data: " + "; ".join(f"{q.where}: {q.expression}" for q in missing))
        send()
        time.sleep(1)  # until the next scrape
        missing = [query for query in missing if not _has_data(ask, query)]
    print(f"queries of the dashboard that return data: {count}")


def _has_data(ask: Ask, query: Query) -> bool:
    expression = query.expression
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return any(found["value"][1] != "NaN" for found in ask("/query", query=expression)["result"])


def _check_rules(ask: Ask) -> None:
    def rules() -> list[dict[str, Any]]:
        return [rule for group in ask("/rules")["groups"] for rule in group["rules"]]

    _until(lambda: all(rule["health"] != "unknown" for rule in rules()), "not every rule was evaluated")
    broken = [f"{rule['name']}: {rule.get('lastError')}" for rule in rules() if rule["health"] != "ok"]
    if broken:
        raise Failed("; ".join(broken))
    names = {rule["name"] for rule in rules()}
    if names != {query.where for query in monitoring_queries.alert_queries()}:
        raise Failed(f"Prometheus loaded other rules: {', '.join(sorted(names))}")

    def fires() -> bool:
        return any(rule["name"] == FIRES and rule["state"] == "firing" for rule in rules())

    _until(fires, f"{FIRES} does not fire, although a transfer failed")
    print(f"alerts that are evaluated: {len(names)}; {FIRES} fires, because a transfer failed")


def _until(holds: Callable[[], bool], otherwise: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > until:
            raise Failed(otherwise)
        time.sleep(0.2)  # Prometheus announces nothing: it can only be asked


if __name__ == "__main__":
    sys.exit(main())
