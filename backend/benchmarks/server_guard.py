"""What the gateway's leak check costs: `python -m benchmarks.server_guard`, in the folder `backend`.

Prints the table of docs/leak-guard.md: documents are stored as a gateway stores them and checked as before sending,
with a `guard` policy of 10,000 terms and without one. On a machine that others use, the fastest run says most. The
processor time is that of the gateway's own process, without its reading processes.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from statistics import median

from benchmarks.policies import CYRILLIC, prose, terms
from sieve.config import Settings
from sieve.gateway.auditing.audit_log import Audit
from sieve.gateway.documents.ingest import Ingest
from sieve.gateway.reading.limits import ReadingLimits
from sieve.gateway.reading.service import ReadingService
from sieve.gateway.screening.leak_check import LeakCheck
from sieve.gateway.screening.leak_scanner import LeakScanner
from sieve.gateway.screening.policies import Policies, Source
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.database_from_url import database_from_url
from sieve.store.master_keys import MasterKeys
from sieve.store.models import User
from sieve.store.queries import people

RUNS = {10_000: 300, 30_000: 60, 1_000_000: 5, 10_000_000: 3}
"""By how many bytes a document has."""

Work = Callable[[], Awaitable[object]]


async def timed(runs: int, work: Work) -> str:
    """The fastest and the median, and the processor's time on average, in milliseconds."""
    await work()
    took = []
    before = time.process_time()
    for _ in range(runs):
        began = time.perf_counter()
        await work()
        took.append((time.perf_counter() - began) * 1000)
    processor = (time.process_time() - before) * 1000 / runs
    return f"{min(took):.2f} | {median(took):.2f} | {processor:.2f}"


async def held_up(work: Work) -> float:
    """How late the event loop was at most while that was done, in milliseconds."""
    late, done = 0.0, asyncio.Event()

    async def watch() -> None:
        nonlocal late
        while not done.is_set():
            due = time.perf_counter() + 0.001
            await asyncio.sleep(0.001)  # the measurement: how much later than this the loop comes back
            late = max(late, time.perf_counter() - due)

    watching = asyncio.create_task(watch())
    await work()
    done.set()
    await watching
    return late * 1000


def marked(size: int, *, cyrillic: bool = False) -> bytes:
    """Prose of that many letters with a mark in each thousand or so: a name that is nowhere else."""
    text, step = prose()[:size], 1_000
    text = text.translate(CYRILLIC) if cyrillic else text
    pieces = [f"{text[at : at + step]} <$S>Ida Halvorsen {at}<$E> " for at in range(0, len(text), step)]
    return "".join(pieces).encode()


async def once(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def main() -> int:
    """Entry point."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        settings = Settings(data_dir=folder)
        database, keys = database_from_url(settings.database), MasterKeys([bytes(32)])
        await database.migrate()
        blobs = BlobStore(BlobFolder(folder / "blobs"), keys)
        limits = ReadingLimits(settings.reading_memory_bytes, settings.reading_timeout_s)
        reading = ReadingService(limits, processes=settings.reading_processes, max_bytes=settings.max_reading_bytes)
        audit, looking = Audit(keys), LeakScanner(blobs, reading)
        policies = Policies(database, keys, audit)
        check = LeakCheck(database, policies, looking, "confirm")
        async with database.write() as session:
            author = await people.add(session, name="anna", display_name="Anna", is_author=True, now_ns=1)
        print("| case | fastest, ms | median, ms | processor, ms |\n|---|--:|--:|--:|")
        for policy in (None, Source("json", guard())):
            if policy is not None:
                await policies.create("root", policy)
            await documents(Ingest(database, blobs, settings.max_document_bytes), check, author, policy is not None)
        ready = await policies.ready("terms")
        text = prose()

        async def preview() -> None:
            await looking.hits_in_text(author.id, ready, text, 10_000)

        print(f"| preview: 10,000 terms, 10 MB | {await timed(5, preview)} |")
        print(f"event loop held up by a preview of 10 MB: {await held_up(preview):.1f} ms", file=sys.stderr)
        # A second without work, for comparison: how late the machine itself is.
        print(f"and by nothing, for a second: {await held_up(lambda: asyncio.sleep(1)):.1f} ms", file=sys.stderr)
        await reading.close()
        await database.dispose()
    return 0


def guard() -> str:
    """A `guard` policy of 10,000 terms."""
    listed = [line for line in terms().split("\n") if line]
    return json.dumps({"name": "terms", "guard": True, "rules": [{"kind": "keywords", "keywords": listed}]})


async def documents(ingest: Ingest, check: LeakCheck, author: User, guarded: bool) -> None:
    """Each size: a new scan, and the same request again."""
    beside = ", 10,000 terms guard" if guarded else ""
    # The terms are Latin: beside them Cyrillic would be another case.
    other = () if guarded else ((1_000_000, 5, True),)
    for size, runs, cyrillic in (*((size, runs, False) for size, runs in RUNS.items()), *other):
        text = marked(size, cyrillic=cyrillic)
        with await ingest.stage_marked_text(once(text), "text/plain") as staged:
            row = await ingest.commit(staged, owner_id=author.id, name="memo.txt")

        async def checked(document_id: str = row.id) -> None:
            await check.check(author.id, document_id)

        unit = "letters of Cyrillic" if cyrillic else "bytes"
        print(f"| {size:,} {unit}{beside} | {await timed(runs, checked)} |")
        if size == min(RUNS):
            print(f"event loop blocked by a check of {size:,} bytes: {await held_up(checked):.1f} ms", file=sys.stderr)
            if guarded:
                continue

            async def again(document_id: str = row.id) -> None:
                await check.require_confirmed(author, [document_id], None)

            print(f"| {size:,} bytes, checked before | {await timed(runs, again)} |")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
