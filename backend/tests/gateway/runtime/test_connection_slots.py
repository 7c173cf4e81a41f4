"""Who keeps a connection: the longest wait gives way, nobody takes all, and peers are not pushed out by strangers."""

from sieve.gateway.runtime.connection_slots import Slot, Slots


class Closed(list[str]):
    """The names of connections that were closed for others."""

    def take(self, slots: Slots, address: str, name: str) -> Slot:
        slot = slots.take(address)
        assert slot is not None
        slot.close = lambda: self.append(name)
        return slot


def test_the_longest_wait_of_a_source_gives_way_to_its_newcomer() -> None:
    slots, closed = Slots(10, per_source=2), Closed()
    busy = closed.take(slots, "10.0.0.1", "busy")
    busy.idle(False)
    closed.take(slots, "10.0.0.2", "other")
    closed.take(slots, "10.0.0.1", "silent")
    closed.take(slots, "10.0.0.1", "newcomer")
    assert closed == ["silent"]
    assert slots.count == 3


def test_who_became_idle_later_waits_less_long() -> None:
    slots, closed = Slots(10, per_source=2), Closed()
    first = closed.take(slots, "10.0.0.1", "first")
    closed.take(slots, "10.0.0.1", "second")
    first.idle(False)
    first.idle(True)
    closed.take(slots, "10.0.0.1", "third")
    assert closed == ["second"]


def test_where_nobody_waits_a_newcomer_is_turned_away() -> None:
    slots, closed = Slots(2, per_source=1), Closed()
    closed.take(slots, "10.0.0.1", "a").idle(False)
    assert slots.take("10.0.0.1") is None
    last = closed.take(slots, "10.0.0.2", "b")
    last.idle(False)
    assert slots.take("10.0.0.3") is None
    last.leave()
    last.leave()
    assert slots.take("10.0.0.3") is not None
    assert closed == []


def test_a_subscriber_of_ipv6_is_one_source() -> None:
    slots = Slots(10, per_source=1)
    for number in range(5):
        assert slots.take(f"2001:db8::{number}") is not None
    assert slots.count == 1


def test_a_proxy_may_have_all_places() -> None:
    slots = Slots(3, per_source=1, is_exempt=lambda address: address == "10.0.0.1")
    for _ in range(3):
        assert slots.take("10.0.0.1") is not None
    assert slots.count == 3


def test_when_all_is_full_who_has_most_gives_way() -> None:
    slots, closed = Slots(4, per_source=3), Closed()
    closed.take(slots, "10.0.0.1", "one")
    for name in ("two", "three", "four"):
        closed.take(slots, "10.0.0.2", name)
    closed.take(slots, "10.0.0.3", "newcomer")
    assert closed == ["two"]


def test_a_peer_keeps_its_place_and_has_a_share_of_its_own() -> None:
    slots, closed = Slots(3, per_source=1, per_peer=2), Closed()
    for name in ("a", "b"):
        assert closed.take(slots, "10.0.0.1", name).settle("bravo")
    third = closed.take(slots, "10.0.0.1", "c")
    assert not third.settle("bravo")
    third.leave()
    for number in range(2, 9):
        closed.take(slots, f"10.0.0.{number}", f"stranger {number}")
    assert closed == [f"stranger {number}" for number in range(2, 8)]
    assert slots.count == 3


def test_strangers_do_not_push_out_the_handshake_of_an_address_where_a_peer_was_seen() -> None:
    slots, closed = Slots(3, per_source=3, per_peer=3), Closed()
    known = closed.take(slots, "10.0.0.1", "earlier")
    assert known.settle("bravo")
    known.leave()
    for name in ("handshake 1", "handshake 2"):
        closed.take(slots, "10.0.0.1", name)
    for number in range(2, 9):
        closed.take(slots, f"10.0.0.{number}", f"stranger {number}")
    assert not [name for name in closed if name.startswith("handshake")]
