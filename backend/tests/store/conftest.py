"""A migrated database for each test (migrated once, then copied), a blob folder, and rows to begin with."""

import random
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from blob_storages import new_storage
from databases import url
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobRef, BlobStore
from sieve.store.database import Database
from sieve.store.database_from_url import database_from_url
from sieve.store.master_keys import MasterKeys
from store.data_folder import Place


@pytest.fixture
async def database(migrated: Path, tmp_path: Path) -> AsyncIterator[Database]:
    path = tmp_path / "sieve.db"
    shutil.copyfile(migrated, path)
    database = database_from_url(url(path))
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
def folder(tmp_path: Path) -> BlobFolder:
    """The folder of the blobs; on S3, the spool, which has a copy of each."""
    return BlobFolder(tmp_path / "blobs")


@pytest.fixture
def blobs(folder: BlobFolder, keys: MasterKeys) -> BlobStore:
    return BlobStore(new_storage(folder), keys)


@pytest.fixture(scope="session")
def plain_of_600_k(tmp_path_factory: pytest.TempPathFactory, keys: MasterKeys) -> tuple[BlobStore, bytes, BlobRef]:
    """A plain blob longer than a reader's window, and its content."""
    blobs = BlobStore(new_storage(BlobFolder(tmp_path_factory.mktemp("plain"))), keys)
    content = random.Random(1).randbytes(600_000)
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [content])
    return blobs, content, writer.finish(len(content))


@pytest.fixture(scope="session")
def sealed_folder(tmp_path_factory: pytest.TempPathFactory) -> BlobFolder:
    return BlobFolder(tmp_path_factory.mktemp("sealed"))


@pytest.fixture(scope="session")
def sealed_of_600_k(sealed_folder: BlobFolder, keys: MasterKeys) -> tuple[BlobStore, bytes, BlobRef]:
    """A sealed blob of three segments in `sealed_folder`, and its content."""
    blobs = BlobStore(new_storage(sealed_folder), keys)
    content = random.Random(2).randbytes(600_000)
    writer = blobs.new_sealed(owner="d", purpose="document")
    writer.write(content)
    return blobs, content, writer.finish()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A data folder in which nothing is."""
    return Place(tmp_path)
