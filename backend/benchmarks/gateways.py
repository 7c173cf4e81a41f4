"""Two real gateways for the benchmark, alpha sending and bravo receiving, used as an application would: by the API.

Invariants: the benchmark makes no request while a transfer runs. It sleeps for longer than the transfer took before,
and only then asks for the state; every time comes from the timing marks of the gateways. A case counts only if the
gateways did what it says: with another plan, the case was not run.
"""

import socket
import ssl
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from benchmarks.cases import Case
from benchmarks.cut_connections import cut_connections
from benchmarks.slowed import slowed
from benchmarks.watching import cpu_s, processes
from sieve import cipher_suites, demo
from sieve.cli.lab.open_loop import PASSING, refusal
from sieve.cli.lab.open_loop import transfer_ids as transfer_ids_of

FREE = {"web": "127.0.0.1:0", "secure": "127.0.0.1:0", "plain": "127.0.0.1:0"}
# What the leak guard finds in these documents is of no interest: classified and plain text share their words.
SETTINGS = {"SIEVE_PROBES": "false", "SIEVE_LOG_LEVEL": "warning", "SIEVE_OPEN_FINDINGS": "off"}
FIRST_WAIT_S = 0.4
LOOK_AGAIN_S = 0.05
MARGIN_S = 0.03
MUCH_LONGER_S = 0.2
# The slowest case takes 8 s, 10 MB over 10 Mbit/s.
PATIENCE_S = 30.0
CLIENT_S = 300.0
GATEWAY = (sys.executable, "-m", "sieve.cli", "gateway")


class TransferFailed(Exception):
    """A transfer did not end as delivered; the message says why."""


class NotTaken(Exception):
    """The gateway does not do what the case asks for; the message says why."""


@dataclass
class Gateways:
    """Alpha and bravo, paired, with an author here and a cleared recipient there.

    `channels`: where alpha connects to, by kind.
    """

    folder: Path
    alpha: demo.Running
    bravo: demo.Running
    author_token: str
    recipient_token: str
    channels: Mapping[str, str]
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

    def send(self, case: Case, document_ids: Sequence[str], patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """Sends, waits, and returns the gateway's timings and the processor time that each gateway took.

        Raises:
            NotTaken: the gateway refuses what the case asks for, or did something else.
            TransferFailed: it was not delivered.
        """
        if not case.warm:
            self.cut()
        # What is sent of one case takes about as long each time.
        asleep_s = self._expected_s.get(case, FIRST_WAIT_S)
        with slowed([process.pid for process in self.watched["sender"]], case.slowed):
            before = self._cpu_s()
            answer = self.author.post(path(document_ids), json=asked(case, document_ids))
            if answer.status_code in PASSING:
                raise TransferFailed(refusal(answer))
            if answer.is_error:
                raise NotTaken(refusal(answer))
            transfer_ids = transfer_ids_of(answer.json())
            until = time.monotonic() + patience_s
            # Nobody asks while it runs: each question would be a part of what is measured.
            time.sleep(asleep_s)
            while True:
                # Before each look: looking is no part of what the transfer took.
                after = self._cpu_s()
                found = [self._look(transfer_id) for transfer_id in transfer_ids]
                if all(row["state"] == "delivered" for row in found):
                    break
                self._check(found, late=time.monotonic() > until)
                time.sleep(LOOK_AGAIN_S)  # it took longer than before: this sample's processor time has our looks in it
        lasted_s = max(_seconds_between(row["created_at"], row["delivered_at"]) for row in found)
        self._expected_s[case] = lasted_s + min(lasted_s / 2, MUCH_LONGER_S) + MARGIN_S
        self._delivered += transfer_ids
        plan = _plan(found[0])
        if (difference := other_than_asked(case, plan)) is not None:
            raise NotTaken(difference)
        return {
            "timings": joined([row["timings"] for row in found]),
            "attempts": max(row["attempt"] for row in found),
            "plan": plan,
            "lasted_s": lasted_s,
            "cpu_s": {side: after[side] - before[side] for side in after},
        }

    def _look(self, transfer_id: str) -> dict[str, Any]:
        """The transfer as it is now; without a state if the gateway cannot answer now."""
        answer = self.author.get(f"/transfers/{transfer_id}")
        untold = {"id": transfer_id, "state": "untold", "reason": refusal(answer)} if answer.is_error else None
        return untold or dict(answer.json())

    def _check(self, found: Sequence[Mapping[str, Any]], *, late: bool) -> None:
        """Raises TransferFailed if one failed or takes too long. Cancels the latter, so that it does not slow down the
        next."""
        for row in found:
            if row["state"] == "delivered" or not (late or row["state"] in ("failed", "cancelled")):
                continue
            if row["state"] in ("queued", "sending", "untold"):
                self.author.post(f"/transfers/{row['id']}/cancel")
            raise TransferFailed(f"a transfer is {row['state']}{' too long' if late else ''}: {row['reason']}")

    def cut(self) -> None:
        """Every channel will be set up again.

        Raises:
            NotTaken: this machine does not let us.
        """
        try:
            cut_connections([process.pid for process in self.watched["sender"]], self.channels.values())
        except OSError as error:
            raise NotTaken(f"kept-open channels cannot be cut here: {error.strerror}") from error

    def empty_inbox(self) -> None:
        """Removes what was delivered, so that a long run does not fill the disk."""
        for transfer_id in self._delivered:
            self.recipient.delete(f"/inbox/{transfer_id}", params={"forever": True}).raise_for_status()
        self._delivered.clear()

    def secure_cipher(self) -> str:
        """The cipher suite that alpha and bravo agree on, by its IANA name."""
        identity = self.folder / "identities" / "alpha"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        # The receiver chooses among all that we know.
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.load_cert_chain(identity / "identity.pem", identity / "identity.key")
        host, port = self.channels["secure"].rsplit(":", 1)
        with socket.create_connection((host, int(port)), 10) as sock, context.wrap_socket(sock) as secured:
            agreed = secured.cipher()
        return cipher_suites.iana_name(agreed[0]) if agreed else "unknown"

    def _cpu_s(self) -> dict[str, float]:
        return {side: cpu_s(watched) for side, watched in self.watched.items()}


@dataclass(frozen=True, slots=True)
class Place:
    """How the receiver is started, where that is not as ever. `channels`: where it is reached from outside, if not at
    its listeners; `settings` are both gateways', `its` the receiver's alone, `senders` the sender's alone."""

    settings: Mapping[str, str] = field(default_factory=dict)
    its: Mapping[str, str] = field(default_factory=dict)
    senders: Mapping[str, str] = field(default_factory=dict)
    binds: Mapping[str, str] = field(default_factory=lambda: FREE)
    prefix: tuple[str, ...] = ()
    channels: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def two_gateways(folder: Path, place: Place | None = None) -> Iterator[Gateways]:
    """Both, in processes of their own, on free ports of loopback unless `place` says otherwise; stopped at the end."""
    place = place or Place()
    identities = folder / "identities"
    if not identities.exists():
        demo.make_identities(identities)
    both = {**SETTINGS, **place.settings}
    with ExitStack() as stack:
        alpha = demo.start(
            "alpha", folder, identities, FREE, extra={**both, **place.senders}, log_file=folder / "alpha.log"
        )
        stack.callback(alpha.stop)
        bravo = demo.start(
            "bravo",
            folder,
            identities,
            dict(place.binds),
            extra={**both, **place.its},
            log_file=folder / "bravo.log",
            launch=demo.command(*place.prefix, *GATEWAY),
        )
        stack.callback(bravo.stop)
        demo.pair(alpha, bravo)
        author = demo.add_person(alpha, demo.AUTHOR, "Anna", is_author=True)
        recipient = demo.add_person(bravo, demo.RECIPIENT, "Bruno", is_recipient=True, cleared=True)
        listeners = {kind: bravo.listeners[kind] for kind in ("secure", "plain")}
        gateways = Gateways(folder, alpha, bravo, author, recipient, {**listeners, **place.channels})
        stack.callback(gateways.author.close)
        stack.callback(gateways.recipient.close)
        yield gateways


def asked(case: Case, document_ids: Sequence[str]) -> dict[str, Any]:
    """What is posted for a case. Only what a case uses is named, so that gateways without it do the others."""
    body: dict[str, Any] = {"peer": "bravo", "recipients": [demo.RECIPIENT], "mode": case.mode}
    body |= {"document_id": document_ids[0]} if len(document_ids) == 1 else {"document_ids": list(document_ids)}
    if case.secure > 1 or case.plain > 1:
        body["secure_channels"] = case.secure
        body |= {"plain_channels": case.plain} if case.plain else {}
    if case.split is not None:
        body["split"] = case.split
    return body


def path(document_ids: Sequence[str]) -> str:
    """Where it is posted: several documents go together."""
    return "/transfers" if len(document_ids) == 1 else "/batches"


def other_than_asked(case: Case, plan: Mapping[str, Any] | None) -> str | None:
    """How the plan of the gateways differs from the case; with `auto`, any plan fits."""
    if plan is None or case.mode == "auto":
        return None
    wanted: dict[str, Any] = {"mode": case.mode, "secure_channels": case.secure, "cipher": case.cipher}
    wanted |= {"plain_channels": case.plain} if case.plain else {}
    wanted |= {"split": case.split} if case.split else {}
    # A value that the gateway does not report counts as equal.
    differing = [f"{name} {plan[name]}" for name, value in wanted.items() if plan.get(name) not in (None, value)]
    if case.files and plan.get("batch") != len(case.documents):
        differing.append(f"batch {plan.get('batch')}")
    if not differing:
        return None
    note = f" ({plan['note']})" if plan.get("note") else ""
    return f"it went with {', '.join(differing)} instead{note}"


def joined(timings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The timings of a batch: what is done for each document adds up, what they share lasted as long as the longest."""
    if len(timings) == 1:
        return dict(timings[0])
    for_each = ("sieve", "integrate")
    found = {
        name: (sum if name in for_each else max)(timing[name] for timing in timings)
        for name in timings[0]
        if name not in ("response", "total")
    }
    # The sieve's own steps count in a transfer whose response says that they do.
    counts = any(t["response"] >= t["data_transfer"] + t["sieve"] + t["integrate"] - 0.01 for t in timings)
    own = found["sieve"] + found["integrate"] if counts else 0.0
    found["response"] = found["split"] + found["data_transfer"] + found["combine"] + own
    found["total"] = found["establishment"] + found["response"]
    if counts:
        found["stored"] = max(timing["stored"] - timing["sieve"] for timing in timings) + found["sieve"]
    return found


def _plan(found: Mapping[str, Any]) -> dict[str, Any] | None:
    if found.get("plan"):
        return dict(found["plan"])
    plans = [attempt["plan"] for attempt in found["attempts"] if attempt["plan"]]
    return dict(plans[-1]) if plans else None


def _client(gateway: demo.Running, token: str) -> httpx.Client:
    return httpx.Client(
        base_url=f"{gateway.url}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=CLIENT_S,
        trust_env=False,
    )


def _seconds_between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
