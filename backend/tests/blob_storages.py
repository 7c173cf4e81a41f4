"""The storages of blobs in tests: folders, or with SIEVE_TEST_BLOBS=s3, a bucket of an S3 server and a spool.

Each storage has a prefix of its own in one bucket.
"""

import asyncio
import atexit
import hashlib
import os
import traceback
from contextlib import suppress
from datetime import timedelta
from typing import Final
from uuid import uuid4

import s3_server
from s3_server import S3Server
from sieve.store.blob_folder import BlobFolder
from sieve.store.blob_place import S3Address
from sieve.store.blob_storage import BlobStorage
from sieve.store.s3_objects import S3Objects
from sieve.store.s3_storage import S3Storage

ON_S3: Final = os.environ.get("SIEVE_TEST_BLOBS") == "s3"
ABOUT_S3: Final = frozenset(
    {
        "test_s3_storage.py",
        "test_s3_failures.py",
        "test_s3_sweep.py",
        "test_bucket_at_start.py",
        "test_replicas_at_start.py",
        "test_s3_store.py",
        "test_replicated_gateways.py",
        "test_cluster_backups.py",
        "test_replicas_with_wrong_clocks.py",
        "test_upgrades_of_replicas.py",
        "test_cluster_demo.py",
        "test_cluster_chaos.py",
    }
)
"""The files of tests that need the server."""
ABOUT_FOLDER: Final = (
    "gateway/outbound/test_batches.py::test_one_that_is_damaged_here_fails_alone",
    "gateway/outbound/test_local_failures.py::test_a_damaged_document_fails_for_good",
    "gateway/outbound/test_local_failures.py::test_a_document_that_is_damaged_after_it_was_queued",
    "gateway/inbound/test_partials.py::test_a_start_removes_partials_that_cannot_be_resumed",
    "gateway/inbound/test_partials.py::test_a_start_succeeds_even_if_rows_cannot_be_removed",
    "gateway/inbound/test_partials.py::test_a_document_that_lacks_only_the_commit_is_resumed_without_bytes",
)
"""Beginnings of the names of tests that are not run on S3: they change or count files in the blob folder."""
BUCKET: Final = "sieve-tests"
SPOOL: Final = 1024**3
_ENDPOINT: Final = "SIEVE_TEST_S3"
"""Where the server is, for the processes that share it."""


def start_server() -> None:
    """Starts the server that all processes of these tests use; it ends with this one."""
    server = S3Server.start()
    atexit.register(server.stop)
    server.make_bucket(BUCKET)
    os.environ[_ENDPOINT] = server.endpoint
    os.environ["AWS_ACCESS_KEY_ID"] = s3_server.KEY
    os.environ["AWS_SECRET_ACCESS_KEY"] = s3_server.SECRET
    os.environ["AWS_REGION"] = "us-east-1"


def endpoint() -> str:
    """The server's address."""
    return os.environ[_ENDPOINT]


def new_objects(at: str | None = None, *, bucket: str = BUCKET, prefix: str | None = None) -> S3Objects:
    """Objects below a new prefix. `at`: another address of the server."""
    address = S3Address(bucket, f"{uuid4().hex}/blobs" if prefix is None else prefix, at or endpoint())
    return S3Objects(address, tries=2, try_for=timedelta(seconds=10))


def new_storage(folder: BlobFolder) -> BlobStorage:
    """The storage of a test that uses this folder, or has it as its spool, which has a copy of each blob."""
    return S3Storage(_objects_of(folder), folder, SPOOL) if ON_S3 else folder


def new_far_storage(folder: BlobFolder) -> BlobStorage:
    """The same, but the spool has copies only while they must be at hand."""
    return _Far(_objects_of(folder), folder, SPOOL) if ON_S3 else folder


def _objects_of(folder: BlobFolder) -> S3Objects:
    """The same objects each time, because a gateway that starts again has the same bucket."""
    return new_objects(prefix=hashlib.sha256(str(folder.root).encode()).hexdigest()[:32])


class _Far(S3Storage):
    """Keeps no copies, and is never asked for bytes by an event loop."""

    def put(self, blob_id: str, size: int) -> None:
        _not_on_a_loop()
        super().put(blob_id, size)
        self.forget(blob_id)

    def size(self, blob_id: str) -> int:
        _not_on_a_loop()
        return super().size(blob_id)

    def read(self, blob_id: str, offset: int, size: int) -> bytes:
        _not_on_a_loop()
        return super().read(blob_id, offset, size)


def _not_on_a_loop() -> None:
    with suppress(RuntimeError):
        asyncio.get_running_loop()
        # The gateways' helper may, because it only prepares a test.
        if not any(frame.filename.endswith("two_gateways.py") for frame in traceback.extract_stack()):
            raise AssertionError("the event loop waits for the S3 store")
