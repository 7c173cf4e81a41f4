"""What is special about blobs on S3: reading from the bucket, the spool and its limit, and what the bucket holds."""

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import obstore
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blob_storages import BUCKET, SPOOL, endpoint, new_objects
from s3_relay import S3Relay
from sieve.channel.held_ranges import Held
from sieve.gateway.documents.spooled_copies import SpooledCopies
from sieve.gateway.inbound.partials import Kept, Partial, Partials
from sieve.gateway.runtime import readiness
from sieve.store.blob_folder import BlobFolder
from sieve.store.blob_place import S3Address
from sieve.store.blobs import BlobDamaged, BlobRef, BlobStore, StorageFull
from sieve.store.database import Database
from sieve.store.errors import BlobsUnreachable
from sieve.store.master_keys import MasterKeys
from sieve.store.s3_objects import PART, S3Objects
from sieve.store.s3_storage import S3Storage
from sieve.store.sealed_blob import SEGMENT, sealed_size
from store_rows import a_document, a_peer, a_user

KEYS = MasterKeys([bytes(range(32))])
CONTENT = random.Random(3).randbytes(3 * SEGMENT + 1000)


def new_store(path: Path, objects: S3Objects, limit: int = SPOOL) -> tuple[BlobStore, S3Storage]:
    storage = S3Storage(objects, BlobFolder(path), limit)
    return BlobStore(storage, KEYS), storage


def sealed(blobs: BlobStore, content: bytes = CONTENT) -> BlobRef:
    writer = blobs.new_sealed(owner="d", purpose="document")
    writer.write(content)
    return writer.finish()


def plain(blobs: BlobStore, content: bytes = CONTENT) -> BlobRef:
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.reserve(len(content))
    writer.write_at(0, [content])
    return writer.finish(len(content))


@pytest.fixture
def objects() -> S3Objects:
    return new_objects()


@pytest.fixture
def relay() -> Iterator[S3Relay]:
    with S3Relay(endpoint()) as relay:
        yield relay


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[BlobStore, BlobRef, BlobRef]:
    """A store that has nothing in its spool, and a sealed and a plain blob in its bucket."""
    objects = new_objects()
    writing, _ = new_store(tmp_path_factory.mktemp("writing"), objects)
    refs = sealed(writing), plain(writing)
    reading, _ = new_store(tmp_path_factory.mktemp("reading"), objects)
    return reading, *refs


@given(ranges=st.lists(st.tuples(st.integers(0, len(CONTENT)), st.integers(0, len(CONTENT))).map(sorted), max_size=6))
@settings(max_examples=25)
def test_every_range_can_be_read_from_the_bucket(
    two: tuple[BlobStore, BlobRef, BlobRef], ranges: list[list[int]]
) -> None:
    blobs, of_sealed, of_plain = two
    readers = blobs.open_sealed(of_sealed), blobs.open_plain(of_plain)
    for start, end in ranges:
        assert [reader.read(start, end) for reader in readers] == [CONTENT[start:end]] * 2


def test_reading_in_order_asks_for_several_segments_at_once(tmp_path: Path, relay: S3Relay) -> None:
    objects = new_objects(relay.endpoint)
    blobs, _ = new_store(tmp_path / "one", objects)
    content = bytes(20 * SEGMENT)
    ref = plain(blobs, content)
    reader = new_store(tmp_path / "other", objects)[0].open_plain(ref)
    relay.requests.clear()
    assert b"".join(reader.read(at, at + SEGMENT) for at in range(0, len(content), SEGMENT)) == content
    assert len(relay.requests) <= 4


def test_a_small_blob_costs_one_request_and_none_while_its_copy_is_here(tmp_path: Path, relay: S3Relay) -> None:
    blobs, _ = new_store(tmp_path, new_objects(relay.endpoint))
    ref = sealed(blobs, b"secret")
    assert [each.split()[0] for each in relay.requests] == ["PUT"]
    assert blobs.open_sealed(ref).read(0, 6) == b"secret"
    with blobs.held(ref):
        assert len(relay.requests) == 1


def test_a_large_blob_goes_in_parts(tmp_path: Path, objects: S3Objects) -> None:
    blobs, _ = new_store(tmp_path / "one", objects)
    content = random.Random(4).randbytes(2 * PART + 1)
    ref = plain(blobs, content)
    other, storage = new_store(tmp_path / "other", objects)
    with storage.at_hand([ref.id]):
        assert storage.spool.path(ref.id).read_bytes() == content
    assert other.open_plain(ref).read(0, len(content)) == content


@pytest.mark.parametrize("size", [0, 1, SEGMENT])
def test_the_bucket_holds_nothing_clear_of_what_is_sealed(tmp_path: Path, objects: S3Objects, size: int) -> None:
    blobs, storage = new_store(tmp_path, objects)
    ref = sealed(blobs, b"s" * size)
    (found,) = objects.all()
    data = b"".join(objects.pieces(ref.id))
    assert found[0] == ref.id
    assert len(data) == sealed_size(size)
    assert b"ssssssss" not in data
    assert storage.spool.path(ref.id).read_bytes() == data


@pytest.mark.parametrize("kind", ["sealed", "plain"])
def test_a_changed_object_is_found_when_it_is_read(tmp_path: Path, objects: S3Objects, kind: str) -> None:
    blobs, _ = new_store(tmp_path / "one", objects)
    ref = sealed(blobs) if kind == "sealed" else plain(blobs)
    data = bytearray(b"".join(objects.pieces(ref.id)))
    data[SEGMENT + 100] ^= 1
    # `S3Objects` itself never writes over an object.
    obstore.put(objects.store, f"{ref.id[:2]}/{ref.id}", bytes(data))
    reading, _ = new_store(tmp_path / "other", objects)
    reader = reading.open_sealed(ref) if kind == "sealed" else reading.open_plain(ref)
    assert reader.read(0, SEGMENT) == CONTENT[:SEGMENT]
    with pytest.raises(BlobDamaged):
        reader.read(SEGMENT, SEGMENT + 1)


def test_what_is_missing_is_damaged_and_what_is_deleted_is_gone(tmp_path: Path, objects: S3Objects) -> None:
    blobs, storage = new_store(tmp_path / "one", objects)
    ref = plain(blobs)
    other, there = new_store(tmp_path / "other", objects)
    assert other.is_there(ref)
    blobs.delete(ref)
    assert not blobs.is_there(ref)
    storage.close()
    assert not list(objects.all())
    third, _ = new_store(tmp_path / "third", objects)
    for read in (lambda: third.open_plain(ref).read(0, 1), lambda: there.at_hand([ref.id]).__enter__()):
        with pytest.raises(BlobDamaged):
            read()
    assert not third.is_there(ref)
    assert not list(there.spool.root.glob("??/*"))


def test_what_is_deleted_while_it_is_at_hand_is_gone_without_a_request(tmp_path: Path, relay: S3Relay) -> None:
    blobs, storage = new_store(tmp_path, new_objects(relay.endpoint))
    ref = plain(blobs)
    with storage.at_hand([ref.id]):
        reader = blobs.open_plain(ref)
        blobs.delete(ref)
        storage.close()
        relay.requests.clear()
        with pytest.raises(BlobDamaged):
            reader.read(0, 1)
    assert not relay.requests


def test_what_was_finished_and_is_discarded_leaves_no_object(tmp_path: Path, objects: S3Objects) -> None:
    blobs, storage = new_store(tmp_path, objects)
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.finish(0)
    writer.discard()
    unfinished = blobs.new_plain(owner="d", purpose="document")
    unfinished.discard()
    storage.close()
    assert not list(objects.all()) and not list(storage.spool.root.glob("??/*"))


def test_the_spool_is_bounded_and_only_copies_make_room(tmp_path: Path, objects: S3Objects) -> None:
    blobs, storage = new_store(tmp_path, objects, limit=3000)
    first, second = (plain(blobs, bytes(1000)) for _ in range(2))
    assert blobs.open_plain(first).read(0, 1) == b"\0"  # so the second is the older one
    third = plain(blobs, bytes(1000))
    fourth = plain(blobs, bytes(1000))
    here = {path.name for path in storage.spool.root.glob("??/*")}
    assert here == {first.id, third.id, fourth.id}
    with storage.at_hand([first.id, third.id, fourth.id]):
        writer = blobs.new_plain(owner="d", purpose="document")
        with pytest.raises(StorageFull, match="the spool is full"):
            writer.reserve(1)
        assert "the spool is full" in str(blobs.full())
    assert blobs.full() is None, "copies would make room"
    writer.reserve(3000)
    assert "the spool is full" in str(blobs.full())
    with pytest.raises(StorageFull):
        storage.at_hand([second.id]).__enter__()
    writer.discard()
    assert blobs.full() is None
    with storage.at_hand([second.id]):
        assert storage.spool.path(second.id).stat().st_size == 1000
    assert all(blobs.open_plain(ref).read(0, 1000) == bytes(1000) for ref in (first, second, third, fourth))


def test_a_start_keeps_partials_and_removes_the_rest_of_the_spool(tmp_path: Path, objects: S3Objects) -> None:
    blobs, storage = new_store(tmp_path, objects)
    finished = plain(blobs)
    begun, lost = (blobs.new_plain(owner="d", purpose="document") for _ in range(2))
    for writer in (begun, lost):
        writer.write_at(0, [b"abc"])
        writer.sync()
        writer.close()
    blobs, storage = new_store(tmp_path, objects, limit=3)
    storage.keep_in_spool({begun.id})
    assert [path.name for path in storage.spool.root.glob("??/*")] == [begun.id]
    resumed = blobs.resume_plain(begun.begun(3))
    assert resumed.read(0, 3) == b"abc"
    with pytest.raises(StorageFull):
        resumed.reserve(4)
    assert blobs.open_plain(resumed.finish(3)).read(0, 3) == b"abc"
    assert blobs.open_plain(finished).read(0, len(CONTENT)) == CONTENT


def test_what_cannot_be_stored_is_not_finished_and_can_be_finished_later(tmp_path: Path, relay: S3Relay) -> None:
    objects = S3Objects(S3Address(BUCKET, "cut", relay.endpoint), tries=1, try_for=timedelta(seconds=5))
    blobs, storage = new_store(tmp_path, objects)
    relay.cut_at = lambda request: True
    writer = blobs.new_plain(owner="d", purpose="document")
    writer.write_at(0, [b"abc"])
    with pytest.raises(BlobsUnreachable, match="it does not answer"):
        writer.finish(3)
    assert storage.spool.path(writer.id).read_bytes() == b"abc"
    relay.cut_at = lambda request: False
    storage.put(writer.id, 3)
    assert objects.read(writer.id, 0, 3) == b"abc"


def test_a_put_whose_answer_was_lost_counts(tmp_path: Path, relay: S3Relay) -> None:
    blobs, _ = new_store(tmp_path, new_objects(relay.endpoint))
    relay.answer = lambda request: "503 SlowDown" if request.startswith("PUT") and relay.requests == [request] else None
    ref = plain(blobs, b"abc")
    assert [each.split()[0] for each in relay.requests] == ["PUT", "PUT"]
    assert blobs.open_plain(ref).read(0, 3) == b"abc"


def test_a_part_that_is_cut_is_sent_again(tmp_path: Path, relay: S3Relay) -> None:
    blobs, _ = new_store(tmp_path / "one", new_objects(relay.endpoint, prefix="parts"))
    cuts: list[str] = []

    def cut(request: str) -> bool:
        if "partNumber=2" not in request or cuts:
            return False
        cuts.append(request)
        return True

    relay.cut_at = cut
    content = random.Random(5).randbytes(3 * PART)
    ref = plain(blobs, content)
    other, _ = new_store(tmp_path / "other", new_objects(prefix="parts"))
    assert other.open_plain(ref).read(0, len(content)) == content
    assert cuts


def test_a_blob_that_one_replica_removes_leaves_no_copy_at_the_others(tmp_path: Path, objects: S3Objects) -> None:
    here, _ = new_store(tmp_path / "here", objects)
    there, storage = new_store(tmp_path / "there", objects)
    here.tell_removed = there.removed_elsewhere
    ref = sealed(here)
    with there.brought([ref]):
        assert storage.spool.path(ref.id).exists()
        here.delete(ref)
        with pytest.raises(BlobDamaged, match="missing"), storage.open(ref.id):
            pass
    assert not storage.spool.path(ref.id).exists()


async def test_a_copy_of_a_blob_that_another_replica_removed_goes_also_if_its_message_was_lost(
    tmp_path: Path, objects: S3Objects, database: Database
) -> None:
    here, _ = new_store(tmp_path / "here", objects)
    there, storage = new_store(tmp_path / "there", objects)
    removed, kept, of_same_document, used = sealed(here), plain(here), sealed(here), sealed(here)
    async with database.write() as session:
        await a_document(session, await a_user(session), refs=(kept, of_same_document))
    unfinished = there.new_plain(owner="d", purpose="document")
    unfinished.write_at(0, [b"abc"])
    with there.brought([removed, kept]):
        pass
    with there.brought([used]):
        assert await SpooledCopies(database, there).compare() == 1
        assert storage.spool.path(used.id).exists()
    assert not storage.spool.path(removed.id).exists() and storage.spool.path(kept.id).exists()
    assert there.open_plain(unfinished.finish(3)).read(0, 3) == b"abc"


async def test_a_replica_takes_no_partial_of_another_one_whose_blobs_are_in_the_bucket_already(
    tmp_path: Path, relay: S3Relay, database: Database
) -> None:
    """The other one may be making them a document: a partial is removed with its blobs after a day."""
    (theirs, _), (ours, _) = (new_store(tmp_path / name, new_objects(relay.endpoint)) for name in ("theirs", "ours"))
    unfinished = replace(plain(theirs), tags=None, key_id=None, wrapped_key=None)
    partial = Partial("digest", 1, 2, 3, Kept(unfinished, None, None, Held()))
    async with database.write() as session:
        peer = await a_peer(session)
        session.add(partial.to_row((peer.id, "transfer"), theirs))
    relay.requests.clear()
    for blobs, found in ((theirs, True), (ours, False)):
        partials = Partials(database, blobs)
        with patch.object(database, "is_shared", True):
            await partials.load()
        assert (partials.find((peer.id, "transfer")) is not None) == found
    assert not relay.requests, "a replica that asks the store about each one starts late"


class SlowStore:
    """A store before which time passes only with requests: each takes `call_s`. It is the clock, too."""

    def __init__(self, relay: S3Relay, call_s: float) -> None:
        self._now_s, self.call_s = 0.0, call_s
        relay.hold = self._pass

    def _pass(self, _: str) -> None:
        self._now_s += self.call_s

    def monotonic(self) -> float:
        return self._now_s

    def wait_for_next_look(self) -> None:
        self._now_s += readiness.LOOK_S


async def test_a_gateway_with_a_full_spool_stays_ready_and_says_so(
    tmp_path: Path, objects: S3Objects, database: Database
) -> None:
    blobs, _ = new_store(tmp_path, objects, limit=3000)
    now = 0.0
    looked = readiness.Readiness(database, blobs, lambda: now)

    async def ready_but() -> str | None:
        nonlocal now
        now += readiness.LOOK_S
        assert await looked.problems() == ()
        return looked.full

    begun, other = (blobs.new_plain(owner="d", purpose="document") for _ in range(2))
    begun.reserve(2000)
    assert await ready_but() is None
    with pytest.raises(StorageFull) as refused:
        other.reserve(1001)
    assert await ready_but() == str(refused.value)
    begun.discard()
    assert await ready_but() is None


async def test_a_gateway_stays_ready_and_says_so_while_each_request_to_the_store_takes_a_second(
    tmp_path: Path, relay: S3Relay, database: Database
) -> None:
    blobs, _ = new_store(tmp_path, new_objects(relay.endpoint))
    store = SlowStore(relay, 1.0)
    looked = readiness.Readiness(database, blobs, store.monotonic)
    for _ in range(3):
        assert await looked.problems() == ()
        assert looked.slow == "the S3 store of the blobs answers slowly (more than 0.5 s)"
        store.wait_for_next_look()
    assert len(relay.requests) == 3, "each look stores one object"
    store.call_s = 0.2
    assert await looked.problems() == ()
    assert looked.slow is None
    assert not list(new_objects().all())


async def test_a_store_that_answers_slowly_is_one_problem_at_every_look(
    tmp_path: Path, relay: S3Relay, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs, _ = new_store(tmp_path, new_objects(relay.endpoint))
    store = SlowStore(relay, 4.0)
    looked = readiness.Readiness(database, blobs, store.monotonic)
    slow = "the S3 store of the blobs answers slowly (more than 3 s)"
    for _ in range(3):
        assert await looked.problems() == (slow,)
        store.wait_for_next_look()
    # An answer after which nobody waits any more counts at the next look.
    answers = threading.Event()

    def answer_late(_: str) -> None:
        assert answers.wait(60)
        store.wait_for_next_look()

    relay.hold = answer_late
    with monkeypatch.context() as impatient:
        impatient.setattr(readiness, "PATIENCE_S", 0.05)
        (problem,) = await looked.problems()
    assert problem == "the S3 store of the blobs cannot be used right now: it has not answered for 0.05 s"
    answers.set()
    store.wait_for_next_look()
    assert await looked.problems() == (slow,)
    relay.hold = lambda _: None
    store.wait_for_next_look()
    assert await looked.problems() == ()
