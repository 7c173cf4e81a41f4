"""A start with a bucket destroys nothing: database and bucket belong together, and only partials stay in the spool."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from blob_storages import BUCKET, SPOOL, endpoint, new_objects
from databases import ON_SERVER, url
from sieve.gateway.documents.blob_sweep import BlobSweep
from sieve.store.blob_place import Bucket, S3Address
from sieve.store.errors import BlobsUnreachable, BlobsUnusable
from sieve.store.key_source import KeyFile
from sieve.store.open_store import Holder, Store, open_store
from sieve.store.s3_objects import S3Objects
from store_rows import store_document


@dataclass
class Place:
    """A data folder, and a prefix of the bucket."""

    folder: Path
    prefix: str = field(default_factory=lambda: uuid4().hex)
    database: str = "sieve.db"
    bucket: str = BUCKET

    @property
    def spool(self) -> Path:
        return self.folder / "spool"

    @property
    def objects(self) -> S3Objects:
        return new_objects(prefix=self.prefix)

    def ids(self) -> set[str]:
        return {blob_id for blob_id, _ in self.objects.all()}

    @asynccontextmanager
    async def opened(self, *, adopt_blobs: bool = False) -> AsyncIterator[Store]:
        store = await open_store(
            url(self.folder / self.database),
            Bucket(S3Address(self.bucket, self.prefix, endpoint()), self.spool, SPOOL),
            KeyFile(self.folder / "master.key"),
            Holder("alpha", b"key"),
            now_ns=1_800_000_000_000_000_000,
            adopt_blobs=adopt_blobs,
        )
        yield store
        await store.close()

    async def start(self, *, adopt_blobs: bool = False) -> None:
        async with self.opened(adopt_blobs=adopt_blobs):
            pass

    async def refused(self) -> str:
        """The line; the same at the next start, and nothing changed."""
        before, lines = self.ids(), set()
        for _ in range(2):
            with pytest.raises(BlobsUnusable) as caught:
                await self.start()
            lines.add(str(caught.value))
        assert self.ids() == before and len(lines) == 1
        return lines.pop()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_documents_are_there_after_the_next_start_also_without_the_spool(place: Place) -> None:
    async with place.opened() as store:
        plain, sealed = await store_document(store)
    assert place.ids() == {plain.id, sealed.id}
    assert list(place.spool.glob("??/*"))
    async with place.opened() as store:
        assert not list(place.spool.glob("??/*")), "copies of an earlier run are not trusted"
        assert store.blobs.open_plain(plain).read(0, 5) == b"plain"
        assert store.blobs.open_sealed(sealed).read(0, 6) == b"secret"


async def test_another_database_is_refused_and_a_new_one_is_not_made(place: Place) -> None:
    async with place.opened() as store:
        await store_document(store)
    place.database = "seive.db"
    line = await place.refused()
    assert f" knows none of the blobs in s3://{BUCKET}/{place.prefix}; set SIEVE_DATABASE_URL" in line
    if not ON_SERVER:
        assert "seive.db knows none" in line and not (place.folder / "seive.db").exists()
    place.database = "sieve.db"
    await place.start()


async def test_the_bucket_of_another_gateway_is_refused_by_the_ids(place: Place, tmp_path: Path) -> None:
    other = Place(tmp_path / "other")
    other.folder.mkdir()
    for each in (place, other):
        await each.start()
    own, place.prefix = place.prefix, other.prefix
    assert "set SIEVE_DATABASE_URL and SIEVE_BLOBS to two that belong together" in await place.refused()
    place.prefix = own
    await place.start()


async def test_an_empty_prefix_is_refused_once_there_are_documents_unless_they_are_lost(place: Place) -> None:
    async with place.opened() as store:
        await store_document(store)
    place.prefix = uuid4().hex
    assert f"s3://{BUCKET}/{place.prefix} holds none of the 2 blobs that the database" in await place.refused()
    await place.start(adopt_blobs=True)
    await place.start()


async def test_blobs_without_an_id_are_refused_unless_they_are_ours(place: Place, tmp_path: Path) -> None:
    await place.start()
    place.prefix = uuid4().hex
    (tmp_path / "file").write_bytes(b"blob")
    place.objects.put(uuid4().hex, tmp_path / "file", 4)
    assert "holds blobs but no object folder-id" in await place.refused()
    await place.start(adopt_blobs=True)
    await place.start()


async def test_a_refused_sweep_is_released_by_a_start_that_adopts_the_blobs(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sieve.store.s3_sweep.FEW", 2)
    await place.start()
    (tmp_path / "file").write_bytes(b"blob")
    left = {uuid4().hex for _ in range(3)}
    for blob_id in left:
        place.objects.put(blob_id, tmp_path / "file", 4)

    async def swept(*, adopt_blobs: bool = False) -> set[str]:
        async with place.opened(adopt_blobs=adopt_blobs) as store:
            assert store.sweep is not None
            await BlobSweep(store.database, store.sweep).sweep()
        return {*place.objects.unknown()}

    assert await swept() == set()
    assert "they stay there. Is it an older one?" in caplog.text
    assert "start once with: sieve gateway --adopt-blobs" in caplog.text
    assert await swept(adopt_blobs=True) == left
    assert await swept() == left == place.ids(), "they are noted, and stay for 7 days"


async def test_a_bucket_that_is_not_there_makes_no_database(place: Place) -> None:
    place.bucket = "not-there"
    with pytest.raises(BlobsUnreachable, match="has no bucket not-there; create it or set SIEVE_BLOBS"):
        await place.start()
    assert not (place.folder / "sieve.db").exists()


async def test_a_spool_that_cannot_be_used_is_reported_in_one_line(place: Place) -> None:
    place.spool.write_text("a file")
    with pytest.raises(BlobsUnusable, match=rf"cannot use the spool {place.spool}: .*; make it writable or set"):
        await place.start()


async def test_the_sweep_notes_what_no_row_names_and_keeps_the_rest(place: Place, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"blob")
    async with place.opened() as store:
        refs = await store_document(store)
        left = uuid4().hex
        place.objects.put(left, tmp_path / "file", 4)
        assert store.sweep is not None
        sweep = BlobSweep(store.database, store.sweep)
        for _ in range(2):
            assert await sweep.sweep() == 0
    assert place.objects.unknown().keys() == {left}
    assert place.ids() == {left, *(ref.id for ref in refs)}


async def test_the_sweep_says_which_blobs_are_missing(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    async with place.opened() as store:
        _, sealed = await store_document(store)
        assert store.sweep is not None
        sweep = BlobSweep(store.database, store.sweep)
        await sweep.sweep()
        assert "missing" not in caplog.text
        place.objects.remove([sealed.id])
        await sweep.sweep()
    assert f"1 of 2 blobs that the database names are missing in s3://{BUCKET}/" in caplog.text
    assert sealed.id in caplog.text
