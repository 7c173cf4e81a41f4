"""Who may keep a connection when there are more than a listener keeps. Pure counting, no IO.

A connection has a *place* from its accept to its end. A place *waits* while its client owes the next step: a TLS
handshake, a request's head, or nothing yet on an idle connection.

Invariant: a newcomer finds a place as long as anybody waits, because the longest wait gives way. No source holds more
than its share. Where the gateway knows who is at the other end (`settle`), that peer's share counts, and the place
never gives way to strangers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sieve import addresses

KNOWN_SOURCES: Final = 1024
"""How many addresses are remembered from which peers connected."""


def _nothing() -> None:
    """Before there is a connection to close."""


@dataclass(eq=False, slots=True)
class Slot:
    """One connection's place. `close` ends the connection, and is called when the place goes to another one."""

    key: str
    close: Callable[[], None] = _nothing
    waits: bool = True
    settled: bool = False
    places: "Slots | None" = None
    """Where it counts; None once it was left."""

    def idle(self, waits: bool) -> None:
        """Whether the client owes the next step."""
        self.waits = waits and not self.settled
        if self.waits and self.places is not None:
            self.places.queue(self)

    def settle(self, peer: str) -> bool:
        """The connection is this peer's: it counts as one of the peer's from now on. False if the peer has too many."""
        return self.places is not None and self.places.settle(self, peer)

    def leave(self) -> None:
        """The connection is over. Does nothing the second time."""
        if self.places is not None:
            self.places.leave(self)


@dataclass(slots=True)
class Slots:
    """`total` places; `per_source` for one source; `per_peer` for one settled peer. `is_exempt` says which
    addresses each serve many sources, such as a trusted proxy's: only `total` limits them.
    """

    total: int
    per_source: int
    per_peer: int = 0
    is_exempt: Callable[[str], bool] = lambda _address: False
    count: int = 0
    """Connections that have a place."""
    _held: dict[str, dict[Slot, None]] = field(default_factory=dict)
    _known: dict[str, None] = field(default_factory=dict)

    def take(self, address: str) -> Slot | None:
        """A place for a newcomer from that IP address; None if it must be turned away."""
        source = addresses.source(address)
        held = self._held.get(source, {})
        crowded = len(held) >= self.per_source and not self.is_exempt(address)
        if crowded or self.count >= self.total:
            victim = _longest_waiting(held) if crowded else self._from_the_largest()
            if victim is None:
                return None
            victim.leave()
            victim.close()
        place = Slot(source, places=self)
        self._add(place)
        return place

    def settle(self, place: Slot, peer: str) -> bool:
        """See `Place.settle`."""
        source, key = place.key, f"peer {peer}"
        if len(self._held.get(key, {})) >= self.per_peer:
            return False
        self._remove(place)
        self._known.pop(source, None)
        self._known[source] = None
        if len(self._known) > KNOWN_SOURCES:
            del self._known[next(iter(self._known))]
        place.key, place.settled, place.waits = key, True, False
        self._add(place)
        return True

    def queue(self, place: Slot) -> None:
        """Its wait begins now: those who wait longer give way first."""
        held = self._held[place.key]
        held[place] = held.pop(place)

    def leave(self, place: Slot) -> None:
        """See `Place.leave`."""
        self._remove(place)
        place.places = None

    def _from_the_largest(self) -> Slot | None:
        """The longest wait of the source that has most places; of a source where no peer was seen, if there is one."""
        by_size = sorted(self._held, key=lambda key: (key not in self._known, len(self._held[key])), reverse=True)
        return next((found for key in by_size if (found := _longest_waiting(self._held[key]))), None)

    def _add(self, place: Slot) -> None:
        self._held.setdefault(place.key, {})[place] = None
        self.count += 1

    def _remove(self, place: Slot) -> None:
        held = self._held[place.key]
        del held[place]
        if not held:
            del self._held[place.key]
        self.count -= 1


def _longest_waiting(held: dict[Slot, None]) -> Slot | None:
    return next((place for place in held if place.waits), None)
