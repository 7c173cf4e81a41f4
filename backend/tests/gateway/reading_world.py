"""The reading service as its tests use it: one for all tests of a file, and others with limits of their own."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

import psutil
import pytest

from sieve.core.hidden_phrases import hidden_phrase
from sieve.core.sentence import said_of
from sieve.core.units import Unit
from sieve.gateway.reading.file import File
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.service import ReadingService
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.master_keys import MasterKeys


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> BlobStore:
    return BlobStore(BlobFolder(tmp_path_factory.mktemp("reading")), MasterKeys([bytes(range(32))]))


@pytest.fixture(scope="module")
def reading() -> Iterator[ReadingService]:
    """One for all tests of this file: a process takes half a second to start."""
    made = ReadingService(ReadingLimits(), processes=2, max_bytes=100_000_000)
    yield made
    asyncio.run(made.close())


@asynccontextmanager
async def serving(
    limits: ReadingLimits, *, processes: int = 1, max_bytes: int = 10**8
) -> AsyncIterator[ReadingService]:
    made = ReadingService(limits, processes=processes, max_bytes=max_bytes)
    try:
        yield made
    finally:
        await made.close()


def as_json(unit: Unit) -> dict[str, Any]:
    """A unit as the service sends it."""
    said = said_of(hidden_phrase(unit.hidden))
    return asdict(unit) | {"cells": [asdict(cell) for cell in unit.cells], "hidden_said": said}


async def all_units(reading: ReadingService, file: File, limit: int) -> list[dict[str, Any]]:
    units: list[dict[str, Any]] = []
    after: str | None = None
    while True:
        page = json.loads(await reading.units(file, after=after, limit=limit))
        assert len(page["units"]) <= limit
        units += page["units"]
        after = page["next"]
        if after is None:
            return units
        assert page["units"]


def processes_of(reading: ReadingService) -> list[psutil.Process]:
    """Those that it holds and that are there."""
    found: list[psutil.Process] = []
    for pid in reading.pids:  # other services of this process have child processes, too
        with contextlib.suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(pid))
    return found


def runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def all_ended(processes: list[psutil.Process]) -> bool:
    return not any(map(runs, processes))
