"""Ingest: in any pieces, exactly the document is stored; after any error, nothing is."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from databases import url
from documents import byte_documents, cuts, marked_texts
from gateway.two_gateways import PATIENCE_S
from sieve.core import markup
from sieve.core.document import Document, Spans
from sieve.core.errors import MarkupError, NotUtf8, SpanError
from sieve.core.separate import separate
from sieve.gateway.documents.ingest import BadMediaType, DocumentTooLarge, Ingest
from sieve.gateway.errors import Conflict
from sieve.gateway.stored_document import StoredDocument
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import DatabaseBusy, StorageFull
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Document as Row
from sieve.store.queries import documents, people
from sieve.store.sealed_blob import SEGMENT

LIMIT = 100_000
SECRET = b"the very secret word"


class Intake:
    """An ingest with its own database and blobs, and one author."""

    def __init__(self, folder: Path, blobs_folder: Path) -> None:
        self.folder, self.blobs_folder = folder, blobs_folder
        self.database = database_from_url(url(folder / "sieve.db"))
        self.blobs = BlobStore(BlobFolder(blobs_folder), MasterKeys([bytes(32)]))
        self.ingest = Ingest(self.database, self.blobs, LIMIT)
        self.owner_id = ""

    async def open(self) -> None:
        async with self.database.write() as session:
            self.owner_id = (await people.add(session, name="anna", display_name="Anna", now_ns=1)).id

    async def marked(self, pieces: Iterable[bytes], media_type: str = "text/plain") -> Row:
        with await self.ingest.stage_marked_text(_arriving(pieces), media_type) as staged:
            return await self.ingest.commit(staged, owner_id=self.owner_id, name="a")

    async def with_spans(
        self, pieces: Iterable[bytes], spans: Spans, media_type: str = "application/octet-stream"
    ) -> Row:
        with await self.ingest.stage_with_spans(_arriving(pieces), spans, media_type) as staged:
            return await self.ingest.commit(staged, owner_id=self.owner_id, name="a")

    async def stored(self, document_id: str) -> StoredDocument:
        async with self.database.read() as session:
            return StoredDocument.of(self.blobs, await documents.by_id(session, document_id))

    async def is_empty(self) -> bool:
        async with self.database.read() as session:
            rows = await documents.of_owner(session, self.owner_id)
        return not rows and not self.files()

    def files(self) -> list[Path]:
        return [path for path in self.blobs_folder.rglob("*") if path.is_file()]


async def _arriving(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        await asyncio.sleep(0)
        yield piece


@pytest.fixture(scope="module")
def blobs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests, left without files by each."""
    return tmp_path_factory.mktemp("blobs")


@pytest.fixture
async def intake(tmp_path: Path, migrated: Path, blobs_folder: Path) -> AsyncIterator[Intake]:
    shutil.copyfile(migrated, tmp_path / "sieve.db")
    intake = Intake(tmp_path, blobs_folder)
    await intake.open()
    yield intake
    await intake.database.dispose()
    for path in intake.files():
        path.unlink()


# One database for all examples: a document more in it changes nothing for the next.
over_examples = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@over_examples
@given(data=st.data())
async def test_a_marked_text_is_stored_as_what_it_writes(intake: Intake, data: st.DataObject) -> None:
    marked = data.draw(marked_texts())
    document = markup.parse(marked)
    row = await intake.marked(data.draw(cuts(marked)))
    await _check(intake, row, document)
    assert b"".join((await intake.stored(row.id)).marked()) == marked


@over_examples
@given(data=st.data())
async def test_bytes_with_spans_are_stored_as_given(intake: Intake, data: st.DataObject) -> None:
    document = data.draw(byte_documents())
    row = await intake.with_spans(data.draw(cuts(document.content)), document.spans)
    await _check(intake, row, document)


async def _check(intake: Intake, row: Row, document: Document) -> None:
    stored = await intake.stored(row.id)
    streams = separate(document)
    assert (row.size, row.classified_size) == (document.size, document.classified_size)
    assert stored.spans == document.spans
    assert b"".join(stored.full()) == document.content
    assert stored.read_plain(0, stored.plain_size) == streams.plain
    assert row.plain_digest == blake3(streams.plain).hexdigest()
    assert stored.classified_digest == blake3(streams.secure).digest()


async def test_no_file_holds_what_is_classified(intake: Intake) -> None:
    row = await intake.marked([b"plain <$S>" + SECRET, SECRET + b"<$E> plain"])
    spans = (await intake.stored(row.id)).spans.to_bytes()
    files = [*intake.files(), *intake.folder.glob("sieve.db*")]
    assert len(files) > 2
    for path in files:
        data = path.read_bytes()
        assert SECRET not in data and spans not in data


@pytest.mark.parametrize("media_type", ["image/png", "text/plain; charset=latin-1", "", "text/", "a/b\n", "x" * 300])
async def test_marked_text_is_text(intake: Intake, media_type: str) -> None:
    with pytest.raises(BadMediaType):
        await intake.marked([b"a"], media_type)
    assert await intake.is_empty()


async def test_text_given_with_spans_is_checked_as_text(intake: Intake) -> None:
    with pytest.raises(NotUtf8):
        await intake.with_spans([b"ok\xff"], Spans.EMPTY, "text/plain")
    with pytest.raises(SpanError, match="inside a character"):
        await intake.with_spans(["é".encode()], Spans.of([(1, 2)]), "text/plain")
    with pytest.raises(SpanError, match="past the end"):
        await intake.with_spans([b"abc"], Spans.of([(1, 4)]), "text/plain")
    assert await intake.is_empty()


@pytest.mark.parametrize("bad", [b"<$E>", b"<$S>", b"<$S><$S>", b"\xff"])
async def test_what_is_not_well_formed_leaves_nothing(intake: Intake, bad: bytes) -> None:
    with pytest.raises(MarkupError):
        await intake.marked([b"x" * 5000, b"<$S>" + SECRET + b"<$E>", bad])
    assert await intake.is_empty()


@over_examples
@given(data=st.data())
async def test_an_error_has_its_line_and_column(intake: Intake, data: st.DataObject) -> None:
    bad = data.draw(st.sampled_from([b"<$E>", b"\n<$S>", b"a<$S><$S>", b"\xff"]))
    marked = data.draw(marked_texts()) + bad
    with pytest.raises(MarkupError) as expected:
        markup.parse(marked)
    with pytest.raises(MarkupError) as found:
        await intake.marked(data.draw(cuts(marked)))
    assert (type(found.value), str(found.value)) == (type(expected.value), str(expected.value))


async def test_an_error_has_its_line_and_column_after_sealed_segments(intake: Intake) -> None:
    lines = b"a\n" * (SEGMENT // 2 + 5)
    intake.ingest = Ingest(intake.database, intake.blobs, 10 * SEGMENT)
    with pytest.raises(
        MarkupError,
        match=f"^line {2 * (SEGMENT // 2 + 5) + 1}, column 5: <.S> opens a span inside the "
        f"one opened at line {SEGMENT // 2 + 6}, column 1;",
    ):
        await intake.marked([lines, b"<$S>" + lines, b"abcd<$S>"])
    assert await intake.is_empty()


async def test_the_limit_is_on_the_content(intake: Intake) -> None:
    # Tags are no content, and neither is the $ that escapes one.
    await intake.marked([b"<$S><$E>" * 1000 + b"x" * LIMIT])
    with pytest.raises(DocumentTooLarge, match=f"{LIMIT} bytes"):
        await intake.with_spans([b"x" * LIMIT, b"y"], Spans.EMPTY)
    assert len(intake.files()) == 2


async def test_a_request_without_end_is_ended(intake: Intake) -> None:
    """It may hold nothing but tags, and so no content that could be too large."""

    class Counted:
        taken = 0

        def __iter__(self) -> "Counted":
            return self

        def __next__(self) -> bytes:
            self.taken += 1
            return b"<$S><$E>" * 30_000

    endless = Counted()
    with pytest.raises((DocumentTooLarge, MarkupError)):
        await intake.marked(endless)
    assert endless.taken < 40
    assert await intake.is_empty()


async def test_a_broken_request_leaves_nothing(intake: Intake) -> None:
    def breaking() -> Iterable[bytes]:
        yield b"x" * 1000
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await intake.marked(breaking())
    assert await intake.is_empty()


async def test_a_busy_database_leaves_nothing(intake: Intake) -> None:
    impatient = database_from_url(url(intake.folder / "sieve.db"), busy_s=0.05)
    ingest = Ingest(impatient, intake.blobs, LIMIT)
    async with intake.database.write() as session:
        await session.execute(text("SELECT 1"))  # a transaction begins with its first statement
        with await ingest.stage_marked_text(_arriving([b"x"]), "text/plain") as staged, pytest.raises(DatabaseBusy):
            await ingest.commit(staged, owner_id=intake.owner_id, name="a")
    await impatient.dispose()
    assert await intake.is_empty()


async def test_a_full_disk_leaves_nothing(intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise StorageFull("there is no room left")

    monkeypatch.setattr(BlobStore, "sync_names", full)
    with pytest.raises(StorageFull):
        await intake.marked([b"x"])
    assert await intake.is_empty()


async def test_a_document_that_is_staged_and_not_committed_leaves_nothing(intake: Intake) -> None:
    with await intake.ingest.stage_marked_text(_arriving([b"a<$S>b<$E>"]), "text/plain"):
        assert len(intake.files()) == 2
    assert await intake.is_empty()


async def test_a_transaction_that_fails_before_the_row_leaves_nothing(intake: Intake) -> None:
    staging = await intake.ingest.stage_marked_text(_arriving([b"a<$S>b<$E>"]), "text/plain")
    with pytest.raises(Conflict), staging as staged:
        async with intake.database.write() as session:
            raise Conflict(f"{staged.id} in {session}")
    assert await intake.is_empty()


async def test_a_row_that_the_database_refuses_leaves_nothing(intake: Intake) -> None:
    staging = await intake.ingest.stage_marked_text(_arriving([b"a<$S>b<$E>"]), "text/plain")
    with pytest.raises(IntegrityError), staging as staged:
        await intake.ingest.commit(staged, owner_id="nobody", name="a")
    assert await intake.is_empty()


async def test_given_up_while_syncing_the_files_go_when_the_disk_is_done(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that syncs cannot be stopped, and its files must not be closed under it."""
    loop = asyncio.get_running_loop()
    syncing, let_go = asyncio.Event(), asyncio.Event()

    def slow(_: object) -> None:
        loop.call_soon_threadsafe(syncing.set)
        asyncio.run_coroutine_threadsafe(let_go.wait(), loop).result()

    monkeypatch.setattr(BlobStore, "sync_names", slow)
    taking = asyncio.create_task(intake.marked([b"x"]))
    await syncing.wait()
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert len(intake.files()) == 2
    let_go.set()
    async with asyncio.timeout(PATIENCE_S):
        while intake.files():
            await asyncio.sleep(0)
    assert await intake.is_empty()


async def test_the_sieves_time_is_its_own(tmp_path: Path, intake: Intake) -> None:
    ticks = iter(range(0, 1000, 7))
    intake.ingest = Ingest(intake.database, intake.blobs, LIMIT, stopwatch_ns=lambda: next(ticks))
    row = await intake.marked([b"a", b"b"])
    assert row.sieve_ns == 3 * 7  # two pieces and the end
