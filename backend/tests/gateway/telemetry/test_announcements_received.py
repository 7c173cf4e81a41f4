"""Announcements of a transfer: its author at one gateway and its recipients at the other receive them."""

from gateway.two_gateways import Pair, document
from sieve.gateway.telemetry.announcements import Change, Watcher


def taken(watcher: Watcher) -> list[Change]:
    found = []
    while (change := watcher.take()) is not None:
        found.append(change)
    return found


async def test_the_author_hears_of_every_step_and_the_reader_once_it_is_there(pair: Pair) -> None:
    told = pair.bravo.attempts.deps.announcements
    other = await pair.bravo.person("otto", recipient=True)
    with (
        pair.alpha.bus.announcements.watching(pair.anna.id) as author,
        told.watching(pair.bruno.id) as reader,
        told.watching(other.id) as stranger,
    ):
        for watcher in (author, reader, stranger):
            taken(watcher)
        transfer_id = await pair.delivers(document())
        assert taken(author) == [Change("transfer", transfer_id)]
        assert taken(reader) == [Change("inbox")]
        assert taken(stranger) == []


async def test_transfers_that_fail_with_the_pairing_are_announced(pair: Pair) -> None:
    pair.alpha.working = False
    await pair.alpha.stop()
    await pair.alpha.start()
    failed: list[tuple[str, str | None]] = []
    pair.alpha.peers.on_failed.append(lambda transfer: failed.append((transfer.id, transfer.reason)))
    transfer_id = await pair.send(document(1000, 1, 10))
    await pair.alpha.peers.remove("bravo", by="admin")
    assert [(told, reason is not None and "pairing" in reason) for told, reason in failed] == [(transfer_id, True)]
