"""Two real gateways for the benchmark, alpha sending and bravo receiving, used as an application would: by the API.

The law: while a transfer runs, nobody asks. The benchmark sleeps for longer than the transfer took before, and only
then looks; every time comes from the marks that the gateways took themselves.
"""

import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from benchmarks.watching import cpu_s, processes
from sieve import demo

FREE = {"web": "127.0.0.1:0", "secure": "127.0.0.1:0", "plain": "127.0.0.1:0"}
SETTINGS = {"SIEVE_LOG_LEVEL": "warning"}
FIRST_WAIT_S = 0.4
LOOK_AGAIN_S = 0.05
MARGIN_S = 0.03
PATIENCE_S = 300.0


class TransferFailed(Exception):
    """A transfer did not end as delivered; the message says why."""


@dataclass
class Gateways:
    """Alpha and bravo, paired, with an author here and a cleared recipient there."""

    folder: Path
    alpha: demo.Running
    bravo: demo.Running
    author_token: str
    recipient_token: str
    _expected_s: dict[object, float] = field(default_factory=dict)
    _delivered: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.author = _client(self.alpha, self.author_token)
        self.recipient = _client(self.bravo, self.recipient_token)
        self.watched = {
            "sender": processes(self.alpha.process.pid),
            "receiver": processes(self.bravo.process.pid),
        }

    def upload(self, marked: bytes | Iterable[bytes], name: str) -> str:
        """The id of the new document."""
        answer = self.author.post(
            "/documents", params={"name": name, "media_type": "text/plain", "form": "marked"}, content=marked
        )
        answer.raise_for_status()
        return str(answer.json()["id"])

    def send(self, document_id: str, mode: str, key: object) -> dict[str, Any]:
        """Sends, waits, and returns the gateway's timings and the processor time that each gateway took.

        `key`: what is sent of one key takes about as long each time.
        """
        before = self._cpu_s()
        answer = self.author.post(
            "/transfers",
            json={"document_id": document_id, "peer": "bravo", "recipients": [demo.RECIPIENT], "mode": mode},
        )
        answer.raise_for_status()
        transfer_id = answer.json()["id"]
        until = time.monotonic() + PATIENCE_S
        time.sleep(self._expected_s.get(key, FIRST_WAIT_S))
        while True:
            # Before each look: looking is no part of what the transfer took.
            after = self._cpu_s()
            found = self.author.get(f"/transfers/{transfer_id}").json()
            if found["state"] == "delivered":
                break
            if found["state"] in ("failed", "cancelled") or time.monotonic() > until:
                raise TransferFailed(f"a transfer is {found['state']}: {found['reason']}")
            time.sleep(LOOK_AGAIN_S)
        lasted_s = _seconds_between(found["created_at"], found["delivered_at"])
        self._expected_s[key] = 1.5 * lasted_s + MARGIN_S
        self._delivered.append(transfer_id)
        return {
            "timings": found["timings"],
            "attempts": found["attempt"],
            "lasted_s": lasted_s,
            "cpu_s": {side: after[side] - before[side] for side in after},
        }

    def empty_inbox(self) -> None:
        """Removes what was delivered, so that a long run does not fill the disk."""
        for transfer_id in self._delivered:
            self.recipient.delete(f"/inbox/{transfer_id}").raise_for_status()
        self._delivered.clear()

    def secure_cipher(self) -> str:
        """The cipher suite that alpha and bravo agree on, by its IANA name (in TLS 1.3 also OpenSSL's)."""
        identity = self.folder / "identities" / "alpha"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.load_cert_chain(identity / "identity.pem", identity / "identity.key")
        host, port = self.bravo.listeners["secure"].rsplit(":", 1)
        with socket.create_connection((host, int(port)), 10) as sock, context.wrap_socket(sock) as secured:
            agreed = secured.cipher()
        return agreed[0] if agreed else "unknown"

    def _cpu_s(self) -> dict[str, float]:
        return {side: cpu_s(watched) for side, watched in self.watched.items()}


@contextmanager
def two_gateways(folder: Path) -> Iterator[Gateways]:
    """Both, in processes of their own, on free ports of loopback; stopped at the end."""
    identities = folder / "identities"
    if not identities.exists():
        demo.make_identities(identities)
    running: list[demo.Running] = []
    try:
        for name in demo.NAMES:
            log_file = folder / f"{name}.log"
            running.append(demo.start(name, folder, identities, FREE, extra=SETTINGS, log_file=log_file))
        alpha, bravo = running
        demo.pair(alpha, bravo)
        author = demo.add_person(alpha, demo.AUTHOR, "Anna", is_author=True)
        recipient = demo.add_person(bravo, demo.RECIPIENT, "Bruno", is_recipient=True, cleared=True)
        both = Gateways(folder, alpha, bravo, author, recipient)
        try:
            yield both
        finally:
            both.author.close()
            both.recipient.close()
    finally:
        for gateway in reversed(running):
            gateway.stop()


def _client(gateway: demo.Running, token: str) -> httpx.Client:
    return httpx.Client(
        base_url=f"{gateway.url}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=PATIENCE_S,
        trust_env=False,
    )


def _seconds_between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
