"""Redacted edition and marks of a file travel with it, never in plain: the one for the uncleared, the others for the
cleared."""

import asyncio
import errno
import json
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from blake3 import blake3

from any_files import GOOD, SECRET
from gateway.two_gateways import PATIENCE_S, Node, Pair, paired, until
from sieve import marks_file
from sieve.channel.attempt import Plan
from sieve.channel.manifest import RedactedEdition
from sieve.core.document import Document
from sieve.core.separate import separate
from sieve.core.units import Mark
from sieve.formats.marker import MARKER
from sieve.formats.reading import read, read_as
from sieve.formats.registry import MEDIA_TYPES
from sieve.gateway.clock import now_ns
from sieve.gateway.documents.verification import Delivery, of_plain_part, of_whole
from sieve.gateway.peering.hello import Hello
from sieve.gateway.peering.links import Link
from sieve.gateway.reading.errors import ReadingBusy
from sieve.gateway.reading.file import File
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.stored_document import StoredDocument, tail
from sieve.store.blobs import BlobStore, SealedWriter
from sieve.store.models import Document as Row
from sieve.store.models import new_id
from sieve.store.queries import documents, inbox


@pytest.fixture(scope="module")
def reading() -> Iterator[ReadingService]:
    """One for both gateways of each test."""
    made = ReadingService(ReadingLimits(), processes=1, max_bytes=64 << 20)
    yield made
    asyncio.run(made.close())


@pytest.fixture
async def pair(tmp_path: Path, template: Path, reading: ReadingService) -> AsyncIterator[Pair]:
    shared = {"shared_reading": reading}
    async with paired(tmp_path, template, alpha=shared, bravo=shared) as both:
        yield both


FILES = ["memo.docx", "pay.xlsx", "report.pdf", "pay.csv", "log.jsonl"]


def marked(name: str) -> tuple[Document, list[Mark]]:
    """A file, and its marks: all that holds the secret."""
    _, data = GOOD[name]
    reading = read(name, data)
    marks = [Mark(unit.address) for unit in reading.units() if SECRET in unit.text]
    return Document(data, reading.spans(marks)), marks


async def keep(pair: Pair, name: str) -> str:
    """Takes a marked file in, as a file draft's save is; its id."""
    alpha, kind = pair.alpha, GOOD[name][0]
    document, marks = marked(name)
    streams, made = separate(document), new_id()
    plain = alpha.blobs.new_plain(owner=made, purpose="document")
    plain.write_at(0, [streams.plain])
    sealed, of_marks = (alpha.blobs.new_sealed(owner=made, purpose=what) for what in ("document", "marks"))
    sealed.write(streams.secure + tail(blake3(streams.secure).digest(), document.spans))
    of_marks.write(marks_file.print_marks(marks))
    async with alpha.database.write() as session:
        row = await documents.add(
            session,
            document_id=made,
            owner_id=pair.anna.id,
            origin="authored",
            name=name,
            media_type=MEDIA_TYPES.get(kind, "application/octet-stream"),
            size=document.size,
            classified_size=document.classified_size,
            plain_digest=blake3(streams.plain).hexdigest(),
            plain_blob=plain.finish(len(streams.plain)),
            sealed_blob=sealed.finish(),
            sieve_ns=1000,
            now_ns=now_ns(),
            format_name=kind,
            marks=len(marks),
            marks_blob=of_marks.finish(),
        )
    return row.id


async def arrived(pair: Pair, transfer_id: str) -> tuple[Row, StoredDocument]:
    """The document at bravo."""
    assert (await pair.alpha.ended(transfer_id)).state == "delivered"
    async with pair.bravo.database.read() as session:
        (entry,) = await inbox.find(session, pair.bruno.id, transfer_id)
    row = entry.received.document
    return row, StoredDocument.of(pair.bravo.blobs, row)


def decoded(data: bytes) -> bytes:
    """What is in a file, as far as somebody who unpacks it sees."""
    if not data.startswith(b"PK"):
        return data
    with ZipFile(BytesIO(data)) as archive:
        return b"\n".join(archive.read(name) for name in archive.namelist())


async def verified(node: Node, pair: Pair, transfer_id: str, row: Row, stored: StoredDocument) -> list[str]:
    """The names of what was checked, all of which holds: by who is cleared, and by who is not."""
    async with node.database.read() as session:
        (entry,) = await inbox.find(session, pair.bruno.id, transfer_id)
        manifest = await session.get_one(type(row.plain_blob), entry.received.manifest_blob_id)
    delivery = Delivery(transfer_id, entry.received.receipt, "bravo", pair.bravo.identity.receipt_public_key)
    uncleared = of_plain_part(delivery, node.blobs, manifest.ref, stored)
    cleared = of_whole(delivery, node.blobs, manifest.ref, stored)
    assert uncleared.valid and cleared.valid
    return [check.name for check in (*uncleared.checks, *cleared.checks)]


@pytest.mark.parametrize("plan", [Plan("sieve", 3, 2), Plan("secure-only", 2)], ids=lambda plan: plan.mode)
async def test_a_batch_of_files_arrives_each_with_its_edition(pair: Pair, plan: Plan) -> None:
    before = pair.bravo.files()
    kept = [await keep(pair, name) for name in FILES]
    sent = await pair.alpha.transfer_queue.send(pair.anna, kept, {"bravo": ["bruno"]}, plan)
    editions: list[bytes] = []
    for name, transfer in zip(FILES, sent, strict=True):
        row, stored = await arrived(pair, transfer.id)
        document, marks = marked(name)
        assert b"".join(stored.full()) == document.content
        assert b"".join(stored.plain_stream()) == separate(document).plain, "nothing of edition and marks went that way"
        edition = b"".join(stored.redacted_edition())
        assert len(edition) == row.redacted_size == transfer.redacted_size and transfer.redacted_note is None
        editions.append(edition)
        assert marks_file.read_marks(json.loads(stored.marks())) == marks
        assert len(stored.marks()) == transfer.marks_size == 1024
        assert not any(word.encode() in decoded(edition) for word in SECRET.split())
        units = [*read_as(GOOD[name][0], edition).units()]
        assert units and not any(SECRET in unit.text for unit in units)
        assert "redacted_digest" in await verified(pair.bravo, pair, transfer.id, row, stored)
    assert pair.bravo.files() == before + 4 * len(FILES)
    # They show where something is classified, so they are sealed at rest. A digest would confirm a guess.
    for path in pair.bravo.blob_paths():
        assert not any(shown in path.read_bytes() for shown in (MARKER.encode(), b'"address"'))
    for node in (pair.alpha, pair.bravo):
        at_rest = b"".join(path.read_bytes() for path in node.folder.glob("sieve.db*"))
        for edition in editions:
            digest = blake3(edition)
            assert digest.digest() not in at_rest and digest.hexdigest().encode() not in at_rest
    async with pair.bravo.database.write() as session:
        for transfer in sent:
            (entry,) = await inbox.find(session, pair.bruno.id, transfer.id)
            for ref in await inbox.delete(session, entry, now_ns()):
                pair.bravo.blobs.delete(ref)
    assert pair.bravo.files() == before


async def test_it_is_made_once_and_a_text_has_none(pair: Pair) -> None:
    kept = await keep(pair, "pay.csv")
    first, again = [
        (await pair.alpha.transfer_queue.send(pair.anna, [kept], {"bravo": ["bruno"]}, Plan("sieve")))[0]
        for _ in range(2)
    ]
    (_, one), (_, other) = await arrived(pair, first.id), await arrived(pair, again.id)
    assert b"".join(one.redacted_edition()) == b"".join(other.redacted_edition()) != b""
    row, _ = await arrived(pair, await pair.send(b"open <$S>secret<$E>"))
    assert row.redacted_size is None and row.redacted_blob_id is None


async def test_a_file_is_sent_without_an_edition_that_cannot_be_made_and_its_author_sees_why(pair: Pair) -> None:
    kept = await keep(pair, "photo.heic")
    [sent] = await pair.alpha.transfer_queue.send(pair.anna, [kept], {"bravo": ["bruno"]}, Plan("sieve"))
    assert (sent.redacted_size, sent.redacted_note) == (
        None,
        "it is sent without a redacted edition, because files of this kind have none",
    )
    row, stored = await arrived(pair, sent.id)
    assert row.redacted_size is None and b"".join(stored.full()) == GOOD["photo.heic"][1]


async def test_a_peer_that_takes_no_marks_gets_the_edition_alone(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Link.hello

    async def older(self: Link, *arguments: Any) -> Hello:
        return replace(await real(self, *arguments), manifests=(1, 2))

    monkeypatch.setattr(Link, "hello", older)
    kept = await keep(pair, "memo.docx")
    [sent] = await pair.alpha.transfer_queue.send(pair.anna, [kept], {"bravo": ["bruno"]}, Plan("sieve"))
    row, stored = await arrived(pair, sent.id)
    assert row.redacted_size and stored.marks() == b"" and b"".join(stored.full()) == GOOD["memo.docx"][1]
    settled = await pair.alpha.row(sent.id)
    assert (settled.redacted_size, settled.redacted_note, settled.marks_size) == (row.redacted_size, None, None)


async def test_an_older_peer_gets_the_file_without_it(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Link.hello

    async def older(self: Link, *arguments: Any) -> Hello:
        hello = await real(self, *arguments)
        return Hello(hello.name, (1,), hello.max_document_bytes, hello.plain_url)

    monkeypatch.setattr(Link, "hello", older)
    kept = await keep(pair, "memo.docx")
    [sent] = await pair.alpha.transfer_queue.send(pair.anna, [kept], {"bravo": ["bruno"]}, Plan("sieve"))
    assert sent.redacted_size, "known only once the peer was greeted"
    row, stored = await arrived(pair, sent.id)
    assert row.redacted_size is None and b"".join(stored.full()) == GOOD["memo.docx"][1]
    settled = await pair.alpha.row(sent.id)
    assert settled.redacted_size is None and settled.marks_size is None
    assert settled.redacted_note == (
        "it is sent without a redacted edition, because bravo runs an older version that accepts none"
    )
    # The receipt is for the manifest that was sent, and so is what is kept of it here.
    delivery = Delivery(sent.id, settled.receipt or "", "bravo", pair.bravo.identity.receipt_public_key)
    kept_here = StoredDocument.of(pair.alpha.blobs, settled.document)
    assert of_whole(delivery, pair.alpha.blobs, settled.manifest_blob.ref, kept_here).valid


async def kept_row(pair: Pair, name: str) -> Row:
    """A marked file that was taken in, loaded with its blobs."""
    kept = await keep(pair, name)
    async with pair.alpha.database.read() as session:
        row = await documents.owned(session, kept, pair.anna.id)
    assert row is not None
    return row


async def test_a_temporary_edition_is_deleted_even_if_nobody_reads_it(pair: Pair) -> None:
    row = await kept_row(pair, "pay.csv")
    before = pair.alpha.files()
    size, pieces = await pair.alpha.transfer_queue.editions.to_read(File.of(pair.alpha.blobs, row))
    assert len(b"".join(pieces)) == size > 0 and pair.alpha.files() == before
    _, unread = await pair.alpha.transfer_queue.editions.to_read(File.of(pair.alpha.blobs, row))
    assert pair.alpha.files() == before + 1
    del unread
    assert pair.alpha.files() == before


@pytest.mark.parametrize(("owner", "step"), [(BlobStore, "new_sealed"), (SealedWriter, "finish")])
async def test_an_edition_is_deleted_if_its_request_was_cancelled(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, owner: type, step: str
) -> None:
    row = await kept_row(pair, "pay.csv")
    before, real = pair.alpha.files(), getattr(owner, step)
    there, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def slowly(*arguments: Any, **more: Any) -> Any:
        there.set()
        go_on.wait(PATIENCE_S)
        try:
            return real(*arguments, **more)
        finally:
            done.set()

    with monkeypatch.context() as disk:
        disk.setattr(owner, step, slowly)
        asking = asyncio.create_task(pair.alpha.transfer_queue.editions.of(row))
        assert await asyncio.to_thread(there.wait, PATIENCE_S)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert asking.cancelled()
        go_on.set()
        assert await asyncio.to_thread(done.wait, PATIENCE_S)
    await until(lambda: pair.alpha.files() == before)
    assert isinstance(await pair.alpha.transfer_queue.editions.of(row), RedactedEdition)


async def test_a_busy_reading_service_is_no_reason_to_send_without_an_edition(
    tmp_path: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    async with paired(tmp_path, template) as pair:
        row = await kept_row(pair, "pay.csv")
        with monkeypatch.context() as machine:
            machine.setattr(subprocess, "Popen", fails)
            with pytest.raises(ReadingBusy, match="temporarily unavailable; try again"):
                await pair.alpha.transfer_queue.editions.of(row)
        assert isinstance(await pair.alpha.transfer_queue.editions.of(row), RedactedEdition)


async def test_a_disk_that_breaks_is_no_reason_to_go_without(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise OSError(5, "Input/output error")

    row = await kept_row(pair, "pay.csv")
    before = pair.alpha.files()
    with monkeypatch.context() as disk:
        disk.setattr(SealedWriter, "write", breaks)
        with pytest.raises(OSError, match="Input/output error"):
            await pair.alpha.transfer_queue.editions.of(row)
    assert pair.alpha.files() == before
    assert isinstance(await pair.alpha.transfer_queue.editions.of(row), RedactedEdition)
