"""Stand-ins for the parts of a gateway that need a network: links to peers, the worker, the plain listener."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from sieve.gateway.errors import PeerUnreachable
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import RemoteRecipient
from sieve.gateway.peering.peers import Peer


@dataclass
class FakeLink:
    """The peer's answers, without the peer."""

    known: list[RemoteRecipient] = field(
        default_factory=lambda: [
            RemoteRecipient("berta", "Berta", True, "Harbour office"),
            RemoteRecipient("bob", "Bob", False),
        ]
    )
    reachable: bool = True
    is_warm: bool = True
    known_hello: Hello | None = None

    @property
    def is_down(self) -> bool:
        return not self.reachable

    async def recipients(self, names: list[str] | None = None, trace: object = None) -> list[RemoteRecipient]:
        self._check()
        return [known for known in self.known if names is None or known.name in names]

    async def hello(self, trace: object = None) -> Hello:
        self._check()
        return Hello("bravo", (1, 2), 10**9, "http://bravo.example", max_secure_channels=2, max_plain_channels=2)

    async def ask(self, method: str, path: str) -> dict[str, Any]:
        self._check()
        return {"name": "bravo", "versions": [1, "two"], "max_document_bytes": 1000, "plain_url": "http://bravo:1"}

    def _check(self) -> None:
        if not self.reachable:
            raise PeerUnreachable("bravo cannot be reached: the connection was refused")


def take_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bravo takes notes and requests for read receipts."""
    older = FakeLink.hello

    async def hello(self: FakeLink, trace: object = None) -> Hello:
        return replace(await older(self, trace), covers=True)

    monkeypatch.setattr(FakeLink, "hello", hello)


@dataclass
class FakeLinks:
    """One link for every peer, but for those named in `others`."""

    link: FakeLink = field(default_factory=FakeLink)
    others: dict[str, FakeLink] = field(default_factory=dict)

    def to(self, peer: Peer) -> FakeLink:
        return self.others.get(peer.name, self.link)


@dataclass
class FakeWorker:
    """Notes that it was woken. `cancels`: what it answers when asked to end an attempt."""

    woken: int = 0
    cancels: bool = False
    awake: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        self.woken += 1
        self.awake.set()

    def cancel(self, transfer_id: str) -> bool:
        return self.cancels


class FakePlainListener:
    """No plain listener runs."""

    confinement = None
