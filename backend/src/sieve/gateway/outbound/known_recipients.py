"""Remembers for a moment which recipients a peer knows, so that many transfers to the same people ask only once.

Invariant: only a yes is remembered, and not for long. Unknown names are looked up each time. If a recipient is removed
in the meantime, the receiver refuses the transfer and names them.
"""

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sieve.gateway.peering.links import RemoteRecipient
from sieve.gateway.peering.peers import Peer

FRESH_NS: Final = 5 * 1_000_000_000
KEPT: Final = 10_000


@dataclass(slots=True)
class KnownRecipients:
    """When each peer last said that it knows a recipient, by the monotonic clock, and under which display name."""

    _said: dict[tuple[Peer, str], tuple[int, str]] = field(default_factory=dict)
    _asking: dict[tuple[Peer, tuple[str, ...]], "asyncio.Task[Mapping[str, str]]"] = field(default_factory=dict)

    async def known_or_ask(
        self, peer: Peer, names: tuple[str, ...], ask: Callable[[], Awaitable[Sequence[RemoteRecipient]]]
    ) -> Mapping[str, str]:
        """The display names, by login, of those that the peer knows. `ask`: asks the peer. It is called only if the
        peer has not just said that it knows all of them. While a call asks, others with the same names wait for its
        answer.
        """
        fresh = self.known(peer, names, time.monotonic_ns())
        if fresh is not None:
            return fresh
        asking = self._asking.get((peer, names))
        if asking is None:

            async def known() -> Mapping[str, str]:
                said = {recipient.name: recipient.display_name for recipient in await ask()}
                self.remember(peer, said, time.monotonic_ns())
                return said

            asking = self._asking[peer, names] = asyncio.create_task(known())
            asking.add_done_callback(functools.partial(self._answered, (peer, names)))
        # The first caller may be cancelled; the others still wait for the answer.
        return await asyncio.shield(asking)

    def _answered(self, key: tuple[Peer, tuple[str, ...]], asking: "asyncio.Task[Mapping[str, str]]") -> None:
        del self._asking[key]
        if not asking.cancelled():
            asking.exception()  # marks it as retrieved: all callers may have been cancelled

    def remember(self, peer: Peer, display_names: Mapping[str, str], now_ns: int) -> None:
        """Records that the peer knows these recipients. `display_names`: by their logins."""
        for name, display_name in display_names.items():
            self._said.pop((peer, name), None)
            self._said[peer, name] = now_ns, display_name
        while len(self._said) > KEPT:
            del self._said[next(iter(self._said))]

    def known(self, peer: Peer, names: Sequence[str], now_ns: int) -> Mapping[str, str] | None:
        """The display names of all of them, if the peer said a moment ago that it knows them."""
        found: dict[str, str] = {}
        for name in names:
            said_ns, display_name = self._said.get((peer, name), (now_ns - FRESH_NS, ""))
            if now_ns - said_ns >= FRESH_NS:
                return None
            found[name] = display_name
        return found
