"""Decides which connections a full listener keeps. Pure counting, no IO.

A connection has a *slot* from its accept to its end. A slot *waits* while its client owes the next step: a TLS
handshake, a request's head, or nothing yet on an idle connection.

Invariant: a new connection gets a slot as long as any connection waits, because the longest wait gives way. No source
holds more than its share. Once the gateway has identified the peer (`settle`), that peer's share counts, and the slot
never gives way to others.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sieve import addresses

KNOWN_SOURCES: Final = 1024
"""How many addresses of peers are remembered."""


def _nothing() -> None:
    """Before there is a connection to close."""


@dataclass(eq=False, slots=True)
class Slot:
    """A connection's slot. `close` ends the connection, and is called when another connection takes the slot."""

    key: str
    close: Callable[[], None] = _nothing
    waits: bool = True
    settled: bool = False
    slots: "Slots | None" = None
    """The counting slots; None once the connection has left."""

    def idle(self, waits: bool) -> None:
        """Notes whether the connection waits for its client."""
        self.waits = waits and not self.settled
        if self.waits and self.slots is not None:
            self.slots.queue(self)

    def settle(self, peer: str) -> bool:
        """Counts the connection for this peer from now on. False if the peer has too many."""
        return self.slots is not None and self.slots.settle(self, peer)

    def leave(self) -> None:
        """Frees the slot. Does nothing the second time."""
        if self.slots is not None:
            self.slots.leave(self)


@dataclass(slots=True)
class Slots:
    """`total` slots; `per_source` for one source; `per_peer` for one settled peer. `is_exempt` is true for addresses
    that serve many sources, such as a trusted proxy's: only `total` limits them.
    """

    total: int
    per_source: int
    per_peer: int = 0
    is_exempt: Callable[[str], bool] = lambda _address: False
    count: int = 0
    """Connections that have a slot."""
    _held: dict[str, dict[Slot, None]] = field(default_factory=dict)
    _known: dict[str, None] = field(default_factory=dict)

    def take(self, address: str) -> Slot | None:
        """A slot for a new connection from that IP address; None if it must be closed."""
        source = addresses.source(address)
        held = self._held.get(source, {})
        crowded = len(held) >= self.per_source and not self.is_exempt(address)
        if crowded or self.count >= self.total:
            victim = _longest_waiting(held) if crowded else self._from_the_largest()
            if victim is None:
                return None
            victim.leave()
            victim.close()
        slot = Slot(source, slots=self)
        self._add(slot)
        return slot

    def settle(self, slot: Slot, peer: str) -> bool:
        """See `Slot.settle`."""
        source, key = slot.key, f"peer {peer}"
        if len(self._held.get(key, {})) >= self.per_peer:
            return False
        self._remove(slot)
        self._known.pop(source, None)
        self._known[source] = None
        if len(self._known) > KNOWN_SOURCES:
            del self._known[next(iter(self._known))]
        slot.key, slot.settled, slot.waits = key, True, False
        self._add(slot)
        return True

    def queue(self, slot: Slot) -> None:
        """Starts its wait now: longer waits give way first."""
        held = self._held[slot.key]
        held[slot] = held.pop(slot)

    def leave(self, slot: Slot) -> None:
        """See `Slot.leave`."""
        self._remove(slot)
        slot.slots = None

    def _from_the_largest(self) -> Slot | None:
        """The longest wait of the source with the most slots; sources without a known peer come first."""
        by_size = sorted(self._held, key=lambda key: (key not in self._known, len(self._held[key])), reverse=True)
        return next((found for key in by_size if (found := _longest_waiting(self._held[key]))), None)

    def _add(self, slot: Slot) -> None:
        self._held.setdefault(slot.key, {})[slot] = None
        self.count += 1

    def _remove(self, slot: Slot) -> None:
        held = self._held[slot.key]
        del held[slot]
        if not held:
            del self._held[slot.key]
        self.count -= 1


def _longest_waiting(held: dict[Slot, None]) -> Slot | None:
    return next((slot for slot in held if slot.waits), None)
