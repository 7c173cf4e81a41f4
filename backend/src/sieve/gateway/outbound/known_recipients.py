"""Remembers for a moment which recipients a peer knows, so that many transfers to the same people ask only once.

Invariant: only a yes is remembered, and not for long. Unknown names are looked up each time. If a recipient is removed
in the meantime, the receiver refuses the transfer and names them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sieve.gateway.peering.peers import Peer

FRESH_NS: Final = 5 * 1_000_000_000
KEPT: Final = 10_000


@dataclass(slots=True)
class KnownRecipients:
    """When each peer last said that it knows a recipient, by the monotonic clock."""

    _said_ns: dict[tuple[Peer, str], int] = field(default_factory=dict)

    def remember(self, peer: Peer, names: Iterable[str], now_ns: int) -> None:
        """Records that the peer knows these recipients."""
        for name in names:
            self._said_ns.pop((peer, name), None)
            self._said_ns[peer, name] = now_ns
        while len(self._said_ns) > KEPT:
            del self._said_ns[next(iter(self._said_ns))]

    def are_known(self, peer: Peer, names: Sequence[str], now_ns: int) -> bool:
        """Whether the peer said so about all of them a moment ago."""
        return all(now_ns - self._said_ns.get((peer, name), now_ns - FRESH_NS) < FRESH_NS for name in names)
