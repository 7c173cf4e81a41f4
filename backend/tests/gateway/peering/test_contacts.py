"""What the gateway notes of its contacts with peers, for its admins."""

from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from databases import url
from gateway.two_gateways import Pair, document
from sieve.gateway.clock import NS_PER_S, now_ns
from sieve.gateway.peering.contacts import Contact, PeerContacts
from sieve.store.database_from_url import database_from_url


async def test_a_transfer_shows_both_gateways_their_peer_also_after_a_restart(pair: Pair) -> None:
    before_ns = now_ns()
    alpha, bravo = pair.alpha.gateway.services, pair.bravo.gateway.services
    await pair.alpha.ended(await pair.send(document(1000, 1, 100)))
    [to_bravo], [to_alpha] = alpha.peers.all(), bravo.peers.all()
    there, here = alpha.contacts.of(to_bravo.id), bravo.contacts.of(to_alpha.id)
    assert there.reached_at_ns is not None and there.seen_at_ns == there.reached_at_ns >= before_ns
    assert here.heard_at_ns is not None and here.seen_at_ns == here.heard_at_ns >= before_ns
    assert there.heard_at_ns is None and here.reached_at_ns is None
    assert there.protocol == 2
    for contact, identity in ((there, bravo.identity), (here, alpha.identity)):
        assert contact.certificate_until_ns == int(identity.expires_at.timestamp()) * NS_PER_S

    await bravo.contacts.close()
    later = PeerContacts(bravo.database)
    await later.load()
    assert later.of(to_alpha.id) == here
    await bravo.peers.remove("alpha", by="root")
    # Its last request was noted before, and is written now.
    bravo.contacts.reached(to_alpha.id)
    await bravo.contacts.close()
    gone = PeerContacts(bravo.database)
    await gone.load()
    assert gone.of(to_alpha.id) == Contact()


def test_the_latency_is_the_median_of_the_latest_short_answers(tmp_path: Path) -> None:
    contacts = PeerContacts(database_from_url(url(tmp_path / "never.db")))
    for us in (900_000, 1000, 3000):
        contacts.answered("b", us)
    assert contacts.of("b") == Contact(latency_us=3000)
    for _ in range(40):
        contacts.answered("b", 500)
    assert contacts.of("b").latency_us == 500


def test_a_certificate_that_never_expires_can_be_recorded(tmp_path: Path) -> None:
    """RFC 5280 writes "never" as the end of 9999, which is more nanoseconds than a row takes."""
    contacts = PeerContacts(database_from_url(url(tmp_path / "never.db")))
    key = Ed25519PrivateKey.generate()
    name = x509.Name([])
    never = x509.CertificateBuilder(name, name, key.public_key(), 1, datetime(2026, 1, 1), datetime(9999, 12, 31))
    contacts.certificate("b", never.sign(key, None).public_bytes(Encoding.DER))
    assert contacts.of("b") == Contact(certificate_until_ns=2**63 - 1)
