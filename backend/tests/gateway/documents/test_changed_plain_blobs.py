"""A bit that flips in a stored plain blob: of what is sent, and of what was received.

Each read at either gateway notices it. The sender blames its own disk and stops at once.
"""

import asyncio
import errno
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from databases import by_hand
from gateway.two_gateways import Node, Pair, document
from gateway.ways import over
from sieve.channel.attempt import Mode
from sieve.gateway.documents import plain_blob_tags as tagging
from sieve.gateway.documents.plain_blob_tags import PlainBlobTagger
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blobs import BlobDamaged, BlobRef
from sieve.store.plain_blob import CHANGED
from sieve.store.queries import blobs, documents
from sieve.store.segment_tags import SEGMENT, SegmentTags

DOCUMENT = document(900_000, 3)
SMALL = document(5000, 1)
PLAIN_SIZE = DOCUMENT.plain_size
PLACES = {"first": 5, "middle": SEGMENT + 7, "last": PLAIN_SIZE - 1}


@pytest.fixture
def pair(pair_over_any: Pair) -> Pair:
    return pair_over_any


def plain_file(node: Node) -> Path:
    [found] = [path for path in node.blob_paths() if path.stat().st_size == PLAIN_SIZE]
    return found


def flip(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 128]))


async def forget_tags(node: Node) -> None:
    """As if the blobs were stored before there were tags."""
    await change(node, "UPDATE blobs SET tags = NULL, key_id = NULL, wrapped_key = NULL WHERE kind = 'plain'")


async def change(node: Node, statement: str) -> None:
    """Runs a statement on the gateway's database. In a thread: a transaction of the gateway may have to end first."""

    def run() -> None:
        with by_hand(node.folder / "sieve.db") as database:
            database.execute(statement)

    await asyncio.to_thread(run)


async def queued(pair: Pair, mode: Mode = "sieve") -> str:
    """A transfer whose documents lie at alpha; bravo is not there yet."""
    await pair.bravo.stop()
    return await pair.send(DOCUMENT, mode)


async def fails_at_once(pair: Pair, transfer_id: str) -> None:
    """By the first attempt that reaches bravo; what goes with it arrives."""
    ended = await pair.alpha.ended(transfer_id)
    assert (ended.state, ended.reason) == ("failed", f"the stored document cannot be read: {CHANGED}")
    await pair.companions_arrived(transfer_id)
    assert set(await pair.bravo.entries(pair.bruno)) == {each for each, _ in pair.companions[transfer_id]}


@over("batch", seldom="1+1")
@pytest.mark.parametrize(("mode", "place"), [("sieve", "first"), ("secure-only", "middle"), ("sieve", "last")])
async def test_a_sender_names_its_own_disk_and_stops(
    pair: Pair, mode: Any, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    transfer_id = await queued(pair, mode)
    path = plain_file(pair.alpha)
    flip(path, PLACES[place])
    with caplog.at_level(logging.ERROR, "sieve.gateway"):
        await pair.bravo.start()
        await fails_at_once(pair, transfer_id)
    told = {record.getMessage() for record in caplog.records if not record.exc_info}
    file = f"{path.parent.name}/{path.name} in the blob folder"
    assert told == {f"transfer {transfer_id} cannot be read: {CHANGED} ({file}, of d)"}


@over("batch", seldom="1+1")
async def test_so_does_one_whose_blob_has_no_tags(pair: Pair) -> None:
    transfer_id = await queued(pair)
    await forget_tags(pair.alpha)
    flip(plain_file(pair.alpha), PLACES["last"])
    await pair.bravo.start()
    await fails_at_once(pair, transfer_id)


async def test_a_blob_without_tags_is_sent_as_it_was(pair: Pair) -> None:
    transfer_id = await queued(pair)
    await forget_tags(pair.alpha)
    await pair.bravo.start()
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)


@over("batch", seldom="1+1")
async def test_if_the_peer_reports_damage_the_sender_checks_its_own_blob_first(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though nothing was noticed while it was read."""
    transfer_id = await queued(pair)
    flip(plain_file(pair.alpha), PLACES["middle"])
    monkeypatch.setattr(SegmentTags, "hold", lambda *_: True)
    await pair.bravo.start()
    await fails_at_once(pair, transfer_id)


@over("batch", seldom="1+1")
async def test_if_that_is_unchanged_it_says_so_and_tries_again(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one bit that flipped in memory."""
    real, flipped = StoredDocument.read_plain, list[int]()

    def once(stored: StoredDocument, start: int, end: int) -> bytes:
        read = real(stored, start, end)
        if stored.size != DOCUMENT.size or flipped or not read:
            return read
        flipped.append(start)
        return bytes([read[0] ^ 1]) + read[1:]

    transfer_id = await queued(pair)
    monkeypatch.setattr(StoredDocument, "read_plain", once)
    await pair.bravo.start()
    tried = await pair.alpha.becomes(transfer_id, lambda told: "digest" in (told.reason or ""))
    theirs = "bravo: the plain stream does not fit its digest"
    assert (tried.state, tried.reason) == ("queued", f"{theirs}; this gateway's stored file of it is unchanged")
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    await pair.arrived(transfer_id, DOCUMENT)


@pytest.mark.parametrize("mode", ["sieve", "secure-only"])
async def test_what_was_received_is_checked_whichever_way_it_came(pair: Pair, mode: Any) -> None:
    transfer_id = await pair.delivers(DOCUMENT, mode)
    path = plain_file(pair.bravo)
    for at in PLACES.values():
        flip(path, at)
        with pytest.raises(BlobDamaged, match="was changed on its disk"):
            await pair.bravo.content(pair.bruno, transfer_id)
        flip(path, at)
    await pair.arrived(transfer_id, DOCUMENT)


# --- blobs from before there were tags -------------------------------------------------------------------------------


@over("1+1")
async def test_tags_are_given_later_to_what_fits_its_digest(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    alpha = pair.alpha
    await pair.bravo.stop()
    good, bad = [await alpha.keep(each, pair.anna) for each in (SMALL, DOCUMENT)]
    await forget_tags(alpha)
    flip(plain_file(alpha), PLACES["middle"])
    tagger = PlainBlobTagger(alpha.database, alpha.blobs)
    with caplog.at_level(logging.ERROR, "sieve.gateway.documents.plain_blob_tags"):
        assert await tagger.tag_all() == 1
    [told] = caplog.messages
    assert told.startswith(f"document {bad} changed on the disk before its file had tags: {CHANGED} (")
    assert without_tags(alpha) == [bad]

    flip(plain_file(alpha), PLACES["middle"])  # restored from a backup
    assert [await tagger.tag_all() for _ in range(2)] == [1, 0]
    assert without_tags(alpha) == []

    flip(plain_file(alpha), PLACES["first"])
    [path] = [path for path in alpha.blob_paths() if path.stat().st_size == SMALL.plain_size]
    flip(path, 1)
    for document_id in (good, bad):
        with pytest.raises(BlobDamaged, match="was changed on its disk"):
            await read(alpha, document_id)


@over("1+1")
async def test_what_is_deleted_meanwhile_is_no_damage(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    await pair.bravo.stop()
    await pair.alpha.keep(DOCUMENT, pair.anna)
    await forget_tags(pair.alpha)
    tagger = PlainBlobTagger(pair.alpha.database, pair.alpha.blobs)
    await change(pair.alpha, "UPDATE documents SET deleted_at_ns = 1")
    plain_file(pair.alpha).unlink()
    assert (await tagger.tag_all(), caplog.messages) == (0, [])


@over("1+1")
async def test_a_file_that_cannot_be_read_keeps_no_other_waiting(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    alpha = pair.alpha
    await pair.bravo.stop()
    for each in (SMALL, DOCUMENT):
        await alpha.keep(each, pair.anna)
    await forget_tags(alpha)
    real, failing = alpha.blobs.tag, [OSError(errno.EIO, "Input/output error")]

    def tag(*asked: Any) -> BlobRef:
        if failing:
            raise failing.pop()
        return real(*asked)

    monkeypatch.setattr(alpha.blobs, "tag", tag)
    tagger = PlainBlobTagger(alpha.database, alpha.blobs)
    assert [await tagger.tag_all() for _ in range(2)] == [1, 1]


@over("1+1")
async def test_a_database_that_fails_ends_no_tagging(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends beside the gateway's work ends the gateway."""
    alpha, twice, asked = pair.alpha, asyncio.Event(), 0

    async def untagged(*_: object, **__: object) -> Any:
        nonlocal asked
        asked += 1
        if asked == 2:
            twice.set()
        raise OperationalError("SELECT", {}, sqlite3.OperationalError("disk I/O error"))

    monkeypatch.setattr(blobs, "untagged", untagged)
    monkeypatch.setattr(tagging, "AGAIN_S", 0)
    running = asyncio.create_task(PlainBlobTagger(alpha.database, alpha.blobs).run())
    waiting = asyncio.create_task(twice.wait())
    await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
    assert twice.is_set()
    running.cancel()
    await asyncio.wait([running])


def without_tags(node: Node) -> list[str]:
    """The documents whose plain blobs have none."""
    with by_hand(node.folder / "sieve.db") as database:
        wanted = "SELECT documents.id FROM documents JOIN blobs ON blobs.id = plain_blob_id WHERE tags IS NULL"
        return [row[0] for row in database.execute(wanted)]


async def read(node: Node, document_id: str) -> bytes:
    async with node.database.read() as session:
        return b"".join(StoredDocument.of(node.blobs, await documents.by_id(session, document_id)).full())
