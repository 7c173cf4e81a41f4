"""Remembers for a moment which recipients a peer knows, so that many transfers to the same people ask only once.

Invariant: only a yes is remembered, and not for long. Unknown names are looked up each time. If a recipient is removed
in the meantime, the receiver refuses the transfer and names them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sieve.gateway.peering.peers import Peer

FRESH_NS: Final = 5 * 1_000_000_000
KEPT: Final = 10_000


@dataclass(slots=True)
class KnownRecipients:
    """When each peer last said that it knows a recipient, by the monotonic clock, and under which display name."""

    _said: dict[tuple[Peer, str], tuple[int, str]] = field(default_factory=dict)

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
