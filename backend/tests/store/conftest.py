"""A migrated database for each test (migrated once, then copied), a blob folder, and rows to begin with."""

import random
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from sieve.store.blobs import BlobRef, BlobStore
from sieve.store.database import Database
from sieve.store.keys import MasterKeys
from store_rows import url


@pytest.fixture
async def database(migrated: Path, tmp_path: Path) -> AsyncIterator[Database]:
    path = tmp_path / "sieve.db"
    shutil.copyfile(migrated, path)
    database = Database(url(path))
    yield database
    await database.dispose()


@pytest.fixture
async def session(database: Database) -> AsyncIterator[AsyncSession]:
    """One writing transaction for the whole test."""
    async with database.write() as session:
        yield session


@pytest.fixture(scope="session")
def keys() -> MasterKeys:
    return MasterKeys([bytes(range(32))])


@pytest.fixture
def blobs(tmp_path: Path, keys: MasterKeys) -> BlobStore:
    return BlobStore(tmp_path / "blobs", keys)


@pytest.fixture(scope="session")
def plain_of_600_k(tmp_path_factory: pytest.TempPathFactory, keys: MasterKeys) -> tuple[BlobStore, bytes, BlobRef]:
    """A plain blob longer than a reader's window, and its content."""
    blobs = BlobStore(tmp_path_factory.mktemp("plain"), keys)
    content = random.Random(1).randbytes(600_000)
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [content])
    writer.sync()
    return blobs, content, writer.ref(len(content))


@pytest.fixture(scope="session")
def sealed_of_600_k(tmp_path_factory: pytest.TempPathFactory, keys: MasterKeys) -> tuple[BlobStore, bytes, BlobRef]:
    """A sealed blob of three segments, and its content."""
    blobs = BlobStore(tmp_path_factory.mktemp("sealed"), keys)
    content = random.Random(2).randbytes(600_000)
    writer = blobs.new_sealed(owner="d", purpose="document")
    writer.write(content)
    return blobs, content, writer.finish()
