"""A gateway's data folder: starts on it, and its files."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from databases import url
from sieve.store.errors import BlobsUnusable, MasterKeyMissing
from sieve.store.key_source import KeyFile
from sieve.store.models import new_id
from sieve.store.open_store import Holder, Store, open_store
from store_rows import store_document

NOW_NS = 1_800_000_000_000_000_000


@dataclass
class Place:
    """A data folder."""

    folder: Path
    database: str = "sieve.db"

    @property
    def blobs(self) -> Path:
        return self.folder / "blobs"

    @property
    def key_file(self) -> Path:
        return self.folder / "master.key"

    @property
    def database_file(self) -> Path:
        return self.folder / self.database

    def files(self) -> dict[str, bytes]:
        """The blobs in their places, by their ids."""
        return {path.name: path.read_bytes() for path in self.blobs.glob("??/*")}

    def in_quarantine(self) -> set[str]:
        return {path.name for path in self.blobs.glob("quarantine/*/*")}

    @asynccontextmanager
    async def opened(self, *, now_ns: int = NOW_NS, adopt_blobs: bool = False) -> AsyncIterator[Store]:
        store = await open_store(
            url(self.database_file),
            self.blobs,
            KeyFile(self.key_file),
            Holder("alpha", b"key"),
            now_ns=now_ns,
            adopt_blobs=adopt_blobs,
        )
        yield store
        await store.database.dispose()

    async def start(self, *, now_ns: int = NOW_NS, adopt_blobs: bool = False) -> None:
        async with self.opened(now_ns=now_ns, adopt_blobs=adopt_blobs):
            pass

    async def refused(self) -> str:
        """The line; the same at the next start."""
        lines = []
        for _ in range(2):
            with pytest.raises((BlobsUnusable, MasterKeyMissing)) as caught:
                await self.start()
            lines.append(str(caught.value))
        assert lines[0] == lines[1] and "\n" not in lines[0]
        return lines[0]

    async def store_documents(self, count: int) -> None:
        async with self.opened() as store:
            for _ in range(count):
                await store_document(store)

    def leave_behind(self, count: int) -> set[str]:
        """Files as a crash leaves them."""
        names = {new_id() for _ in range(count)}
        for name in names:
            (self.blobs / name[:2]).mkdir(exist_ok=True)
            (self.blobs / name[:2] / name).write_bytes(b"half")
        return names

    def forget_ids(self) -> None:
        """Makes it a data folder from before ids: as it was before the step that brought them."""
        (self.blobs / "folder-id").unlink()
        with sqlite3.connect(self.database_file) as database:
            database.execute("DELETE FROM blob_folder")
        database.close()
