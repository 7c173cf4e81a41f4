"""The routes for monitoring: their responses, and who may call them."""

import asyncio
import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from databases import url, wait_long_for_locks, writing_connection
from sieve.gateway.runtime import readiness
from sieve.gateway.runtime.confinement import Confinement
from sieve.store.blob_folder import BlobFolder
from sieve.store.blobs import BlobStore
from sieve.store.database_from_url import database_from_url
from sieve.store.errors import StorageFull
from sieve.store.master_keys import MasterKeys
from sieve.store.models import Transfer
from sieve.store.queries import queue_state, tokens
from web_world import Ground, World
from world_building import build, close

Building = Callable[..., Awaitable[World]]


@pytest.fixture
async def with_settings(tmp_path: Path, ground: Ground) -> AsyncIterator[Building]:
    worlds: list[World] = []

    async def make(**settings: Any) -> World:
        worlds.append(await build(tmp_path, ground, new_app=True, **settings))
        return worlds[-1]

    yield make
    for world in worlds:
        await close(world)


async def test_it_lives_and_is_ready(world: World) -> None:
    async with world.client() as api:
        assert (await api.get("http://alpha/healthz")).json() == {"status": "ok"}
        assert (await api.get("http://alpha/readyz")).json()["status"] == "ready"


async def test_it_shows_what_the_kernel_does_not_enforce_for_the_main_process(world: World) -> None:
    own = Confinement(("no new privileges",), ("private memory (Operation not permitted)",))
    world.app.state.services = replace(world.services, confinement=own)
    async with world.client() as api:
        shown = (await api.get("http://alpha/readyz")).json()["gateway"]
    assert shown == {"by": ["no new privileges"], "missing": ["private memory (Operation not permitted)"]}


async def test_it_says_why_the_clock_is_not_believed(world: World) -> None:
    clock = world.services.clock_trust.clock
    async with world.client() as api:
        assert (await api.get("http://alpha/readyz")).json()["clock"] is None
        clock.begin(clock.now_ns() - 10 * 24 * 3600 * 10**9, None)
        answer = await api.get("http://alpha/readyz")
    assert answer.status_code == 200 and "10.0 days later than expected" in answer.json()["clock"]


async def test_it_is_ready_and_says_so_if_blobs_take_a_second(world: World) -> None:
    """Each look at this clock takes a second, and nothing else takes time."""
    slow = replace(world.services.readiness, monotonic=count().__next__)
    async with world.client() as api:
        assert (await api.get("http://alpha/readyz")).json()["blobs"] is None
        world.app.state.services = replace(world.services, readiness=slow)
        answer = await api.get("http://alpha/readyz")
    assert answer.status_code == 200
    assert answer.json()["blobs"] == "the disk of the blob folder answers slowly (more than 0.5 s)"


async def ready(world: World) -> tuple[int, str]:
    """What `/readyz` answers when it looks; and `/healthz` says yes."""
    looked = replace(world.services.readiness)
    world.app.state.services = replace(world.services, readiness=looked)
    async with world.client() as api:
        answer = await api.get("http://alpha/readyz")
        assert (await api.get("http://alpha/healthz")).status_code == 200
    return answer.status_code, answer.json().get("detail", "")


async def test_it_is_not_ready_without_its_database(world: World) -> None:
    broken = world.folder / "broken.db"
    shutil.copyfile(__file__, broken)
    database = database_from_url(url(broken))
    world.services.readiness.database = database
    status, why = await ready(world)
    await database.dispose()
    assert status == 503 and why.startswith("the database is not writable: the file ")


async def test_it_is_not_ready_while_its_database_is_read_only(world: World) -> None:
    await world.upload(b"written before")
    read_only(world)
    assert await ready(world) == (
        503,
        "the database is not writable: the database cannot be written: its file or its disk is read-only",
    )


async def test_it_is_not_ready_while_another_process_holds_the_lock(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held_lock(world), monkeypatch.context() as impatient:
        impatient.setattr(readiness, "PATIENCE_S", 0.05)
        status, why = await ready(world)
    assert status == 503 and why.startswith("the database is not writable: another process holds its lock")
    monkeypatch.setattr(readiness, "PATIENCE_S", 60.0)
    assert (await ready(world))[0] == 200


async def test_it_is_not_ready_without_its_blob_folder_or_room(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = BlobStore(BlobFolder(world.folder / "more"), MasterKeys([bytes(32)]))
    world.services.readiness.blobs = blobs
    assert (await ready(world))[0] == 200
    shutil.rmtree(world.folder / "more")
    assert await ready(world) == (503, "the blob folder is not writable: No such file or directory")
    world.services.readiness.blobs = world.services.blobs
    monkeypatch.setattr("sieve.store.blobs.FREE_FOR_ROWS", 1 << 62)
    assert await ready(world) == (503, "no room: the disk that holds the documents is full; free some space")


async def test_a_disk_that_does_not_answer_is_tried_once_at_a_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each trial has a thread, of which there are few."""
    answers, trials = threading.Event(), 0

    def hang(_: BlobStore) -> None:
        nonlocal trials
        trials += 1
        assert answers.wait(60)

    monkeypatch.setattr(readiness, "PATIENCE_S", 0.05)
    monkeypatch.setattr(readiness, "LOOK_S", 0.0)
    with monkeypatch.context() as hanging:
        hanging.setattr(BlobStore, "try_to_write", hang)
        async with world.client() as api:
            for _ in range(3):
                answer = await api.get("http://alpha/readyz")
                assert answer.status_code == 503
                # On a slow machine the database needs longer than this patience, too.
                assert answer.json()["detail"].endswith("is not writable: its disk has not answered for 0.05 s")
            assert trials == 1
            answers.set()
            # The thread shows its end to the loop.
            while (await api.get("http://alpha/readyz")).status_code != 200:
                pass


async def test_many_who_ask_whether_it_is_ready_cost_one_look(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[None] = []
    monkeypatch.setattr(BlobStore, "try_to_write", lambda _self: looks.append(None))
    now = 0.0
    world.services.readiness.monotonic = lambda: now
    async with world.client() as api:
        await asyncio.gather(*(api.get("http://alpha/readyz") for _ in range(10)))
        assert len(looks) == 1
        now += readiness.LOOK_S
        await api.get("http://alpha/readyz")
    assert len(looks) == 2


@pytest.mark.parametrize("trouble", ["read-only", "full", "locked"])
async def test_while_nothing_can_be_written_everything_can_be_read(
    world: World, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock is held until all of these were read. The next test shows that none waits for it."""
    sent = await world.send(b"plain")
    received = await world.deliver(b"plain <$S>secret<$E>")
    with held_lock(world) if trouble == "locked" else nullcontext():
        if trouble == "read-only":
            read_only(world)
        if trouble == "full":
            await fill(world)
        for who, paths in {
            "anna": ["/transfers", f"/transfers/{sent}", "/documents", "/drafts", "/me", "/session", "/tokens"],
            "rosa": ["/inbox", f"/inbox/{received}"],
            "root": ["/transfers", "/people", "/peers", "/audit", "/policies"],
        }.items():
            async with world.client(who) as api:
                for path in paths:
                    answer = await api.get(path)
                    assert answer.status_code == 200, (path, answer.text)
        if trouble == "locked":
            return
        async with world.client("bruno") as api:
            assert (await api.get(f"/inbox/{received}/content")).content == b"plain secret"
        async with world.client("anna") as api:
            params = {"name": "n", "form": "marked"}
            while (answer := await api.post("/documents", params=params, content=b"x")).status_code == 201:
                pass  # there is room for some rows yet, in pages that are not full
            assert answer.status_code == (503 if trouble == "read-only" else 507), answer.text
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["detail"].startswith(("the database cannot be written: ", "the disk that holds"))


async def test_no_read_waits_for_the_note_of_its_token_s_use(world: World) -> None:
    """Another process holds the lock until the read is answered, and the note is written after that. Had the read
    waited for the note, that would have failed before the answer, and nothing would be noted.
    """
    wait_long_for_locks(world.database)
    async with world.client("rosa") as api:
        with held_lock(world):
            answer = await api.get("/inbox")
        assert answer.status_code == 200, answer.text
    await world.services.last_used.written()
    async with world.database.read() as session:
        [token] = await tokens.of_user(session, world.people["rosa"].id)
    assert token.last_used_at_ns is not None


async def test_a_file_that_cannot_be_written_is_a_problem_in_one_sentence(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def read_only_disk(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "/var/lib/sieve/blobs/1a")

    monkeypatch.setattr(BlobStore, "new_plain", read_only_disk)
    async with world.client("anna") as api:
        answer = await api.post("/documents", params={"name": "n", "form": "marked"}, content=b"x")
    assert answer.status_code == 503
    assert answer.json()["detail"] == "this gateway cannot use its files right now: Read-only file system"
    assert "/var/lib/sieve/blobs/1a" in caplog.text and "Traceback" not in caplog.text


def read_only(world: World) -> None:
    """From now on SQLite says of each write what it says on a read-only disk."""
    writing_connection(world.services.database).execute("PRAGMA query_only=ON")


async def fill(world: World) -> None:
    """From now on SQLite says of each row what it says on a full disk."""
    connection = writing_connection(world.services.database)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 1}")
    async with world.database.write() as session:
        await session.execute(text("CREATE TABLE filler (content)"))
    with pytest.raises(StorageFull):
        while True:
            async with world.database.write() as session:
                await session.execute(text("INSERT INTO filler VALUES (zeroblob(500))"))


@contextmanager
def held_lock(world: World) -> Iterator[None]:
    """Another connection writes, as another process would."""
    other = sqlite3.connect(world.folder / "sieve.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield
    finally:
        other.close()


async def test_metrics_count_by_route_and_never_by_path(with_settings: Building) -> None:
    world = await with_settings()
    document_id = await world.upload(b"a")
    await world.send(b"b")
    async with world.client("anna") as api:
        await api.get(f"/documents/{document_id}")
        await api.get("/no/such/report.txt")
        text = (await api.get("http://alpha/metrics")).text
    assert 'sieve_http_requests_total{method="GET",route="/documents/{document_id}",status="200"} 1.0' in text
    assert 'sieve_http_requests_total{method="GET",route="",status="404"} 1.0' in text
    assert 'sieve_transfers{state="queued"} 1.0' in text
    assert document_id not in text and "report.txt" not in text


async def test_metrics_count_attempts_and_what_they_took(with_settings: Building) -> None:
    world = await with_settings()
    first, _ = await world.send(b"a"), await world.send(b"b")
    async with world.client("anna") as api:
        assert (await api.post(f"/transfers/{first}/cancel")).status_code == 202
        times = {f"{figure}_us": None for figure in ("response", "stored", "waiting")}
        timed = {
            "direction": "received",
            "mode": "sieve",
            "outcome": "delivered",
            "cause": "",
            "response_us": 1_500_000,
        }
        world.services.timings_ended([times | timed])
        text = (await api.get("http://alpha/metrics")).text
    assert 'sieve_attempts_total{cause="cancelled",outcome="cancelled"} 1.0' in text
    assert "sieve_queue_depth 1.0" in text
    labels = 'direction="received",mode="sieve",outcome="delivered"'
    assert f"sieve_transfer_response_seconds_sum{{{labels}}} 1.5" in text
    assert f"sieve_transfer_response_seconds_count{{{labels}}} 1.0" in text
    assert "sieve_transfer_stored_seconds_sum" not in text
    assert first not in text


async def test_the_queue_has_the_age_of_its_oldest_transfer(with_settings: Building) -> None:
    world = await with_settings()
    async with world.database.read() as session:
        assert await queue_state.age(session, 70) == (0, 0)
    sent = await world.send(b"a")
    async with world.database.write() as session:
        row = await session.get_one(Transfer, sent)
        created_ns = row.created_at_ns
        row.next_try_at_ns = created_ns + 50
    async with world.database.read() as session:
        # Also while it waits for its next attempt, so that alerts see what has been waiting long.
        assert await queue_state.age(session, created_ns + 49) == (1, 49)
        assert await queue_state.age(session, created_ns - 1) == (1, 0)


async def test_metrics_want_their_token_if_there_is_one(with_settings: Building) -> None:
    world = await with_settings(metrics_token="0123456789abcdef")
    for given, status in (("0123456789abcdef", 200), ("0123456789abcdeg", 401), ("", 401)):
        async with world.client(headers={"Authorization": f"Bearer {given}"}) as api:
            assert (await api.get("http://alpha/metrics")).status_code == status
    async with world.client("root") as api:
        assert (await api.get("http://alpha/metrics")).status_code == 401


@pytest.mark.parametrize("web_bind", ["10.0.0.1:8080", "127.0.0.1:8080"])
async def test_behind_a_proxy_metrics_want_a_token(with_settings: Building, web_bind: str) -> None:
    """What the proxy passes on comes from anywhere, also where the proxy is on this machine."""
    world = await with_settings(web_bind=web_bind, trusted_proxy="10.0.0.2", allowed_hosts="alpha")
    async with world.client() as api:
        answer = await api.get("http://alpha/metrics")
    assert answer.status_code == 403
    assert "SIEVE_METRICS_TOKEN" in answer.json()["detail"]
