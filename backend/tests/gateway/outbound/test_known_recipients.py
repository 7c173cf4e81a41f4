"""A yes is remembered for a moment, for that peer as it is paired now; nothing else is."""

from dataclasses import replace

from sieve.gateway.outbound.known_recipients import FRESH_NS, KEPT, KnownRecipients
from sieve.gateway.peering.peers import Peer

BRAVO = Peer(
    id="b",
    name="bravo",
    secure_url="https://bravo:8443",
    plain_url="http://bravo:8081",
    receipt_key=bytes(32),
    pins=frozenset({"aa"}),
    active=True,
)


def test_a_yes_is_remembered_for_a_moment() -> None:
    known = KnownRecipients()
    assert not known.known(BRAVO, ["bob"], 0)
    known.remember(BRAVO, {"bob": "Bob", "berta": "Berta"}, 10)
    assert known.known(BRAVO, ["bob", "berta"], 10) == {"bob": "Bob", "berta": "Berta"}
    assert known.known(BRAVO, ["bob"], 9 + FRESH_NS)
    assert not known.known(BRAVO, ["bob"], 10 + FRESH_NS)
    assert not known.known(BRAVO, ["bob", "nobody"], 10)


def test_it_holds_for_the_peer_as_it_is_paired_now() -> None:
    known = KnownRecipients()
    known.remember(BRAVO, {"bob": "Bob"}, 10)
    assert not known.known(replace(BRAVO, id="c"), ["bob"], 10)
    assert not known.known(replace(BRAVO, pins=frozenset({"bb"})), ["bob"], 10)


def test_so_many_and_the_latest() -> None:
    known = KnownRecipients()
    known.remember(BRAVO, {f"user{number}": "" for number in range(KEPT + 1)}, 10)
    assert not known.known(BRAVO, ["user0"], 10)
    assert known.known(BRAVO, ["user1", f"user{KEPT}"], 10)
